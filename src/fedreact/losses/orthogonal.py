"""The loss of FedST: cross-entropy, and a distance between shared and personal features.

Section 4.2 of the paper. |a . b| of projections of length 1 is the cosine of the angle between two
lines. Maximising it aligns them, and minimising it makes them orthogonal (``angles`` in
config/papers/fedst/ledger.yaml).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.layers import Training
from fedreact.models.two_views import TwoViews

Projections = tuple[torch.Tensor, torch.Tensor]
"""Shared and personal ones, each ``[K, B, r]``, of length 1."""


@dataclass(frozen=True)
class OrthogonalLoss(SupervisedLoss):
    """L = L_ce + lam sum_v (lam_1 L_dol^v + lam_2 (L_vol^v + L_pol^v)), eqs. 13 and 15.

    Attributes
    ----------
    lam, lam_1, lam_2, tau
        Weights of the formula; tau is the temperature of L_vol.
    prototypes
        Global prototypes of the last round, ``[V, C, m]`` for V views.
    known
        ``[C]``: 1 for classes that have one. While none has, L is L_ce alone: the warm-up.
    """

    architecture: TwoViews
    lam: float = 1.0
    lam_1: float = 1.0
    lam_2: float = 1.0
    tau: float = 1.0
    prototypes: torch.Tensor | None = field(default=None, repr=False)
    known: torch.Tensor | None = field(default=None, repr=False)

    def of_batch(
        self,
        theta: torch.Tensor,
        x: torch.Tensor,
        y: torch.Tensor,
        counts: torch.Tensor,
        training: Training | None,
        which: Sequence[int],
    ) -> torch.Tensor:
        """Compute mean losses ``[K]``."""
        model, prototypes, known = self.architecture, self.prototypes, self.known
        z = model.encode_views(theta, x, training)
        losses = mean(self.of_outputs(model.head(theta, torch.cat(z, -1)), y), counts)
        if self.lam == 0 or prototypes is None or known is None or not known.any():
            return losses
        h = [model.project(theta, view, features) for view, features in zip(model.views, z)]
        for v, view in enumerate(model.views):
            p = model.project(theta, view, prototypes[v].expand(len(theta), -1, -1))
            domain = of_domain(h[v], p, y, counts & (known[y] > 0))
            losses = losses + self.lam * self.lam_1 * domain
            views = of_projections(h[v], counts)
            if len(h) == 2:
                views = views + of_views(h[v], h[1 - v], counts, self.tau)
            losses = losses + self.lam * self.lam_2 * views
        return losses


def of_views(
    view: Projections, other: Projections, counts: torch.Tensor, tau: float
) -> torch.Tensor:
    """Compute L_vol ``[K]`` of a view (eq. 10): InfoNCE of shared less that of personal ones.

    The sample itself is among its negatives. The mean is over samples that ``counts [K, B]``.
    """
    contrasts = [_info_nce(a, b, counts, tau) for a, b in zip(view, other)]
    return contrasts[0] - contrasts[1]


def _info_nce(a: torch.Tensor, b: torch.Tensor, counts: torch.Tensor, tau: float) -> torch.Tensor:
    """Compute mean InfoNCE losses ``[K]`` of projections ``[K, B, r]`` of two views."""
    similar = (a @ b.mT).abs() / tau
    similar = similar.masked_fill(~counts[:, None, :], -torch.inf)
    return mean(-similar.log_softmax(-1).diagonal(dim1=1, dim2=2).nan_to_num(neginf=0), counts)


def of_projections(h: Projections, counts: torch.Tensor) -> torch.Tensor:
    """Compute L_pol ``[K]`` (eq. 11), small if a sample's two projections are orthogonal."""
    return mean((h[0] * h[1]).sum(-1).abs(), counts)


def of_domain(
    h: Projections, prototypes: Projections, y: torch.Tensor, counts: torch.Tensor
) -> torch.Tensor:
    """Compute L_dol ``[K]`` (eq. 12), which pulls shared projections towards their prototypes.

    It pushes personal projections away. ``prototypes`` are projections ``[K, C, r]`` by label; a
    sample without one does not count.
    """
    labels = y[..., None].expand(-1, -1, h[0].shape[-1])
    shared, personal = ((a * p.gather(1, labels)).sum(-1).abs() for a, p in zip(h, prototypes))
    return mean(personal - shared, counts)


def mean(values: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Average ``values [K, B]`` that count to ``[K]``; 0 if none does."""
    return (values * counts).sum(1) / counts.sum(1).clamp(min=1)
