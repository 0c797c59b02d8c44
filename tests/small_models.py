"""A small architecture with batch normalisation and dropout; workers import it by its name."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import torch

from fedreact.models.flat import FlatWeights
from fedreact.models.layers import batch_norm, dropout


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
