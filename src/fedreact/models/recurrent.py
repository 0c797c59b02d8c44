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


class _Steps(torch.autograd.Function):
    """Steps of an LSTM whose inputs are multiplied by their weights already.

    ``gates [K, T, B, 4 H]`` are W x + b, ``recurrent [K, 4 H, H]`` is U, ``kept [K, B, H]``
    multiplies h before U does (``None``: nothing does). Gives all h ``[K, T, B, H]``.
    """

    @staticmethod
    def forward(ctx: Any, gates, recurrent, kept, rectified: bool) -> torch.Tensor:
        K, T, B, H = *gates.shape[:3], recurrent.shape[2]
        back = recurrent.mT
        h = c = gates.new_zeros(K, B, H)
        done, seen, cells, given = (gates.new_empty(K, T, B, n * H) for n in (4, 1, 1, 1))
        hidden = gates.new_empty(K, T, B, H)
        for t in range(T):
            h = h if kept is None else h * kept
            given[:, t] = h
            now = torch.baddbmm(gates[:, t], h, back)
            i, f, g, o = now.chunk(4, -1)
            i.sigmoid_(), f.sigmoid_(), o.sigmoid_()
            g.relu_() if rectified else g.tanh_()
            c = torch.addcmul(i * g, f, c)
            shown = c.relu() if rectified else c.tanh()
            h = o * shown
            done[:, t], cells[:, t], seen[:, t], hidden[:, t] = now, c, shown, h
        ctx.save_for_backward(done, cells, seen, given, recurrent, kept)
        ctx.rectified = rectified
        return hidden

    @staticmethod
    def backward(ctx: Any, of_hidden):
        done, cells, seen, given, recurrent, kept = ctx.saved_tensors
        K, T, B, H = cells.shape
        of_gates = torch.empty_like(done)
        of_h = of_c = cells.new_zeros(K, B, H)
        for t in reversed(range(T)):
            i, f, g, o = done[:, t].chunk(4, -1)
            shown, of_h = seen[:, t], of_hidden[:, t] + of_h
            through = (shown > 0) if ctx.rectified else 1 - shown * shown
            of_c = of_c + of_h * o * through
            into = of_gates[:, t]
            before = cells[:, t - 1] if t else torch.zeros_like(of_c)
            a, b, d, e = into.chunk(4, -1)
            torch.mul(of_c * g, i * (1 - i), out=a)
            torch.mul(of_c * before, f * (1 - f), out=b)
            torch.mul(of_c * i, (g > 0) if ctx.rectified else 1 - g * g, out=d)
            torch.mul(of_h * shown, o * (1 - o), out=e)
            of_c = of_c * f
            of_h = torch.bmm(into, recurrent)
            of_h = of_h if kept is None else of_h * kept
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
    gates = torch.baddbmm(bias[:, None], rows, into.mT).view(K, T, B, -1)
    return _Steps.apply(gates, recurrent, kept, rectified).transpose(1, 2)
