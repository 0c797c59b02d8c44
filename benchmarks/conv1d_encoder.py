"""The encoder and loss in the plain formulation that Franceschi et al. (2019) describe.

Each convolution is a ``torch.nn.functional.conv1d`` padded on both sides and cut on the right, each
negative sample has a forward and a backward pass of its own. Tests hold the package's encoder to
this one; the benchmark compares their speed.
"""

import torch
from torch.nn.functional import conv1d, leaky_relu, logsigmoid

from fedreact.losses import SubSequences
from fedreact.models.causal_cnn import CausalCNN


class Conv1dEncoder:
    """Encoder on series ``[B, channels, L]`` with weights from a flat vector ``[P]``."""

    def __init__(self, shape: CausalCNN, theta: torch.Tensor):
        self.shape = shape
        self.theta = theta.detach().clone().requires_grad_()

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Features ``[B, out_channels]``."""
        w = {name: part[0] for name, part in self.shape.unpack(self.theta[None]).items()}
        for i, (_, _, dilation) in enumerate(self.shape.blocks):
            skip = x
            if f"{i}.skip.weight" in w:
                skip = conv1d(x, w[f"{i}.skip.weight"][:, :, None], w[f"{i}.skip.bias"])
            for name in (f"{i}.conv1", f"{i}.conv2"):
                v, g = w[f"{name}.v"], w[f"{name}.g"]
                weight = g[:, None, None] * v / v.norm(dim=(1, 2), keepdim=True)
                padding = (self.shape.kernel_size - 1) * dilation
                x = conv1d(x, weight, w[f"{name}.bias"], padding=padding, dilation=dilation)
                x = leaky_relu(x[:, :, :-padding], 0.01)
            x = x + skip
        pooled = torch.nn.functional.adaptive_max_pool1d(leaky_relu(x, 0.01), 1)[:, :, 0]
        return pooled @ w["linear.weight"].T + w["linear.bias"]


def train_step(
    encoder: Conv1dEncoder, X: torch.Tensor, draws: SubSequences, step: int, weight: float
) -> float:
    """Accumulate the gradient of eq. 1 in ``encoder.theta.grad``; returns the loss.

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
