"""The contrastive loss of Phase 1 (Fed-REACT, eq. 1).

Franceschi et al. (2019), section 3 and Algorithm 1: the positive sample is a sub-sequence of the
anchor, the negatives are sub-sequences of series drawn at random from all. Eq. 1 of Fed-REACT:

    L = -log s(f(ref) . f(pos)) - sum_r log s(-f(ref) . f(neg_r)),   s = logistic function,

averaged over the anchors of a batch. Franceschi's code takes the mean over r instead of the sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch.nn.functional import logsigmoid

from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.losses.objective import Data
from fedreact.models.encoder import Encoder, multiply_adds


@dataclass(frozen=True)
class SubSequences:
    """Sub-sequences that S training steps compare (B anchors, with R negatives each).

    The lengths are common to a batch, as in Franceschi's code for series of equal length.

    Attributes
    ----------
    anchor_length, short_length
        ``[S]``: steps of the anchors; steps of the positives and negatives.
    anchor, anchor_start, positive_start
        ``[S, B]``: series, first step, first step of the positive (same series).
    negative, negative_start
        ``[S, R, B]``.
    """

    anchor_length: np.ndarray
    short_length: np.ndarray
    anchor: np.ndarray
    anchor_start: np.ndarray
    positive_start: np.ndarray
    negative: np.ndarray
    negative_start: np.ndarray


@dataclass(frozen=True)
class ContrastiveLoss:
    """Eq. 1 with R = ``n_negatives``, whose terms are summed (``sum``) or averaged (``mean``)."""

    encoder: Encoder
    n_negatives: int = 10
    negative_weighting: str = "mean"
    n_buffers: ClassVar[int] = 0
    whole_epochs: ClassVar[bool] = False

    def __post_init__(self):
        if self.n_negatives < 1:
            raise UserError(f"negatives is {self.n_negatives}; it must be at least 1")

    @property
    def n_parameters(self) -> int:
        """Weights P of the encoder."""
        return self.encoder.n_parameters

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights of the encoder."""
        return self.encoder.init(generator)

    def multiply_adds(self, length: int) -> float:
        """Count multiply-adds of the forward passes that one anchor takes, on average.

        Positive and negatives have U(1, length) steps, and the anchor has from theirs to
        ``length``. NaN for a user's encoder that does not count its operations.
        """
        short = (length + 1) / 2
        compared = (1 + self.n_negatives) * multiply_adds(self.encoder, short)
        return multiply_adds(self.encoder, (short + length) / 2) + compared

    def draw(
        self, rng: np.random.Generator, series: np.ndarray, length: int, batch_size: int, steps: int
    ) -> SubSequences:
        """Draw the sub-sequences of ``steps`` training steps (Franceschi et al., Algorithm 1).

        Parameters
        ----------
        series
            ``int [n]``: the client's series. Anchors run through random permutations of them,
            one after the other; negatives are drawn with replacement from all of them.
        length
            Steps of each series, padding included.
        """
        S, B, R = steps, batch_size, self.n_negatives
        epochs = -(-S * B // len(series))
        order = np.concatenate([rng.permutation(series) for _ in range(epochs)])
        short = rng.integers(1, length + 1, size=S)
        long = rng.integers(short, length + 1)
        anchor_start = rng.integers(0, (length - long + 1)[:, None], size=(S, B))
        return SubSequences(
            anchor_length=long,
            short_length=short,
            anchor=order[: S * B].reshape(S, B),
            anchor_start=anchor_start,
            positive_start=anchor_start + rng.integers(0, (long - short + 1)[:, None], size=(S, B)),
            negative=rng.choice(series, size=(S, R, B)),
            negative_start=rng.integers(0, (length - short + 1)[:, None, None], size=(S, R, B)),
        )

    def value(
        self,
        theta: torch.Tensor,
        data: Data,
        draws: list[SubSequences],
        step: int,
        which: Sequence[int] | None = None,
    ) -> tuple[torch.Tensor, None]:
        """Compute the losses of K clients at one step.

        Parameters
        ----------
        theta
            ``[K, P]`` encoder weights.
        data
            All series; the draws name each client's.
        draws
            One :class:`SubSequences` a client.

        Returns
        -------
        losses, buffers
            ``[K]``, and ``None``: encoders have no running statistics.
        """
        series = np.stack([d.anchor[step] for d in draws])
        long = np.array([d.anchor_length[step] for d in draws])
        start = np.stack([d.anchor_start[step] for d in draws])
        X = data.X
        anchor = _encode(self.encoder, theta, X, series, start, long)

        # Positives and negatives have the same length: one pass for both.
        negative = np.stack([d.negative[step].ravel() for d in draws])
        negative_start = np.stack([d.negative_start[step].ravel() for d in draws])
        positive_start = np.stack([d.positive_start[step] for d in draws])
        short = np.array([d.short_length[step] for d in draws])
        compared = _encode(
            self.encoder,
            theta,
            X,
            np.concatenate([series, negative], axis=1),
            np.concatenate([positive_start, negative_start], axis=1),
            short,
        ).unflatten(1, (1 + self.n_negatives, -1))
        product = (anchor[:, None] * compared).sum(-1)
        attract = logsigmoid(product[:, 0])
        repel = logsigmoid(-product[:, 1:])
        repel = repel.sum(1) if self.negative_weighting == "sum" else repel.mean(1)
        return -(attract + repel).mean(1), None


def _encode(
    encoder: Encoder,
    theta: torch.Tensor,
    X: torch.Tensor | Windows,
    series: np.ndarray,
    start: np.ndarray,
    lengths: np.ndarray,
) -> torch.Tensor:
    """Encode sub-sequences ``[K, B]`` given by series, first step and the clients' lengths."""
    longest = int(lengths.max())
    # Steps past a client's own length are read from within the series and ignored by the encoder.
    step = np.minimum(start[:, None] + np.arange(longest)[:, None], X.shape[1] - 1)
    indices = torch.from_numpy(series[:, None]).to(X.device), torch.from_numpy(step).to(X.device)
    same = (lengths == longest).all()
    own = None if same else torch.from_numpy(lengths).to(X.device)
    return encoder.encode(theta, X[indices], own)
