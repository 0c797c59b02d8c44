"""Products of matrices of K clients, large ones by oneDNN.

Torch multiplies float32 matrices by MKL, which on AMD's processors leaves AVX-512 unused; oneDNN,
which torch brings along, is twice as fast there (``python benchmarks/products.py``, with errors).
It takes a primitive for each shape, half a millisecond the first time, so small products stay
where they are. Which way a product goes follows from its shape alone, so that the same inputs give
the same bits for any number of workers.
"""

from typing import Any

import torch

from fedreact import private

SMALLEST = 2**22
"""Multiply-adds of a client from which on oneDNN is worth its call."""

ONEDNN = private.onednn_linear()
"""``x w' + b``, or ``None`` where torch was built without it."""


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Rows ``x [K, M, in]`` through weights ``[K, out, in]`` and biases ``[K, out]``."""
    if by_onednn(x, weight):
        return _Linear.apply(x, weight, bias)
    if bias is None:
        return torch.bmm(x, weight.mT)
    return torch.baddbmm(bias[:, None], x, weight.mT)


def by_onednn(x: torch.Tensor, weight: torch.Tensor) -> bool:
    """Whether a product is of the kind and size for which oneDNN is taken."""
    large = x.shape[1] * weight.shape[1] * weight.shape[2] >= SMALLEST
    return large and ONEDNN is not None and x.dtype == torch.float32 and x.device.type == "cpu"


class _Linear(torch.autograd.Function):
    """Both ways by oneDNN, a client after the other."""

    @staticmethod
    def forward(ctx: Any, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return _each(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, of_result):
        x, weight = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        return (
            _each(of_result, weight.mT) if wanted[0] else None,
            _each(of_result.mT, x.mT) if wanted[1] else None,
            of_result.sum(1) if wanted[2] else None,
        )


def _each(x, weight, bias=None):
    """``x w' + b`` of each client."""
    biases = [None] * len(x) if bias is None else bias
    return torch.stack([ONEDNN(a, w, b, "none", [], "") for a, w, b in zip(x, weight, biases)])
