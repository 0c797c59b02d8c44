"""Causal dilated CNN, the encoder of Phase 1 (Franceschi et al. 2019; Fed-REACT, section 4.1.1).

The architecture is that of Franceschi, Dieuleveut and Jaggi (2019, "Unsupervised scalable
representation learning for multivariate time series", section 4): residual blocks of two causal
convolutions with weight normalisation (Salimans and Kingma 2016) and leaky ReLU (slope 0.01),
dilation 2^i in block i, a last block that widens to ``reduced_size``, a maximum over time, and a
linear layer to ``out_channels`` features.

:mod:`fedreact.models.causal_pass` computes it.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import prod, sqrt

import torch

from fedreact.models.causal_pass import Encode
from fedreact.models.flat import FlatWeights, Shapes


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
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector, as in ``Conv1d``."""
        k = self.kernel_size
        shapes: Shapes = {}
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
        """Count multiply-adds for one series of ``length`` steps."""
        step = 0
        for n_in, n_out, _ in self.blocks:
            step += self.kernel_size * (n_in + n_out) * n_out
            step += n_in * n_out if n_in != n_out else 0
        return length * step + self.out_channels * self.reduced_size

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do: uniform within 1/sqrt(fan-in)."""
        parts, bound, v_norm = [], 0.0, torch.empty(0)
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
        return Encode.apply(theta, x, lengths, self)
