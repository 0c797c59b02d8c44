"""The CNN of FedST and its baselines (section 5.1 there: "the CNN network" of its references).

It is that of AdaTime (Ragab et al. 2023), which RAINCOAT takes over: three blocks of a convolution
without bias, batch normalisation, ReLU and a pooling of two steps, dropout behind the first, and a
mean over what steps are left (``encoder`` in config/papers/fedst/ledger.yaml).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod, sqrt
from typing import ClassVar

import torch
from torch.nn.functional import max_pool1d

from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import (
    Training,
    batch_norm_of_channels,
    convolve,
    dropout,
    linear,
)

AfterBlock = Callable[[int, torch.Tensor], torch.Tensor]
"""Called with the number of a block and its features ``[K, B, F, T]``, which it may change."""


@dataclass(frozen=True)
class CNN(FlatWeights):
    """Three blocks and a linear head.

    Attributes
    ----------
    widths
        Channels of the blocks; the last are the features.
    kernel, stride
        Kernel and stride of the first convolution; the others have 8 and 1.
    drop
        Dropout after the first block.
    """

    in_channels: int = 9
    n_out: int = 6
    length: int = 128
    widths: tuple[int, int, int] = (64, 128, 128)
    kernel: int = 5
    stride: int = 1
    drop: float = 0.5
    trains_otherwise: ClassVar[bool] = True

    @property
    def n_features(self) -> int:
        """Length m of the features."""
        return self.widths[-1]

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        channels = self.in_channels
        shapes: Shapes = {}
        for i, (width, kernel) in enumerate(zip(self.widths, self._kernels)):
            shapes |= {f"conv{i}.weight": (width, channels, kernel)}
            shapes |= {f"norm{i}.weight": (width,), f"norm{i}.bias": (width,)}
            channels = width
        return shapes | {"head.weight": (self.n_out, channels), "head.bias": (self.n_out,)}

    @property
    def buffers(self) -> Shapes:
        """Running statistics of the normalisations."""
        return {
            f"norm{i}.{name}": (width,)
            for i, width in enumerate(self.widths)
            for name in ("mean", "var")
        }

    @property
    def _kernels(self) -> tuple[int, int, int]:
        return self.kernel, 8, 8

    def steps(self) -> list[tuple[int, int]]:
        """List the steps after each block's convolution, and after its pooling."""
        steps, length = [], self.length
        for i, kernel in enumerate(self._kernels):
            stride = self.stride if i == 0 else 1
            convolved = (length + 2 * (kernel // 2) - kernel) // stride + 1
            length = convolved // 2 + 1
            steps.append((convolved, length))
        return steps

    def multiply_adds(self) -> float:
        """Count multiply-adds of convolutions and head for one series."""
        channels, total = self.in_channels, 0
        for (convolved, _), width, kernel in zip(self.steps(), self.widths, self._kernels):
            total += convolved * width * channels * kernel
            channels = width
        return total + channels * self.n_out

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        parts = []
        for name, shape in {**self.shapes, **self.buffers}.items():
            if name.startswith("norm"):
                value = float(name.endswith(("weight", "var")))
                parts.append(torch.full((prod(shape),), value))
            else:
                fan_in = prod(shape[1:]) if len(shape) > 1 else self.n_features
                draw = torch.rand(prod(shape), generator=generator)
                parts.append((draw * 2 - 1) / sqrt(fan_in))
        return torch.cat(parts)

    def encode(
        self,
        theta: torch.Tensor,
        x: torch.Tensor,
        training: Training | None = None,
        after: AfterBlock = lambda block, h: h,
    ) -> torch.Tensor:
        """Compute features ``[K, B, m]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        w, h = self.unpack(theta), x.transpose(2, 3)
        for i, kernel in enumerate(self._kernels):
            stride = self.stride if i == 0 else 1
            h = convolve(h, w[f"conv{i}.weight"], stride, kernel // 2)
            h = batch_norm_of_channels(h, w, f"norm{i}", training).relu()
            h = max_pool1d(h.flatten(0, 1), 2, 2, 1).unflatten(0, h.shape[:2])
            if i == 0:
                h = dropout(h, self.drop, training)
            h = after(i, h)
        return h.mean(3)

    def head(self, theta: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of features."""
        return linear(h, self.unpack(theta), "head")

    def forward(
        self, theta: torch.Tensor, x: torch.Tensor, training: Training | None = None
    ) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]``."""
        return self.head(theta, self.encode(theta, x, training))


ARCHITECTURE = CNN
