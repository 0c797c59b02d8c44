"""The contract of an encoder of Phase 1: a file of ``models/encoders/`` that defines ``ENCODER``.

``ENCODER(in_channels=...)`` makes an encoder of series with so many channels.
"""

from math import nan
from typing import Protocol, runtime_checkable

import torch


class Encoder(Protocol):
    """An encoder of series into features; its weights are flat vectors, one row a client.

    Best a frozen dataclass below :class:`fedreact.models.flat.FlatWeights`: its ``repr`` is part of
    a checkpoint's fingerprint, and processes that train get it pickled. GFLOPs are counted if it is
    a :class:`CountedEncoder` too.
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
        """Compute features ``[K, B, F]`` of series ``x [K, L, B, channels]`` under ``[K, P]``.

        The first ``lengths[k]`` steps of client k count (``int64 [K]``; ``None``: all L); later
        steps must not change the result. L is 1 or more.
        """


@runtime_checkable
class CountedEncoder(Protocol):
    """An encoder that counts its operations."""

    def multiply_adds(self, length: float) -> float:
        """Count the multiply-adds of one series of so many steps."""


def multiply_adds(encoder: Encoder, length: float) -> float:
    """Count the multiply-adds of one series; NaN for an encoder that does not count them."""
    return encoder.multiply_adds(length) if isinstance(encoder, CountedEncoder) else nan
