"""An architecture with a second, personal head on its features."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import torch

from fedreact.models.architectures.contract import WithFeatures
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import Training, linear


@dataclass(frozen=True)
class TwoHeads(FlatWeights):
    """Features of ``base`` with its head, the generic one, and a personal one.

    Attributes
    ----------
    copied
        Whether the personal head begins as a copy of the generic one; else it is drawn by itself
        and has no bias.
    """

    base: WithFeatures
    copied: bool = True
    trains_otherwise: ClassVar[bool] = True

    @property
    def in_channels(self) -> int:
        """Channels of series."""
        return self.base.in_channels

    @property
    def length(self) -> int:
        """Steps of series."""
        return self.base.length

    @property
    def n_out(self) -> int:
        """Outputs."""
        return self.base.n_out

    @property
    def n_features(self) -> int:
        """Length of features."""
        return self.base.n_features

    @property
    def reads_last(self) -> bool:
        """Whether the base reads its outputs after the last step."""
        return self.base.reads_last

    @property
    def shapes(self) -> Shapes:
        """The base's, then the personal head's."""
        shapes, own = self.base.shapes, ("weight", "bias") if self.copied else ("weight",)
        return shapes | {f"personal.{n}": shapes[f"head.{n}"] for n in own}

    @property
    def buffers(self) -> Shapes:
        """The base's."""
        return self.base.buffers

    def multiply_adds(self) -> float:
        """Count multiply-adds of the base and the second head."""
        return self.base.multiply_adds() + self.n_features * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw the base's weights; a personal head of its own, as torch draws linear layers."""
        drawn = self.base.init(generator)
        n = sum(prod(shape) for shape in self.base.shapes.values())
        if self.copied:
            head = drawn[self.base.part("head.")]
        else:
            uniform = torch.rand(self.n_out * self.n_features, generator=generator)
            head = (2 * uniform - 1) / self.n_features**0.5
        return torch.cat([drawn[:n], head, drawn[n:]])

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute features ``[K, B, m]``."""
        of_base = torch.ones(theta.shape[1], dtype=torch.bool)
        of_base[self.part("personal.")] = False
        step = training if self.base.trains_otherwise else None
        return self.base.encode(theta[:, of_base], x, step)

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of the generic head."""
        return linear(h, self.unpack(theta), "head")

    def personal(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of the personal head."""
        w = self.unpack(theta)
        return linear(h, w, "personal") if self.copied else h @ w["personal.weight"].mT

    def forward(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Sum both heads' outputs, ``[K, B, n_out]``."""
        h = self.encode(theta, x, training)
        return self.head(theta, h) + self.personal(theta, h)
