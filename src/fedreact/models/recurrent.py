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

    ``gates [K, T, B, 4 H]`` are W x + b, ``recurrent [K, 4 H, H]`` is U, ``kept [K, B, H]``
    multiplies h before U does (``None``: nothing does). Gives all h ``[T, K, B, H]``.
    """

    @staticmethod
    def forward(ctx: Any, gates, recurrent, kept, rectified: bool) -> torch.Tensor:
        K, T, B, H = *gates.shape[:3], recurrent.shape[2]
        back = recurrent.mT
        done = gates.new_empty(T, K, B, 4 * H)
        cells, seen, hidden = (gates.new_empty(T, K, B, H) for _ in range(3))
        given = gates.new_zeros(K, T, B, H)
        h = c = gates.new_zeros(K, B, H)
        for t in range(T):
            if t and kept is None:
                given[:, t] = h
            elif t:
                torch.mul(h, kept, out=given[:, t])
            now = done[t]
            torch.baddbmm(gates[:, t], given[:, t], back, out=now)
            now[..., : 2 * H].sigmoid_()
            now[..., 3 * H :].sigmoid_()
            i, f, g, o = now.chunk(4, -1)
            g.relu_() if rectified else g.tanh_()
            torch.mul(i, g, out=cells[t]).addcmul_(f, c)
            c = cells[t]
            seen[t] = c
            shown = seen[t].relu_() if rectified else seen[t].tanh_()
            h = torch.mul(o, shown, out=hidden[t])
        ctx.save_for_backward(done, cells, seen, given, recurrent, kept)
        ctx.rectified = rectified
        return hidden

    @staticmethod
    def backward(ctx: Any, of_hidden):
        done, cells, seen, given, recurrent, kept = ctx.saved_tensors
        T, K, B, H = cells.shape
        # What gradients are multiplied by, of all steps at once; then a few products a step.
        i, f, g, o = done.chunk(4, -1)
        before = torch.cat([torch.zeros_like(cells[:1]), cells[:-1]])
        of_cell = o * ((seen > 0) if ctx.rectified else 1 - seen * seen)
        factors = torch.cat(
            [
                g * i * (1 - i),
                before * f * (1 - f),
                i * ((g > 0) if ctx.rectified else 1 - g * g),
            ],
            -1,
        ).unflatten(-1, (3, H))
        of_out = seen * o * (1 - o)
        of_gates = cells.new_empty(K, T, B, 4 * H)
        of_h, of_c = of_hidden[T - 1], None
        for t in reversed(range(T)):
            into = of_gates[:, t]
            torch.mul(of_h, of_out[t], out=into[..., 3 * H :])
            of_c = of_h * of_cell[t] if of_c is None else of_c.addcmul_(of_h, of_cell[t])
            first = into[..., : 3 * H].unflatten(-1, (3, H))
            torch.mul(of_c[..., None, :], factors[t], out=first)
            if t:
                of_c = of_c * f[t]
                of_h = torch.bmm(into, recurrent)
                of_h = of_hidden[t - 1] + (of_h if kept is None else of_h * kept)
        of_recurrent = torch.bmm(of_gates.view(K, T * B, -1).mT, given.view(K, T * B, H))
        return of_gates, of_recurrent, None, None


def lstm(
    x: torch.Tensor,
    into: torch.Tensor,
    recurrent: torch.Tensor,
    bias: torch.Tensor,
    kept: torch.Tensor | None = None,
    rectified: bool = False,
) -> torch.Tensor:
    """Hidden states ``[K, B, T, H]`` of series ``x [K, B, T, C]``, from zero states on.

    Parameters
    ----------
    into, recurrent, bias
        ``[K, 4 H, C]``, ``[K, 4 H, H]``, ``[K, 4 H]``: rows are input, forget, cell, output gates.
    kept
        ``[K, B, H]``: what h is multiplied by before each step, the same at all (dropout).
    rectified
        Whether g is the rectifier.
    """
    K, B, T, _ = x.shape
    rows = x.transpose(1, 2).reshape(K, T * B, -1)
    gates = linear(rows, into, bias).view(K, T, B, -1)
    return _Steps.apply(gates, recurrent, kept, rectified).permute(1, 2, 0, 3)
