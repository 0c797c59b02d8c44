"""The loss of FedST: cross-entropy, and shared and personal features that are kept apart.

Section 4.2 of the paper. |a . b| of projections of length 1 is the cosine of the angle between two
lines; to maximise it aligns them, to minimise it makes them orthogonal (``angles`` in
config/papers/fedst/ledger.yaml).
"""

from dataclasses import dataclass, field

import torch

from fedreact.losses.supervised import SupervisedLoss

Projections = tuple[torch.Tensor, torch.Tensor]
"""Shared and personal ones, each ``[K, B, r]``, of length 1."""


@dataclass(frozen=True)
class OrthogonalLoss(SupervisedLoss):
    """L = L_ce + lam sum_v (lam_1 L_dol^v + lam_2 (L_vol^v + L_pol^v)), eqs. 13 and 15.

    Attributes
    ----------
    lam, lam_1, lam_2, tau
        As above; tau is the temperature of L_vol.
    prototypes
        Global ones of the last round, ``[V, C, m]`` for each view.
    known
        ``[C]``: 1 for classes that have one. While none has, L is L_ce alone: the warm-up.
    """

    lam: float = 1.0
    lam_1: float = 1.0
    lam_2: float = 1.0
    tau: float = 1.0
    prototypes: torch.Tensor | None = field(default=None, repr=False)
    known: torch.Tensor | None = field(default=None, repr=False)

    def of_batch(self, theta, x, y, counts, training, which):
        """Mean losses ``[K]``."""
        model = self.architecture
        z = model.encode_views(theta, x, training)
        losses = mean(self.of_outputs(model.head(theta, torch.cat(z, -1)), y), counts)
        if self.lam == 0 or self.known is None or not self.known.any():
            return losses
        h = [model.project(theta, view, of) for view, of in zip(model.views, z)]
        for v, view in enumerate(model.views):
            p = model.project(theta, view, self.prototypes[v].expand(len(theta), -1, -1))
            domain = of_domain(h[v], p, y, counts & (self.known[y] > 0))
            losses = losses + self.lam * self.lam_1 * domain
            views = of_projections(h[v], counts)
            if len(h) == 2:
                views = views + of_views(h[v], h[1 - v], counts, self.tau)
            losses = losses + self.lam * self.lam_2 * views
        return losses


def of_views(
    one: Projections, other: Projections, counts: torch.Tensor, tau: float
) -> torch.Tensor:
    """L_vol ``[K]`` of one view beside the other (eq. 10): InfoNCE of shared less that of personal.

    The sample itself is among those that it is told from, and the mean is over the batch, of which
    ``counts [K, B]`` are there.
    """
    contrasts = [_info_nce(a, b, counts, tau) for a, b in zip(one, other)]
    return contrasts[0] - contrasts[1]


def _info_nce(a, b, counts, tau):
    similar = (a @ b.mT).abs() / tau
    similar = similar.masked_fill(~counts[:, None, :], -torch.inf)
    return mean(-similar.log_softmax(-1).diagonal(dim1=1, dim2=2).nan_to_num(neginf=0), counts)


def of_projections(h: Projections, counts: torch.Tensor) -> torch.Tensor:
    """L_pol ``[K]`` (eq. 11): shared and personal projections of a sample are orthogonal."""
    return mean((h[0] * h[1]).sum(-1).abs(), counts)


def of_domain(
    h: Projections, prototypes: Projections, y: torch.Tensor, counts: torch.Tensor
) -> torch.Tensor:
    """L_dol ``[K]`` (eq. 12): towards the shared prototype of the label, away from the personal.

    ``prototypes`` are projections ``[K, C, r]``; a sample without one does not count.
    """
    at = y[..., None].expand(-1, -1, h[0].shape[-1])
    shared, personal = ((a * p.gather(1, at)).sum(-1).abs() for a, p in zip(h, prototypes))
    return mean(personal - shared, counts)


def mean(values: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Mean ``[K]`` of ``values [K, B]`` that count; 0 where none does."""
    return (values * counts).sum(1) / counts.sum(1).clamp(min=1)
