"""PatchTST classifier (Nie et al. 2023, "A time series is worth 64 words"), a supervised baseline.

The classification variant of the Time-Series-Library, which Fed-REACT's sizes fit: width 64,
feed-forward 32, 5 layers, patches of 8 steps with stride 8 have 131,050 weights with three
channels, 100 steps and ten classes, the 131.05 K of Table 12 exactly.

1. Each channel of each series is normalised over its own steps to mean 0 and variance 1 (biased,
   plus 1e-5), so its level and scale are lost to the classifier.
2. The last value is repeated ``stride`` times; patches are cut, projected without bias to
   ``width`` and given fixed sinusoidal positions. Channels share all weights but the head's.
3. Transformer layers with normalisation after each residual sum (post-norm LayerNorm, not the
   BatchNorm of Nie et al.), GELU feed-forward, biases everywhere.
4. One more normalisation, ``final_norm``, then one linear head on all channels, patches and
   features.

**The final normalisation.** The library has ``BatchNorm1d`` over the rows of all series, channels
and patches. Its running mean and variance are state that no gradient trains: a federated average
either leaves them out or averages what belongs to each client's own classes. Two stateless
choices with the same 128 weights are offered. ``"layer"`` (default) normalises each row: a series
is then classified the same whatever else is in its batch, in training and in testing.
``"batch"`` uses the statistics of the batch at hand, as the library does in training only; in
testing it then sees the other series of the batch.

**Heads** change no count. Eight are the library's default, and give the head width of 8 that Nie
et al. have (128 over 16). **Dropout** (0.1 in the library, after the embedding, attention,
feed-forward and before the head) is left out: its draws would have to come from explicit
generators, one a client.
"""

from dataclasses import dataclass
from math import sqrt

import torch
from torch.nn import functional as F

from fedreact.errors import UserError
from fedreact.models.architectures.contract import check_length
from fedreact.models.flat import FlatWeights, Shapes
from fedreact.models.layers import linear
from fedreact.models.positions import sinusoids


def _layer_norm(h: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """Normalise each row of ``h [K, R, width]``."""
    width, weight, bias = h.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"]
    if len(h) == 1:  # one fused pass, as torch's layer
        return F.layer_norm(h, width, weight[0], bias[0])
    return torch.addcmul(bias[:, None], F.layer_norm(h, width), weight[:, None])


@dataclass(frozen=True)
class PatchTST(FlatWeights):
    """Shape of the classifier; its weights live in flat vectors, one row a client."""

    in_channels: int = 3
    n_out: int = 10
    length: int = 100
    width: int = 64
    feed_forward: int = 32
    layers: int = 5
    heads: int = 8
    patch: int = 8
    stride: int = 8
    final_norm: str = "layer"

    def __post_init__(self):
        if self.final_norm not in ("layer", "batch"):
            raise UserError(
                f'final_norm of PatchTST is "layer" or "batch", not {self.final_norm!r}'
            )
        if self.width % self.heads:
            raise UserError(f"PatchTST: width {self.width} is no multiple of heads {self.heads}")
        if self.length + self.stride < self.patch:
            raise UserError(
                f"PatchTST: {self.length} steps are too few for a patch of {self.patch}"
            )

    @property
    def n_patches(self) -> int:
        """Patches a channel, the end padded by one stride."""
        return (self.length + self.stride - self.patch) // self.stride + 1

    @property
    def shapes(self) -> Shapes:
        """Name and shape of each weight, in the order of the flat vector."""
        d, ff = self.width, self.feed_forward
        shapes: Shapes = {"patch.weight": (d, self.patch)}
        for i in range(self.layers):
            shapes |= {
                f"{i}.qkv.weight": (3 * d, d),
                f"{i}.qkv.bias": (3 * d,),
                f"{i}.out.weight": (d, d),
                f"{i}.out.bias": (d,),
                f"{i}.norm1.weight": (d,),
                f"{i}.norm1.bias": (d,),
                f"{i}.ff1.weight": (ff, d),
                f"{i}.ff1.bias": (ff,),
                f"{i}.ff2.weight": (d, ff),
                f"{i}.ff2.bias": (d,),
                f"{i}.norm2.weight": (d,),
                f"{i}.norm2.bias": (d,),
            }
        shapes |= {"norm.weight": (d,), "norm.bias": (d,)}
        shapes["head.weight"] = (self.n_out, self.in_channels * self.n_patches * d)
        shapes["head.bias"] = (self.n_out,)
        return shapes

    def multiply_adds(self) -> float:
        """Count multiply-adds for one series.

        Scores and mixtures of attention are each N x N products over the width, in all heads.
        """
        n, d = self.n_patches, self.width
        layer = n * (4 * d * d + 2 * d * self.feed_forward) + 2 * n * n * d
        return self.in_channels * (n * self.patch * d + self.layers * layer + n * d * self.n_out)

    def init(self, generator: torch.Generator) -> torch.Tensor:
        """Draw initial weights ``[P]`` as torch's layers do.

        Matrices and their biases are uniform within 1/sqrt(fan-in), as of ``torch.nn.Linear``,
        which the library uses (``nn.MultiheadAttention`` would be Xavier uniform with zero
        biases); normalisations start as the identity.
        """
        parts, bound = [], 0.0
        for name, shape in self.shapes.items():
            if "norm" in name:
                part = torch.full(shape, float(name.endswith("weight")))
            else:
                bound = 1 / sqrt(shape[1]) if len(shape) > 1 else bound
                part = (torch.rand(shape, generator=generator) * 2 - 1) * bound
            parts.append(part.flatten())
        return torch.cat(parts)

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, n_out]`` of series ``x [K, B, T, C]`` under ``theta [K, P]``.

        Raises
        ------
        UserError
            The series have other steps or channels.
        """
        check_length(x, self)
        K, B, _, C = x.shape
        N, d = self.n_patches, self.width
        w = self.unpack(theta)
        var, mean = torch.var_mean(x, dim=2, keepdim=True, correction=0)
        x = (x - mean) / torch.sqrt(var + 1e-5)
        x = torch.cat([x, x[:, :, -1:].expand(-1, -1, self.stride, -1)], dim=2)
        patches = x.mT.unfold(-1, self.patch, self.stride).reshape(K, B * C * N, self.patch)
        positions = sinusoids(N, d, theta.dtype, x.device).repeat(B * C, 1).expand(K, -1, -1)
        h = torch.baddbmm(positions, patches, w["patch.weight"].mT)
        for i in range(self.layers):
            qkv = linear(h, w, f"{i}.qkv")
            qkv = qkv.view(K * B * C, N, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(*qkv).transpose(1, 2).reshape(K, -1, d)
            h = h + linear(a, w, f"{i}.out")
            h = _layer_norm(h, w, f"{i}.norm1")
            f = F.gelu(linear(h, w, f"{i}.ff1"))
            h = h + linear(f, w, f"{i}.ff2")
            h = _layer_norm(h, w, f"{i}.norm2")
        if self.final_norm == "layer":
            h = _layer_norm(h, w, "norm")
        else:
            var, mean = torch.var_mean(h, dim=1, keepdim=True, correction=0)
            scale = w["norm.weight"][:, None] * torch.rsqrt(var + 1e-5)
            h = torch.addcmul(w["norm.bias"][:, None], h - mean, scale)
        return linear(h.reshape(K, B, -1), w, "head")


ARCHITECTURE = PatchTST
