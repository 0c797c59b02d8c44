"""The encoder and loss in the plain formulation that Franceschi et al. (2019) describe.

A ``torch.nn.Module`` of ``Conv1d`` with weight normalisation, padded on both sides and cut on the
right; each negative sample has a forward and a backward pass of its own. Tests hold the package's
encoder to this one; the benchmark compares their speed.
"""

import torch
from torch import nn
from torch.nn.functional import logsigmoid
from torch.nn.utils.parametrizations import weight_norm

from fedreact.losses.contrastive import SubSequences
from fedreact.models.causal_cnn import CausalCNN


class Cut(nn.Module):
    """Leave out the last steps."""

    def __init__(self, steps: int):
        super().__init__()
        self.steps = steps

    def forward(self, x):
        """Map ``[B, C, L]`` to ``[B, C, L - steps]``."""
        return x[:, :, : -self.steps]


class Block(nn.Module):
    """Two causal convolutions with leaky ReLU, and a skip connection without activation."""

    def __init__(self, n_in: int, n_out: int, kernel_size: int, dilation: int):
        super().__init__()
        padding = (kernel_size - 1) * dilation
        layers = []
        for width in (n_in, n_out):
            conv = nn.Conv1d(width, n_out, kernel_size, padding=padding, dilation=dilation)
            layers += [weight_norm(conv), Cut(padding), nn.LeakyReLU()]
        self.causal = nn.Sequential(*layers)
        self.skip = nn.Conv1d(n_in, n_out, 1) if n_in != n_out else None

    def forward(self, x):
        """Map ``[B, n_in, L]`` to ``[B, n_out, L]``."""
        return self.causal(x) + (x if self.skip is None else self.skip(x))


class Conv1dEncoder(nn.Sequential):
    """Encoder on series ``[B, channels, L]`` with weights from a flat vector ``[P]``."""

    def __init__(self, shape: CausalCNN, theta: torch.Tensor):
        blocks = [Block(n_in, n_out, shape.kernel_size, d) for n_in, n_out, d in shape.blocks]
        last = nn.Linear(shape.reduced_size, shape.out_channels)
        super().__init__(*blocks, nn.AdaptiveMaxPool1d(1), nn.Flatten(), last)
        self.to(theta.dtype)
        with torch.no_grad():
            weights = shape.unpack(theta[None])
            for (name, values), parameter in zip(weights.items(), self.in_order(), strict=True):
                assert values.numel() == parameter.numel(), name
                parameter.copy_(values.reshape(parameter.shape))

    def in_order(self) -> list[nn.Parameter]:
        """List the parameters in the order of the flat vector: direction, norm, bias."""
        parameters = []
        for block in self:
            if isinstance(block, Block):
                for conv in (block.causal[0], block.causal[3]):
                    norm = conv.parametrizations.weight
                    parameters += [norm.original1, norm.original0, conv.bias]
                if block.skip is not None:
                    parameters += [block.skip.weight, block.skip.bias]
        return [*parameters, self[-1].weight, self[-1].bias]

    def gradient(self) -> torch.Tensor:
        """Return the gradient as a flat vector ``[P]``."""
        return torch.cat([parameter.grad.flatten() for parameter in self.in_order()])


def train_step(
    encoder: Conv1dEncoder, X: torch.Tensor, draws: SubSequences, step: int, weight: float
) -> float:
    """Accumulate the gradient of eq. 1, its negatives times ``weight``; return the loss.

    ``X [N, channels, T]``. The anchors and positives are passed once; each negative is passed and
    propagated back on its own, which keeps memory low.
    """
    long, short = draws.anchor_length[step], draws.short_length[step]

    def encode(series, start, length):
        pieces = [X[i, :, s : s + length] for i, s in zip(series, start)]
        return encoder(torch.stack(pieces))

    anchor = encode(draws.anchor[step], draws.anchor_start[step], long)
    positive = encode(draws.anchor[step], draws.positive_start[step], short)
    loss = -logsigmoid((anchor * positive).sum(1)).mean()
    loss.backward(retain_graph=True)
    total = loss.item()
    n_negatives = len(draws.negative[step])
    for r, (series, start) in enumerate(zip(draws.negative[step], draws.negative_start[step])):
        negative = encode(series, start, short)
        loss = -weight * logsigmoid(-(anchor * negative).sum(1)).mean()
        loss.backward(retain_graph=r < n_negatives - 1)
        total += loss.item()
    return total
