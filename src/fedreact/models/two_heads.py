"""An architecture with a second, personal head on its features."""

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import torch

from fedreact.models.flat import FlatWeights
from fedreact.models.layers import Training, linear


@dataclass(frozen=True)
class TwoHeads(FlatWeights):
    """Features of ``base`` with its head, the generic one, and a personal one of the same shape."""

    base: Any
    trains_otherwise: ClassVar[bool] = True

    @property
    def n_out(self) -> int:
        """Outputs."""
        return self.base.n_out

    @property
    def n_features(self) -> int:
        """Length of features."""
        return self.base.n_features

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The base's, then the personal head's."""
        of_base = self.base.shapes
        return of_base | {f"personal.{of}": of_base[f"head.{of}"] for of in ("weight", "bias")}

    @property
    def buffers(self) -> dict[str, tuple[int, ...]]:
        """The base's."""
        return self.base.buffers

    def multiply_adds(self) -> float:
        """Multiply-adds of the base and the second head."""
        return self.base.multiply_adds() + self.n_features * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """The base's weights; the personal head begins as the generic one."""
        drawn = self.base.init(generator)
        n = sum(prod(shape) for shape in self.base.shapes.values())
        head = drawn[self.base.part("head.")]
        return torch.cat([drawn[:n], head, drawn[n:]])

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Features ``[K, B, m]``."""
        own = self.part("personal.")
        kept = torch.ones(theta.shape[1], dtype=torch.bool)
        kept[own] = False
        if not self.base.trains_otherwise:
            return self.base.encode(theta[:, kept], x)
        return self.base.encode(theta[:, kept], x, training)

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of the generic head."""
        return linear(h, self.unpack(theta), "head")

    def personal(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Outputs ``[K, B, n_out]`` of the personal head."""
        return linear(h, self.unpack(theta), "personal")

    def forward(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """The sum of both heads' outputs, ``[K, B, n_out]``."""
        h = self.encode(theta, x, training)
        return self.head(theta, h) + self.personal(theta, h)
