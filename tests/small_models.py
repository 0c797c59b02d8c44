"""A small architecture with batch normalisation and dropout; workers import it by its name."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import torch

from fedreact.models.architectures.cnn import CNN
from fedreact.models.flat import FlatWeights
from fedreact.models.layers import batch_norm, convolve, dropout, linear


@dataclass(frozen=True)
class SmallNet(FlatWeights):
    """Two batch normalisations of different widths, over steps and over series, and dropout.

    ``share`` is dropped behind each of them, or behind the first only.
    """

    in_channels: int = 3
    n_out: int = 2
    length: int = 20
    widths: tuple[int, int] = (6, 4)
    share: float = 0.3
    drop_twice: bool = False
    trains_otherwise: ClassVar[bool] = True

    @property
    def shapes(self):
        a, b = self.widths
        return {
            "first.weight": (a, self.in_channels),
            "first.bias": (a,),
            "norm1.weight": (a,),
            "norm1.bias": (a,),
            "second.weight": (b, a),
            "second.bias": (b,),
            "norm2.weight": (b,),
            "norm2.bias": (b,),
            "head.weight": (self.n_out, b),
            "head.bias": (self.n_out,),
        }

    @property
    def buffers(self):
        a, b = self.widths
        return {"norm1.mean": (a,), "norm1.var": (a,), "norm2.mean": (b,), "norm2.var": (b,)}

    def multiply_adds(self):
        a, b = self.widths
        return self.length * self.in_channels * a + a * b + b * self.n_out

    def init(self, generator):
        parts = []
        for name, shape in {**self.shapes, **self.buffers}.items():
            if name.startswith("norm"):
                parts.append(torch.full((prod(shape),), float(name.endswith(("weight", "var")))))
            else:
                parts.append(torch.randn(prod(shape), generator=generator) / 2)
        return torch.cat(parts)

    def forward(self, theta, x, training=None):
        w = self.unpack(theta)
        K, B, T, _ = x.shape

        def linear(h, name):
            return torch.baddbmm(w[f"{name}.bias"][:, None], h, w[f"{name}.weight"].mT)

        h = linear(x.reshape(K, B * T, -1), "first").view(K, B, T, -1)
        h = batch_norm(h, w, "norm1", training).relu()
        h = dropout(h, self.share, training).mean(2)
        h = batch_norm(linear(h, "second"), w, "norm2", training).relu()
        if self.drop_twice:
            h = dropout(h, self.share, training)
        return linear(h, "head")


@dataclass(frozen=True)
class SmallCNN(CNN):
    """The CNN of FedST for the small federation: features, blocks, batch normalisation, dropout."""

    in_channels: int = 3
    n_out: int = 2
    length: int = 20
    widths: tuple[int, int, int] = (4, 5, 6)


@dataclass(frozen=True)
class SmallBlocks(FlatWeights):
    """Features of two convolutions, without normalisation or dropout."""

    in_channels: int = 3
    n_out: int = 2
    length: int = 20
    widths: tuple[int, int] = (4, 5)

    @property
    def n_features(self):
        return self.widths[-1]

    @property
    def shapes(self):
        a, b = self.widths
        convolutions = {"conv0.weight": (a, self.in_channels, 3), "conv1.weight": (b, a, 3)}
        return convolutions | {"head.weight": (self.n_out, b), "head.bias": (self.n_out,)}

    def multiply_adds(self):
        a, b = self.widths
        return self.length * 3 * (self.in_channels * a + a * b) + b * self.n_out

    def init(self, generator):
        return torch.randn(self.n_parameters, generator=generator) / 2

    def encode(self, theta, x, training=None, after=lambda block, h: h):
        w, h = self.unpack(theta), x.transpose(2, 3)
        for i in range(2):
            h = after(i, convolve(h, w[f"conv{i}.weight"], padding=1).tanh())
        return h.mean(3)

    def head(self, theta, h):
        return linear(h, self.unpack(theta), "head")

    def forward(self, theta, x):
        return self.head(theta, self.encode(theta, x))
