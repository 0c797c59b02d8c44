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
    """Multiply rows ``x [K, M, in]`` by weights ``[K, out, in]``, and add biases ``[K, out]``."""
    if by_onednn(x, weight):
        return _Linear.apply(x, weight, bias)
    if bias is None:
        return torch.bmm(x, weight.mT)
    return torch.baddbmm(bias[:, None], x, weight.mT)


def by_onednn(x: torch.Tensor, weight: torch.Tensor) -> bool:
    """Tell whether oneDNN computes a product of this kind and size."""
    large = x.shape[1] * weight.shape[1] * weight.shape[2] >= SMALLEST
    return large and ONEDNN is not None and x.dtype == torch.float32 and x.device.type == "cpu"


class _Linear(torch.autograd.Function):
    """Both passes by oneDNN, one client after the other."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return _each(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        needed = ctx.needs_input_grad
        return (
            _each(grad, weight.mT) if needed[0] else None,
            _each(grad.mT, x.mT) if needed[1] else None,
            grad.sum(1) if needed[2] else None,
        )


def _each(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Return ``x w' + b`` of each client."""
    if ONEDNN is None:
        raise RuntimeError("torch was built without oneDNN")
    biases = [None] * len(x) if bias is None else bias
    return torch.stack([ONEDNN(a, w, b, "none", [], "") for a, w, b in zip(x, weight, biases)])
