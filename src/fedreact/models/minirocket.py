"""MiniRocket: fixed convolutions, thresholds, and a linear layer on shares of steps above these.

Dempster, Schmidt and Webb 2021, "MiniRocket: A very fast (almost) deterministic transform for time
series classification", KDD, section 3. A kernel has 9 weights, of which three are 2 and six are -1,
so that there are 84. Each is dilated by d in 1 ... (T - 1) / 8, spaced evenly on a log scale, and
has thresholds b for each d. Of a series x,

    z_t = sum_j w_j x_{t + (j - 4) d},    feature = share of the steps t at which z_t > b   (PPV)

Every other kernel is padded with zeros, the others skip steps near the ends. With several channels,
z sums over some of them, which are drawn once for all (the authors' extension to such series). In
the paper, b is a quantile of z of a random train series; here it is the mean of this quantile over
train series, which is a sum over clients.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import log2, sqrt

import numpy as np
import torch

from fedreact.models.flat import FlatWeights, Shapes
from fedreact.rng import generator

KERNELS = np.array(
    [[2 if j in three else -1 for j in range(9)] for three in combinations(range(9), 3)]
)
"""Weights of the kernels, ``[84, 9]``."""

MOST_DILATIONS, MOST_CHANNELS = 32, 9
BATCH = 64


@dataclass(frozen=True)
class MiniRocket(FlatWeights):
    """The thresholds and the linear layer are its weights.

    Attributes
    ----------
    wanted
        Features; the number is lowered to a multiple of 84.
    """

    in_channels: int
    length: int
    n_out: int
    wanted: int

    @property
    def n_features(self) -> int:
        """Number m of features."""
        return 84 * max(self.wanted // 84, 1)

    @property
    def shapes(self) -> Shapes:
        """Thresholds, then the linear layer."""
        m, c = self.n_features, self.n_out
        return {"thresholds": (m,), "head.weight": (c, m), "head.bias": (c,)}

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Return zeros: nothing is drawn."""
        return torch.zeros(self.n_parameters)

    def multiply_adds(self) -> float:
        """Count, of a train series, convolutions and the products of features for a ridge."""
        channels = sum(layer.mask.sum() for layer in layers(self))
        m = self.n_features
        return float(9 * self.length * channels + m * (m + self.n_out))

    def encode(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute features ``[K, B, m]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``."""
        b = self.unpack(theta)["thresholds"]
        return torch.stack([torch.cat([*self._shares(b_k, x_k)], 1) for b_k, x_k in zip(b, x)])

    def _shares(self, b: torch.Tensor, x: torch.Tensor) -> Iterator[torch.Tensor]:
        """Yield features ``[B, 84 n]`` of each dilation; ``b [m]``, ``x [B, T, C]``."""
        start = 0
        for layer in layers(self):
            z, stop = layer.convolve(x), start + 84 * layer.n
            above = (z[:, :, None] > b[start:stop].view(84, layer.n, 1)).float()
            margin = 4 * layer.dilation
            share = above.mean(-1)
            share[:, layer.cut] = above[:, layer.cut, :, margin : self.length - margin].mean(-1)
            yield share.flatten(1)
            start = stop

    def quantiles(self, x: torch.Tensor) -> torch.Tensor:
        """Compute the quantile ``[B, m]`` of each convolution of ``x [B, T, C]`` by feature."""
        found, start = [], 0
        for layer in layers(self):
            stop = start + 84 * layer.n
            numbers = np.arange(start + 1, stop + 1)
            place = torch.from_numpy((numbers * (sqrt(5) + 1) / 2 % 1) * (self.length - 1)).to(x)
            place = place.view(84, layer.n).expand(len(x), -1, -1)
            z, low = layer.convolve(x).sort(-1).values, place.long()
            below, above = z.gather(-1, low), z.gather(-1, (low + 1).clamp(max=self.length - 1))
            found.append(torch.lerp(below, above, place - low).flatten(1))
            start = stop
        return torch.cat(found, 1)

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]``."""
        w = self.unpack(theta)
        return self.encode(theta, x) @ w["head.weight"].mT + w["head.bias"][:, None]


@dataclass(frozen=True)
class Dilated:
    """All kernels with one dilation.

    Attributes
    ----------
    n
        Features of each kernel.
    mask
        ``bool [84, C]``: channels that each kernel reads.
    cut
        Kernels that skip the steps near the ends.
    """

    dilation: int
    n: int
    mask: np.ndarray
    cut: slice

    def convolve(self, x: torch.Tensor) -> torch.Tensor:
        """Compute z ``[B, 84, T]`` of series ``x [B, T, C]``."""
        T, d = x.shape[1], self.dilation
        padded = torch.nn.functional.pad(x.mT, (4 * d, 4 * d))
        steps = torch.cat([padded[..., j * d : j * d + T] for j in range(9)], 1)  # [B, 9 C, T]
        weights = (KERNELS[:, :, None] * self.mask[:, None]).reshape(84, -1)
        return torch.from_numpy(weights).to(x) @ steps


@cache
def layers(model: MiniRocket) -> list[Dilated]:
    """List the dilations of a model, each with the number of features of a kernel."""
    total, C = model.n_features // 84, model.in_channels
    exponents = np.linspace(0, log2((model.length - 1) / 8), min(total, MOST_DILATIONS))
    dilations, counts = np.unique((2**exponents).astype(int), return_counts=True)
    counts = counts * total // counts.sum()
    counts[: total - counts.sum()] += 1
    rng, made = generator(0, "channels of MiniRocket"), []
    for i, (dilation, n) in enumerate(zip(dilations.tolist(), counts.tolist())):
        mask = np.zeros((84, C), bool)
        for row in mask:
            most = log2(min(C, MOST_CHANNELS) + 1)
            row[rng.choice(C, int(2 ** rng.uniform(0, most)), replace=False)] = True
        made.append(Dilated(dilation, n, mask, slice((i + 1) % 2, None, 2)))
    return made
