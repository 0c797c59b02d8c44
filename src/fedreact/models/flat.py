"""Models whose weights lie in flat vectors, one row a client."""

from functools import cache
from math import prod
from typing import ClassVar

import torch

Shapes = dict[str, tuple[int, ...]]
"""Shape of each weight of one model by its name, in the order of the flat vector."""


class FlatWeights:
    """Base class of models that give ``shapes``: the parts of their flat vectors.

    A subclass may also give ``buffers``.

    Attributes
    ----------
    trains_otherwise
        Whether the model differs in training: see
        :class:`fedreact.models.architectures.contract.TrainsOtherwise`.
    """

    trains_otherwise: ClassVar[bool] = False

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        raise NotImplementedError

    @property
    def buffers(self) -> Shapes:
        """Values behind the weights that no gradient trains, e.g. running statistics; none here."""
        return {}

    @property
    def reads_last(self) -> bool:
        """Whether outputs are read after the last step, as those of recurrent networks are.

        Then a series that is shorter than others ends there, and its padding stands before it.
        """
        return False

    @property
    def n_buffers(self) -> int:
        """Values of the flat vector, at its end, that are no weights."""
        return sum(prod(shape) for shape in self.buffers.values())

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector."""
        return sum(prod(shape) for shape in self.shapes.values()) + self.n_buffers

    def unpack(self, theta: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return views of flat weights ``theta [K, P]`` by name, each ``[K, *shape]``."""
        shapes = {**self.shapes, **self.buffers}
        parts = theta.split([prod(shape) for shape in shapes.values()], dim=1)
        return {
            name: part.unflatten(1, shape) for (name, shape), part in zip(shapes.items(), parts)
        }

    def part(self, *prefixes: str) -> torch.Tensor:
        """Return the places ``int64 [n]`` in the flat vector of weights whose names begin so."""
        return _part(self, prefixes)


@cache
def _part(model: FlatWeights, prefixes: tuple[str, ...]) -> torch.Tensor:
    """Return what :meth:`FlatWeights.part` does, once for each model."""
    shapes = {**model.shapes, **model.buffers}
    chosen = [name.startswith(prefixes) for name in shapes]
    sizes = torch.tensor([prod(shape) for shape in shapes.values()])
    return torch.tensor(chosen).repeat_interleave(sizes).nonzero()[:, 0]
