"""TimesNet classifier (Wu et al. 2023, "Temporal 2D-variation modeling"), a supervised baseline.

The classification variant of the Time-Series-Library: a circular convolution of 3 steps without
bias and fixed sinusoidal positions embed the series; each layer takes the ``top_k`` strongest
frequencies of its input, folds the series by each period into a picture of one period a row
(the end padded with zeros), passes it through two inception blocks with a GELU between, and adds
the results, weighted by the softmax of their amplitudes, to its input; one LayerNorm, shared by all
layers, follows each; then GELU and a linear head on all steps and features. The input is not
normalised. Differently from the library: no dropout (0.1 there, after the embedding and before the
head), since its draws would have to come from explicit generators, one a client.

**Sizes.** Table 12 has 89.13 K weights and 17.6 M operations; appendix D names layers, kernels and
feed-forward width, whose values the text at hand lost. Two settings have exactly 89,130 weights
with three channels, 100 steps and ten classes, both with 5 layers and 2 kernels:

* width 16, feed-forward 64, the library's second inception block (1x3, 3x1 and 1x1); the default;
* width 40, feed-forward 12, its first (1x1 and 3x3): the architecture ``timesnet-v1``.

The library defines the second block and uses the first in all its models, the published TimesNet
among them; that speaks for ``timesnet-v1``. The default has powers of two only, as all other sizes
of the paper, and alone can meet the published operations: with one period a layer 14.4 to 19.0 M,
depending on how much the periods found must be padded (100 to 132 of 100 steps), against 9.8 to
12.8 M, or 19.4 M and more with two periods, of the other. Hence ``top_k`` 1 (1 to 3 in the
library's classification scripts).
Both counts include a linear map of 4 calendar features of each step, which the library builds and
its classifier never calls: ``time.weight``, whose gradient is zero.

**Periods** are those of the mean amplitude over a client's batch, so a series' logits depend on the
batch it comes in, here as in the library.
"""

from dataclasses import dataclass
from functools import reduce
from math import prod, sqrt
from operator import add
from typing import NamedTuple

import torch
from torch.nn import functional as F

from fedreact.errors import UserError
from fedreact.models.architectures.contract import check_length
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.positions import sinusoids


class Convolution(NamedTuple):
    """A two-dimensional convolution: kernel ``[out, in, side, side]`` and bias ``[out]``."""

    kernel: torch.Tensor
    bias: torch.Tensor


