"""Models whose weights lie in flat vectors, one row a client."""

from functools import cache
from math import prod
from typing import ClassVar

import torch


class FlatWeights:
    """What follows from ``shapes``: name and shape of each weight, in the order of the vector.

    ``buffers`` are shapes of what lies behind the weights and is not trained by gradients, e.g. the
    running statistics of a batch normalisation.
    """

    shapes: dict[str, tuple[int, ...]]
    trains_otherwise: ClassVar[bool] = False

    @property
    def buffers(self) -> dict[str, tuple[int, ...]]:
        """None, for most models."""
        return {}

    @property
    def n_buffers(self) -> int:
        """Values of the flat vector, at its end, that are no weights."""
        return sum(prod(shape) for shape in self.buffers.values())

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector."""
        return sum(prod(shape) for shape in self.shapes.values()) + self.n_buffers

    def unpack(self, theta: torch.Tensor) -> dict[str, torch.Tensor]:
        """Views of flat weights ``theta [K, P]`` by name, each ``[K, *shape]``."""
        shapes = {**self.shapes, **self.buffers}
        parts = theta.split([prod(shape) for shape in shapes.values()], dim=1)
        return {
            name: part.unflatten(1, shape) for (name, shape), part in zip(shapes.items(), parts)
        }

    def part(self, *prefixes: str) -> torch.Tensor:
        """Places ``int64 [n]`` in the flat vector of what has a name that begins so."""
        return _part(self, prefixes)


@cache
def _part(model, prefixes):
    shapes = {**model.shapes, **model.buffers}
    wanted = [name.startswith(prefixes) for name in shapes]
    sizes = torch.tensor([prod(shape) for shape in shapes.values()])
    return torch.tensor(wanted).repeat_interleave(sizes).nonzero()[:, 0]
