"""A pass of series through the causal CNN, forward and backward written out.

Automatic differentiation would keep a dozen small nodes of each layer, which for short
sub-sequences take as long as the products. Besides, three things are done differently from a chain
of ``torch.nn.Conv1d``, with the same results:

* **Time-major rows.** Activations are matrices ``[L * B, C]`` whose row ``t * B + b`` is step t of
  series b. A lag of s steps is then an offset of s * B rows, so each kernel tap is one matrix
  product over a contiguous slice, accumulated in place: nothing is padded, copied or cut, and a
  tap whose lag reaches before the first step of every series is not computed at all.
* **Stacked clients.** All tensors have a leading axis K, one slice a client, with its own weights.
  K = 1 is one client (a CPU worker), K > 1 all clients of a round at once (a GPU).
* **Rows with a maximum.** Gradients reach the last block through the maximum over time alone, at
  about half of its rows. Of one client the others are left out of the products of its last layer,
  which is most of the network.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

LEAKY_SLOPE = 0.01


class Block(NamedTuple):
    """What a residual block's backward pass needs: inputs and outputs of its convolutions."""

    x: torch.Tensor
    first: torch.Tensor
    second: torch.Tensor
    taps: tuple[torch.Tensor, torch.Tensor]
    lags: list[int]


class Encode(torch.autograd.Function):
    """Features ``[K, B, F]`` of ``x [K, L, B, C]`` under ``theta [K, P]``; see ``CausalCNN``.

    ``Encode.apply(theta, x, lengths, shape)``; ``shape`` is the :class:`CausalCNN`.
    """

    @staticmethod
    def forward(ctx: Any, theta, x, lengths, shape) -> torch.Tensor:
        """The features."""
        K, L, B, _ = x.shape
        device, kind = x.device.type, x.dtype
        if torch.is_autocast_enabled(device):
            kind = torch.get_autocast_dtype(device)
        with torch.autocast(device, enabled=False):
            w = shape.unpack(theta)
            cast = {name: of.to(kind) for name, of in w.items() if not name.endswith((".v", ".g"))}
            h, blocks = x.to(kind).reshape(K, L * B, -1), []
            for i, (_, _, dilation) in enumerate(shape.blocks):
                lags = [lag * dilation * B for lag in reversed(range(shape.kernel_size))]
                taps = tuple(_taps(w, f"{i}.conv{j}").to(kind) for j in (1, 2))
                first = _convolve(h, taps[0], cast[f"{i}.conv1.bias"], lags)
                second = _convolve(first, taps[1], cast[f"{i}.conv2.bias"], lags)
                if any(ctx.needs_input_grad):
                    blocks.append(Block(h, first, second, taps, lags))
                if f"{i}.skip.weight" in w:
                    bias, weight = cast[f"{i}.skip.bias"], cast[f"{i}.skip.weight"]
                    h = torch.baddbmm(bias[:, None], h, weight.mT).add_(second)
                else:
                    h = h + second
            h = h.view(K, L, B, -1)
            if lengths is not None:
                ended = torch.arange(L, device=x.device) >= lengths[:, None]
                h = h.masked_fill(ended[:, :, None, None], -torch.inf)
            pooled, at = h.max(dim=1)
            out = torch.baddbmm(cast["linear.bias"][:, None], pooled, cast["linear.weight"].mT)
        ctx.save_for_backward(theta, pooled, at)
        ctx.blocks, ctx.shape = blocks, shape
        return out

    @staticmethod
    def backward(ctx: Any, of_out):
        """Gradients of ``theta``, and of ``x`` where they are wanted."""
        theta, pooled, at = ctx.saved_tensors
        shape, (K, B, C), kind = ctx.shape, pooled.shape, pooled.dtype
        w, result = shape.unpack(theta), torch.empty_like(theta)
        of = shape.unpack(result)  # gradients, in their places
        of_out = of_out.to(kind)
        of["linear.weight"].copy_(of_out.mT @ pooled)
        of["linear.bias"].copy_(of_out.sum(1))
        of_pooled = of_out @ w["linear.weight"].to(kind)
        n_rows = ctx.blocks[-1].x.shape[1]
        rows, of_h = None, None  # of_h: gradients at these rows of a block's output; None: at all
        if K == 1:
            rows, of_h = _at_maxima(of_pooled[0], at[0], n_rows)
        else:
            of_h = of_pooled.new_zeros(K, n_rows // B, B, C)
            of_h = of_h.scatter_(1, at[:, None], of_pooled[:, None]).view(K, n_rows, C)
        for i in reversed(range(len(ctx.blocks))):
            x, first, second, taps, lags = ctx.blocks[i]
            wanted = i > 0 or ctx.needs_input_grad[1]
            if rows is None:
                found = _convolve_back(of_h, first, second, taps[1], lags, True)
            else:
                found = _convolve_back_at(rows, of_h, first, second, taps[1], lags)
            through, of_taps, of_bias = found
            _taps_back(of_taps, w, of, f"{i}.conv2")
            of[f"{i}.conv2.bias"].copy_(of_bias)
            of_x, of_taps, of_bias = _convolve_back(through, x, first, taps[0], lags, wanted)
            _taps_back(of_taps, w, of, f"{i}.conv1")
            of[f"{i}.conv1.bias"].copy_(of_bias)
            around = of_h
            if f"{i}.skip.weight" in w:
                given = x if rows is None else x.index_select(1, rows)
                of[f"{i}.skip.weight"].copy_(torch.bmm(of_h.mT, given))
                of[f"{i}.skip.bias"].copy_(of_h.sum(1))
                around = torch.bmm(of_h, w[f"{i}.skip.weight"].to(kind)) if wanted else None
            if wanted:
                of_x = of_x.add_(around) if rows is None else _added(of_x, rows, around)
            rows, of_h = None, of_x
        of_x = of_h.view(K, -1, B, of_h.shape[2]) if ctx.needs_input_grad[1] else None
        return result, of_x, None, None


def _at_maxima(of_pooled, at, n_rows):
    """Rows ``[U]`` in which any channel of one client has a maximum, and gradients there.

    Parameters
    ----------
    of_pooled, at
        ``[B, C]``: gradients of the maxima, and the step of each.
    """
    B, C = at.shape
    row = at * B + torch.arange(B, device=at.device)[:, None]
    place = torch.zeros(n_rows, dtype=torch.int64, device=at.device)
    place[row.flatten()] = 1
    rows = place.nonzero()[:, 0]
    place[rows] = torch.arange(len(rows), device=at.device)
    gradients = of_pooled.new_zeros(1, len(rows), C)
    gradients[0, place[row], torch.arange(C, device=at.device)] = of_pooled
    return rows, gradients


def _added(x, rows, more):
    """``x [1, R, C]`` with more at some rows."""
    x[0].index_add_(0, rows, more[0])
    return x


def _taps(w, name):
    """Kernels ``[K, k, in, out]`` after weight normalisation."""
    v, g = w[f"{name}.v"], w[f"{name}.g"]
    scale = g / v.flatten(2).norm(dim=2)
    return (v * scale[..., None, None]).permute(0, 3, 2, 1).contiguous()


def _taps_back(of_taps, w, of, name):
    """Write the gradients of ``v`` and ``g``, given those of the taps."""
    v, g = w[f"{name}.v"], w[f"{name}.g"]
    of_kernel = of_taps.to(v.dtype).permute(0, 3, 2, 1)
    norm = v.flatten(2).norm(dim=2)
    along = (of_kernel * v).sum((2, 3)) / norm
    of[f"{name}.g"].copy_(along)
    across = of_kernel - v * (along / norm)[..., None, None]
    torch.mul(across, (g / norm)[..., None, None], out=of[f"{name}.v"])


def _convolve(x: torch.Tensor, taps: torch.Tensor, bias: torch.Tensor, lags: Sequence[int]):
    """Leaky ReLU of a causal dilated convolution of rows ``x [K, R, in]``, a product for each tap.

    ``taps [K, k, in, out]``; ``lags`` are theirs in rows, the last is 0.
    """
    y = torch.baddbmm(bias[:, None], x, taps[:, -1])
    n = x.shape[1]
    for j, lag in enumerate(lags[:-1]):
        if lag < n:
            y[:, lag:].baddbmm_(x[:, : n - lag], taps[:, j])
    return torch.nn.functional.leaky_relu_(y, LEAKY_SLOPE)


def _convolve_back(of_y, x, y, taps, lags, wanted):
    """Gradients of x (``None`` unless ``wanted``), the taps and the bias, given those of y."""
    of_y = torch.ops.aten.leaky_relu_backward(of_y, y, LEAKY_SLOPE, True)
    of_taps, n = torch.zeros_like(taps), x.shape[1]
    torch.bmm(x.mT, of_y, out=of_taps[:, -1])
    of_x = torch.bmm(of_y, taps[:, -1].mT) if wanted else None
    for j, lag in enumerate(lags[:-1]):
        if lag < n:
            torch.bmm(x[:, : n - lag].mT, of_y[:, lag:], out=of_taps[:, j])
            if wanted:
                of_x[:, : n - lag].baddbmm_(of_y[:, lag:], taps[:, j].mT)
    return of_x, of_taps, of_y.sum(1)


def _convolve_back_at(rows, of_y, x, y, taps, lags):
    """The same of one client, given those at ``rows [U]`` of y, ``[1, U, out]``; others are 0."""
    of_y = torch.ops.aten.leaky_relu_backward(
        of_y[0], y[0].index_select(0, rows), LEAKY_SLOPE, True
    )
    of_x, of_taps = torch.zeros_like(x), torch.zeros_like(taps)
    starts = torch.searchsorted(rows, torch.tensor(lags, device=rows.device)).tolist()
    for j, (lag, first) in enumerate(zip(lags, starts)):  # rows that have one so much earlier
        late, at = of_y[first:], rows[first:] - lag
        torch.mm(x[0].index_select(0, at).T, late, out=of_taps[0, j])
        of_x[0].index_add_(0, at, torch.mm(late, taps[0, j].T))
    return of_x, of_taps, of_y.sum(0, keepdim=True)
