"""The contract of a supervised architecture: a file of this folder that defines ``ARCHITECTURE``.

``ARCHITECTURE(in_channels=..., length=..., n_out=...)`` makes a model of series of so many channels
and steps, with so many outputs. It may raise a :class:`~fedreact.errors.UserError` where such
series are none for it.
"""

from typing import ClassVar, Protocol, TypeGuard, runtime_checkable

import torch

from fedreact.errors import UserError
from fedreact.models.flat import Shapes
from fedreact.models.layers import Training


class Architecture(Protocol):
    """Parts of a model that training, aggregation and cost counts need.

    Best a frozen dataclass below :class:`fedreact.models.flat.FlatWeights`, which gives all but
    ``shapes``, ``init``, ``forward`` and ``multiply_adds``.

    Attributes
    ----------
    trains_otherwise
        Whether it is a :class:`TrainsOtherwise`.
    """

    trains_otherwise: ClassVar[bool]

    @property
    def in_channels(self) -> int:
        """Channels of series."""

    @property
    def n_out(self) -> int:
        """Outputs for a series."""

    @property
    def length(self) -> int:
        """Steps of series."""

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""

    @property
    def buffers(self) -> Shapes:
        """Name and shape of what no gradient trains, behind the weights: running statistics."""

    @property
    def reads_last(self) -> bool:
        """Whether outputs are read after the last step, as those of recurrent networks are.

        Then a series that is shorter than others ends there, and its padding stands before it.
        """

    @property
    def n_buffers(self) -> int:
        """Number of values in the buffers."""

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector, running statistics included."""

    def unpack(self, theta: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return views of flat weights ``theta [K, P]`` by name, each ``[K, *shape]``."""

    def part(self, *prefixes: str) -> torch.Tensor:
        """Return the places ``int64 [n]`` in the flat vector of weights whose names begin so."""

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]``."""

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""

    def multiply_adds(self) -> float:
        """Count multiply-adds of matrix products and convolutions for one series."""


class TrainsOtherwise(Architecture, Protocol):
    """An architecture that differs in training, by dropout or batch normalisation."""

    def forward(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute outputs as :class:`Architecture` does, in a training step if one is given."""


def trains_otherwise(architecture: Architecture) -> TypeGuard[TrainsOtherwise]:
    """Tell whether ``forward`` takes a :class:`fedreact.models.layers.Training`."""
    return architecture.trains_otherwise


@runtime_checkable
class Features(Protocol):
    """Features of series, and a linear layer on them.

    The layer's weights are called ``head.weight [n_out, m]`` and ``head.bias [n_out]``.
    """

    @property
    def n_features(self) -> int:
        """Length m of features."""

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute features ``[K, B, m]`` of series ``x [K, B, T, C]`` under weights ``[K, P]``."""

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of features."""


class WithFeatures(Architecture, Features, Protocol):
    """An architecture that is a linear layer on features, which some algorithms ask for.

    Another shape of the same kind is made by :func:`dataclasses.replace`.
    """


def with_features(architecture: Architecture) -> WithFeatures:
    """Return an architecture that has features.

    Raises
    ------
    UserError
        The architecture has no features.
    """
    if not isinstance(architecture, Features):
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
