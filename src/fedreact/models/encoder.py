"""What Phase 1 needs of an encoder: of the causal CNN, or of one of a user's own.

An encoder is a file of ``models/encoders/`` that defines ``ENCODER``, which makes one from a number
of channels.
"""

from typing import Protocol

import torch


class Encoder(Protocol):
    """An encoder of series into features; its weights are flat vectors, one row a client.

    Best a frozen dataclass below :class:`fedreact.models.flat.FlatWeights`: its ``repr`` is part of
    a checkpoint's fingerprint, and processes that train get it pickled. If it also has
    ``multiply_adds(length) -> float``, those of one series of so many steps, GFLOPs are counted.
    """

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector."""

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector."""

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``float32 [P]``."""

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, lengths: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Features ``[K, B, F]`` of series ``x [K, L, B, channels]`` under weights ``[K, P]``.

        The first ``lengths[k]`` steps of client k count (``int64 [K]``; ``None``: all L); later
        steps must not change the result. L is 1 or more.
        """
