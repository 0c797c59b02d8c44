"""The contract of a supervised architecture: a file of this folder that defines ``ARCHITECTURE``.

``ARCHITECTURE(in_channels=..., length=..., n_out=...)`` makes a model of series of so many channels
and steps, with so many outputs. It may raise a :class:`~fedreact.errors.UserError` where such
series are none for it.
"""

from typing import Any, ClassVar, Protocol

import torch

from fedreact.errors import UserError


class Architecture(Protocol):
    """What training, aggregation and cost counts need of a model.

    Best a frozen dataclass below :class:`fedreact.models.flat.FlatWeights`, which gives all but
    ``shapes``, ``init``, ``forward`` and ``multiply_adds``.

    Attributes
    ----------
    n_buffers
        Values at the end of the flat vector that no gradient trains: running statistics.
    buffers
        Names and shapes of these.
    trains_otherwise
        Whether ``forward`` takes a :class:`fedreact.models.layers.Training`, since it does
        otherwise in training: dropout, batch normalisation.
    """

    in_channels: int
    n_out: int
    length: int
    n_buffers: int
    buffers: dict[str, tuple[int, ...]]
    trains_otherwise: ClassVar[bool]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector."""

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector, running statistics included."""

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``."""

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under weights ``[K, P]``."""

    def multiply_adds(self) -> float:
        """Multiply-adds of matrix products and convolutions for one series of ``length`` steps."""


class WithFeatures(Architecture, Protocol):
    """An architecture that is a linear layer on features, which some algorithms ask for.

    The layer's weights are called ``head.weight [n_out, m]`` and ``head.bias [n_out]``. Another
    shape of the same kind is made by :func:`dataclasses.replace`.
    """

    n_features: int

    def encode(self, theta: torch.Tensor, x: torch.Tensor, training: Any = None) -> torch.Tensor:
        """Features ``[K, B, m]`` of series ``x [K, B, T, C]`` under weights ``[K, P]``."""

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of features."""


def with_features(architecture: Any) -> WithFeatures:
    """Give an architecture back if it has features, else raise a ``UserError``."""
    if not all(hasattr(architecture, name) for name in ("encode", "head", "n_features")):
        raise UserError(
            f"architecture {type(architecture).__name__} does not say what its features are "
            "(encode, head, n_features); take one that does, as cnn"
        )
    return architecture


def check_length(x: torch.Tensor, architecture: Architecture) -> None:
    """Raise ``UserError`` unless ``x [K, B, T, C]`` has the steps and channels of a model."""
    expected = (architecture.length, architecture.in_channels)
    if tuple(x.shape[2:]) != expected:
        raise UserError(
            f"{type(architecture).__name__} is built for series of {expected[0]} steps and "
            f"{expected[1]} channels, got {x.shape[2]} and {x.shape[3]}: set length and in_channels"
        )
