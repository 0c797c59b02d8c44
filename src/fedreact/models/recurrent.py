"""LSTM layers of K clients at once, forward and backward written out.

    i = s(W_i x + U_i h + b_i)   f = s(W_f x + U_f h + b_f)   o = s(W_o x + U_o h + b_o)
    c = i * g(W_c x + U_c h + b_c) + f * c        h = o * g(c)

with s the sigmoid and g tanh, or the rectifier as in Keras code with ``activation="relu"``. Torch's
own LSTM has no dropout of h from step to step, and neither that rectifier nor several clients at
once. The backward pass by hand takes a few products a step where automatic differentiation would
keep a dozen nodes of each.
"""

from typing import Any

import torch

from fedreact.models.products import linear


class _Steps(torch.autograd.Function):
    """Steps of an LSTM whose inputs are multiplied by their weights already.

    ``gates [K, T, B, 4 H]`` are W x + b, ``recurrent [K, 4 H, H]`` is U, and ``factors [K, B, H]``
    multiply h before U does (``None``: nothing does). The result is all h ``[T, K, B, H]``.
    """

    @staticmethod
    def forward(
        ctx: Any,
        gates: torch.Tensor,
        recurrent: torch.Tensor,
        factors: torch.Tensor | None,
        rectified: bool,
    ) -> torch.Tensor:
        K, T, B, _ = gates.shape
        H = recurrent.shape[2]
        back = recurrent.mT
        activated = gates.new_empty(T, K, B, 4 * H)
        cells, squashed, hidden = (gates.new_empty(T, K, B, H) for _ in range(3))
        inputs = gates.new_zeros(K, T, B, H)  # of U: h of the step before, times the factors
        h = c = gates.new_zeros(K, B, H)
        for t in range(T):
            if t and factors is None:
                inputs[:, t] = h
            elif t and factors is not None:
                torch.mul(h, factors, out=inputs[:, t])
            now = activated[t]
            torch.baddbmm(gates[:, t], inputs[:, t], back, out=now)
            now[..., : 2 * H].sigmoid_()
            now[..., 3 * H :].sigmoid_()
            i, f, g, o = now.chunk(4, -1)
            g.relu_() if rectified else g.tanh_()
            torch.mul(i, g, out=cells[t]).addcmul_(f, c)
            c = cells[t]
            squashed[t] = c
            output = squashed[t].relu_() if rectified else squashed[t].tanh_()
            h = torch.mul(o, output, out=hidden[t])
        ctx.save_for_backward(activated, cells, squashed, inputs, recurrent, factors)
        ctx.rectified = rectified
        return hidden

    @staticmethod
    def backward(
        ctx: Any, grad_hidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, None, None]:
        activated, cells, squashed, inputs, recurrent, factors = ctx.saved_tensors
        T, K, B, H = cells.shape
        # Derivatives that gradients are multiplied by, of all steps at once; then a few products a
        # step.
        i, f, g, o = activated.chunk(4, -1)
        before = torch.cat([torch.zeros_like(cells[:1]), cells[:-1]])
        to_cell = o * ((squashed > 0) if ctx.rectified else 1 - squashed * squashed)
        to_gates = torch.cat(
            [
                g * i * (1 - i),
                before * f * (1 - f),
                i * ((g > 0) if ctx.rectified else 1 - g * g),
            ],
            -1,
        ).unflatten(-1, (3, H))
        to_output_gate = squashed * o * (1 - o)
        grad_gates = cells.new_empty(K, T, B, 4 * H)
        grad_h = grad_hidden[T - 1]
        grad_c: torch.Tensor | None = None
        for t in reversed(range(T)):
            grad = grad_gates[:, t]
            torch.mul(grad_h, to_output_gate[t], out=grad[..., 3 * H :])
            grad_c = grad_h * to_cell[t] if grad_c is None else grad_c.addcmul_(grad_h, to_cell[t])
            first = grad[..., : 3 * H].unflatten(-1, (3, H))
            torch.mul(grad_c[..., None, :], to_gates[t], out=first)
            if t:
                grad_c = grad_c * f[t]
                grad_h = torch.bmm(grad, recurrent)
                grad_h = grad_hidden[t - 1] + (grad_h if factors is None else grad_h * factors)
        rows = grad_gates.view(K, T * B, -1)
        return grad_gates, torch.bmm(rows.mT, inputs.view(K, T * B, H)), None, None


def lstm(
    x: torch.Tensor,
    into: torch.Tensor,
    recurrent: torch.Tensor,
    bias: torch.Tensor,
    factors: torch.Tensor | None = None,
    rectified: bool = False,
) -> torch.Tensor:
    """Compute hidden states ``[K, B, T, H]`` of series ``x [K, B, T, C]``, from zero states on.

    Parameters
    ----------
    into, recurrent, bias
        ``[K, 4 H, C]``, ``[K, 4 H, H]``, ``[K, 4 H]``: rows are input, forget, cell, output gates.
    factors
        ``[K, B, H]``: factors of h before each step, the same at all steps (dropout).
    rectified
        Whether g is the rectifier.
    """
    K, B, T, _ = x.shape
    rows = x.transpose(1, 2).reshape(K, T * B, -1)
    gates = linear(rows, into, bias).view(K, T, B, -1)
    return _Steps.apply(gates, recurrent, factors, rectified).permute(1, 2, 0, 3)
