"""Models whose weights lie in flat vectors, one row a client."""

from math import prod

import torch


class FlatWeights:
    """What follows from ``shapes``: name and shape of each weight, in the order of the vector."""

    shapes: dict[str, tuple[int, ...]]

    @property
    def n_parameters(self) -> int:
        """Length P of the flat vector."""
        return sum(prod(shape) for shape in self.shapes.values())

    def unpack(self, theta: torch.Tensor) -> dict[str, torch.Tensor]:
        """Views of flat weights ``theta [K, P]`` by name, each ``[K, *shape]``."""
        shapes = self.shapes
        parts = theta.split([prod(shape) for shape in shapes.values()], dim=1)
        return {
            name: part.unflatten(1, shape) for (name, shape), part in zip(shapes.items(), parts)
        }
