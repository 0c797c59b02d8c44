"""Descriptions of layers, by which models of several owners name their parts.

A model that is divided among clients and a server names the layers of each owner
(:mod:`fedreact.kinds.split.contract`), and :mod:`fedreact.models.passing` computes them. Nothing
here loads torch. Weights are laid out as torch has them; an LSTM has one bias of its gates, as in
Keras, where torch has two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Dense:
    """A fully connected layer, ``[..., into]`` to ``[..., out]``."""

    into: int
    out: int
    bias: bool = True

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight."""
        bias = {"bias": (self.out,)} if self.bias else {}
        return {"weight": (self.out, self.into), **bias}


@dataclass(frozen=True)
class Conv:
    """A convolution over steps without padding, ``[T, into]`` to ``[T - length + 1, out]``."""

    into: int
    out: int
    length: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight; rows run through the channels of each step in turn."""
        return {"weight": (self.out, self.length * self.into), "bias": (self.out,)}


@dataclass(frozen=True)
class LSTM:
    """An LSTM, ``[T, into]`` to ``[T, out]``; rows are input, forget, cell and output gates."""

    into: int
    out: int

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight."""
        gates = 4 * self.out
        return {"input": (gates, self.into), "recurrent": (gates, self.out), "bias": (gates,)}


Layer = Dense | Conv | LSTM
Layers = Mapping[str, Layer]


def shapes_of(layers: Layers) -> dict[str, tuple[int, ...]]:
    """List shapes of all weights by ``<layer>.<weight>``, in the order of the flat vector."""
    return {
        f"{name}.{key}": shape
        for name, layer in layers.items()
        for key, shape in layer.shapes.items()
    }


def count(layers: Layers) -> int:
    """Count the weights of some layers."""
    return sum(prod(shape) for shape in shapes_of(layers).values())
