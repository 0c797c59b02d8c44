"""Causal dilated CNN, the encoder of Phase 1 (Franceschi et al. 2019; Fed-REACT, section 4.1.1).

The architecture is that of Franceschi, Dieuleveut and Jaggi (2019, "Unsupervised scalable
representation learning for multivariate time series", section 4): residual blocks of two causal
convolutions with weight normalisation (Salimans and Kingma 2016) and leaky ReLU (slope 0.01),
dilation 2^i in block i, a last block that widens to ``reduced_size``, a maximum over time, and a
linear layer to ``out_channels`` features.

Two things are done differently from a chain of ``torch.nn.Conv1d``, with the same results:

* **Time-major rows.** Activations are matrices ``[L * B, C]`` whose row ``t * B + b`` is step t of
  series b. A lag of s steps is then an offset of s * B rows, so each kernel tap is one matrix
  product over a contiguous slice, accumulated in place: nothing is padded, copied or cut, and a
  tap whose lag reaches before the first step of every series is not computed at all.
* **Stacked clients.** All tensors have a leading axis K, one slice a client, with its own weights.
  K = 1 is one client (a CPU worker), K > 1 all clients of a round at once (a GPU).
"""

from dataclasses import dataclass
from itertools import pairwise
from math import prod, sqrt

import torch

from fedreact.models.flat import FlatWeights

LEAKY_SLOPE = 0.01


class _CausalConv(torch.autograd.Function):
    """Leaky ReLU of a causal dilated convolution, one matrix product per kernel tap."""

    @staticmethod
    def forward(ctx, x, taps, bias, row_lags, slope):
        """Convolve rows ``x [K, R, in]`` by ``taps [K, k, in, out]``; see :func:`causal_conv`."""
        y = torch.baddbmm(bias[:, None], x, taps[:, -1])
        rows = x.shape[1]
        for j, lag in enumerate(row_lags):
            if lag < rows:
                y[:, lag:].baddbmm_(x[:, : rows - lag], taps[:, j])
        if slope != 1.0:
            torch.nn.functional.leaky_relu_(y, slope)
        ctx.save_for_backward(x, taps, y)
        ctx.row_lags, ctx.slope = row_lags, slope
        return y

    @staticmethod
    def backward(ctx, dy):
        """Return the gradients of x, taps and bias."""
        x, taps, y = ctx.saved_tensors
        if ctx.slope != 1.0:
            dy = torch.ops.aten.leaky_relu_backward(dy, y, ctx.slope, True)
        rows = x.shape[1]
        dtaps = torch.zeros_like(taps)
        torch.bmm(x.mT, dy, out=dtaps[:, -1])
        dx = torch.bmm(dy, taps[:, -1].mT) if ctx.needs_input_grad[0] else None
        for j, lag in enumerate(ctx.row_lags):
            if lag < rows:
                torch.bmm(x[:, : rows - lag].mT, dy[:, lag:], out=dtaps[:, j])
                if dx is not None:
                    dx[:, : rows - lag].baddbmm_(dy[:, lag:], taps[:, j].mT)
        return dx, dtaps, dy.sum(1), None, None


@dataclass(frozen=True)
class CausalCNN(FlatWeights):
    """Shape of the encoder; its weights live in flat vectors, one row a client.

    The defaults are the encoder whose parameters the paper's Table 12 counts: 153,380, and
    156,590 with a head of ten classes.
    """

    in_channels: int = 3
    channels: int = 20
    depth: int = 5
    reduced_size: int = 160
    kernel_size: int = 3
    out_channels: int = 320

    @property
    def blocks(self) -> list[tuple[int, int, int]]:
        """``(in, out, dilation)`` of each residual block."""
        widths = [self.in_channels] + [self.channels] * self.depth + [self.reduced_size]
        return [(a, b, 2**i) for i, (a, b) in enumerate(pairwise(widths))]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, in the order of the flat vector, as Conv1d has them."""
        k = self.kernel_size
        shapes = {}
        for i, (n_in, n_out, _) in enumerate(self.blocks):
            for name, width in (("conv1", n_in), ("conv2", n_out)):
                shapes[f"{i}.{name}.v"] = (n_out, width, k)
                shapes[f"{i}.{name}.g"] = (n_out,)
                shapes[f"{i}.{name}.bias"] = (n_out,)
            if n_in != n_out:
                shapes[f"{i}.skip.weight"] = (n_out, n_in)
                shapes[f"{i}.skip.bias"] = (n_out,)
        shapes["linear.weight"] = (self.out_channels, self.reduced_size)
        shapes["linear.bias"] = (self.out_channels,)
        return shapes

    def multiply_adds(self, length: float) -> float:
        """Multiply-adds for one series of ``length`` steps."""
        step = 0
        for n_in, n_out, _ in self.blocks:
            step += self.kernel_size * (n_in + n_out) * n_out
            step += n_in * n_out if n_in != n_out else 0
        return length * step + self.out_channels * self.reduced_size

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        parts, bound, v_norm = [], 0.0, None
        for name, shape in self.shapes.items():
            if len(shape) > 1:
                bound = 1 / sqrt(prod(shape[1:]))
            if name.endswith(".g"):
                part = v_norm
            else:
                part = (torch.rand(shape, generator=generator) * 2 - 1) * bound
            if name.endswith(".v"):
                v_norm = part.flatten(1).norm(dim=1)
            parts.append(part.flatten())
        return torch.cat(parts)

    def encode(
        self, theta: torch.Tensor, x: torch.Tensor, lengths: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Encode a batch of series of each of K clients.

        Parameters
        ----------
        theta
            ``[K, P]`` weights.
        x
            ``[K, L, B, in_channels]``, time before series (time-major).
        lengths
            ``int64 [K]``: client k's series have ``lengths[k]`` steps, what follows is ignored
            (convolutions are causal, so only the maximum over time must leave it out).
            ``None``: all L.

        Returns
        -------
        torch.Tensor
            Features ``[K, B, out_channels]``.
        """
        K, L, B, _ = x.shape
        w = self.unpack(theta)
        h = x.reshape(K, L * B, -1)
        for i, (_, _, dilation) in enumerate(self.blocks):
            lags = [(self.kernel_size - 1 - j) * dilation * B for j in range(self.kernel_size - 1)]
            skip = h
            if f"{i}.skip.weight" in w:
                skip = torch.baddbmm(w[f"{i}.skip.bias"][:, None], h, w[f"{i}.skip.weight"].mT)
            for name in (f"{i}.conv1", f"{i}.conv2"):
                v, g = w[f"{name}.v"], w[f"{name}.g"]
                norm = v.flatten(2).norm(dim=2)
                taps = (v * (g / norm)[..., None, None]).permute(0, 3, 2, 1).contiguous()
                h = _CausalConv.apply(*_cast(h, taps, w[f"{name}.bias"]), lags, LEAKY_SLOPE)
            h = h + skip
        h = h.view(K, L, B, -1)
        if lengths is not None:
            ended = torch.arange(L, device=x.device) >= lengths[:, None]
            h = h.masked_fill(ended[:, :, None, None], -torch.inf)
        pooled = h.max(dim=1).values
        return torch.baddbmm(w["linear.bias"][:, None], pooled, w["linear.weight"].mT)


def _cast(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Bring tensors to the type of autocast, which a function of one's own does not do."""
    device = tensors[0].device.type
    if not torch.is_autocast_enabled(device):
        return tensors
    return tuple(tensor.to(torch.get_autocast_dtype(device)) for tensor in tensors)