@dataclass(frozen=True)
class TimesNet(FlatWeights):
    """Shape of the classifier; its weights live in flat vectors, one row a client.

    ``inception`` is the library's version of the block: with 1 there are ``n_kernels`` square
    kernels of sides 1, 3, 5...; with 2, ``n_kernels // 2`` pairs of 1 x s and s x 1 with s = 3,
    5..., and 1 x 1.
    """

    in_channels: int = 3
    n_out: int = 10
    length: int = 100
    width: int = 16
    feed_forward: int = 64
    layers: int = 5
    n_kernels: int = 2
    inception: int = 2
    top_k: int = 1
    time_features: int = 4

    def __post_init__(self):
        if self.inception not in (1, 2):
            raise UserError(f"inception of TimesNet is 1 or 2, not {self.inception!r}")
        if not 1 <= self.top_k <= self.length // 2:
            raise UserError(
                f"TimesNet: top_k is {self.top_k}, but {self.length} steps have "
                f"{self.length // 2} frequencies: choose from 1 to that"
            )

    @property
    def kernels(self) -> list[tuple[int, int]]:
        """Height (periods) and width (steps within one) of the kernels of an inception block."""
        if self.inception == 1:
            return [(2 * i + 1, 2 * i + 1) for i in range(self.n_kernels)]
        sides = [2 * i + 3 for i in range(self.n_kernels // 2)]
        return [shape for s in sides for shape in ((1, s), (s, 1))] + [(1, 1)]

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        d, ff = self.width, self.feed_forward
        shapes: Shapes = {"embedding.weight": (d, self.in_channels, 3)}
        if self.time_features:
            shapes["time.weight"] = (d, self.time_features)
        for i in range(self.layers):
            for name, n_in, n_out in (("conv1", d, ff), ("conv2", ff, d)):
                for j, kernel in enumerate(self.kernels):
                    shapes[f"{i}.{name}.{j}.weight"] = (n_out, n_in, *kernel)
                    shapes[f"{i}.{name}.{j}.bias"] = (n_out,)
        shapes |= {"norm.weight": (d,), "norm.bias": (d,)}
        shapes["head.weight"] = (self.n_out, self.length * d)
        shapes["head.bias"] = (self.n_out,)
        return shapes

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series.

        Each of ``top_k`` pictures counts ``length`` positions, its least: a period that divides it.
        A picture has up to a third more, where the last period is padded.
        """
        block = 2 * self.width * self.feed_forward * sum(prod(kernel) for kernel in self.kernels)
        embedded = 3 * self.in_channels * self.width
        step = embedded + self.layers * self.top_k * block + self.width * self.n_out
        return self.length * step

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as the library does.

        The embedding is normal with variance 2/fan-in, the inception kernels are normal with
        variance 2/fan-out (He et al. 2015), their biases 0; the head and the calendar features
        are uniform within 1/sqrt(fan-in), as of ``torch.nn.Linear``; the LayerNorm starts as the
        identity.
        """
        parts = []
        for name, shape in self.shapes.items():
            if name.startswith("norm"):
                part = torch.full(shape, float(name.endswith("weight")))
            elif "conv" in name and len(shape) == 1:
                part = torch.zeros(shape)
            elif len(shape) > 2:
                fan = prod(shape[1:]) if len(shape) == 3 else prod(shape) / shape[1]
                part = torch.randn(shape, generator=generator) * sqrt(2 / fan)
            else:
                fan = self.time_features if name == "time.weight" else self.length * self.width
                part = (torch.rand(shape, generator=generator) * 2 - 1) / sqrt(fan)
            parts.append(part.flatten())
        return torch.cat(parts)

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``.

        Clients are computed one after the other.

        Raises
        ------
        UserError
            The series have other steps or channels.
        """
        check_length(x, self)
        w = self.unpack(theta)
        # Clients find different periods, so their pictures have different shapes.
        return torch.stack(
            [self._logits({name: v[k] for name, v in w.items()}, x[k]) for k in range(len(x))]
        )

    def _logits(self, w: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[B, n_out]`` of one client's series ``x [B, T, C]``."""
        d = self.width
        h = F.conv1d(F.pad(x.mT, (1, 1), mode="circular"), w["embedding.weight"]).mT
        h = h + sinusoids(self.length, d, w["embedding.weight"].dtype, x.device)
        for i in range(self.layers):
            conv1, conv2 = self._merged(w, f"{i}.conv1"), self._merged(w, f"{i}.conv2")
            h = self._times_block(h, conv1, conv2)
            h = F.layer_norm(h, (d,), w["norm.weight"], w["norm.bias"])
        return F.linear(F.gelu(h).flatten(1), w["head.weight"], w["head.bias"])

    def _merged(self, w: dict[str, torch.Tensor], name: str) -> Convolution:
        """Return the one convolution that the mean of an inception block's amounts to.

        Convolutions are linear in their kernels: the mean of several with centred padding is that
        with the mean of the kernels, each padded to the largest.
        """
        side = max(max(kernel) for kernel in self.kernels)
        kernels, biases = [], []
        for j, (a, b) in enumerate(self.kernels):
            v, u = (side - a) // 2, (side - b) // 2
            kernels.append(F.pad(w[f"{name}.{j}.weight"], (u, u, v, v)))
            biases.append(w[f"{name}.{j}.bias"])
        n = len(self.kernels)
        return Convolution(reduce(add, kernels) / n, reduce(add, biases) / n)

    def _times_block(self, h: torch.Tensor, conv1: Convolution, conv2: Convolution) -> torch.Tensor:
        """Add to ``h [B, T, d]`` the convolutions of its foldings by its periods."""
        B, T, d = h.shape
        weighted = self.top_k > 1  # the softmax of one amplitude is 1
        with torch.set_grad_enabled(weighted and torch.is_grad_enabled()):
            amplitude = torch.fft.rfft(h, dim=1).abs().mean(2)[:, 1:]
            top = amplitude.detach().mean(0).topk(self.top_k).indices
            shares = amplitude[:, top].softmax(1)
        result, padding = h, conv1.kernel.shape[-1] // 2
        for j, frequency in enumerate((top + 1).tolist()):
            period = T // frequency
            rows = -(-T // period)
            # Features come last in memory: this permutation is torch's channels-last format.
            picture = F.pad(h, (0, 0, 0, rows * period - T)).view(B, rows, period, d)
            y = F.gelu(
                F.conv2d(picture.permute(0, 3, 1, 2), conv1.kernel, conv1.bias, padding=padding)
            )
            y = (
                F.conv2d(y, conv2.kernel, conv2.bias, padding=padding)
                .permute(0, 2, 3, 1)
                .reshape(B, -1, d)[:, :T]
            )
            result = result + (y * shares[:, j, None, None] if weighted else y)
        return result


ARCHITECTURE = TimesNet
