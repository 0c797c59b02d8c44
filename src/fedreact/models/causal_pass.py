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

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from fedreact.models.causal_cnn import CausalCNN

LEAKY_SLOPE = 0.01


class BlockActivations(NamedTuple):
    """Inputs and outputs of a residual block's convolutions, which its backward pass reads."""

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
    def forward(
        ctx: Any,
        theta: torch.Tensor,
        x: torch.Tensor,
        lengths: torch.Tensor | None,
        shape: "CausalCNN",
    ) -> torch.Tensor:
        """Compute the features."""
        K, L, B, _ = x.shape
        device, kind = x.device.type, x.dtype
        if torch.is_autocast_enabled(device):
            kind = torch.get_autocast_dtype(device)
        with torch.autocast(device, enabled=False):
            w = shape.unpack(theta)
            cast = {n: part.to(kind) for n, part in w.items() if not n.endswith((".v", ".g"))}
            h = x.to(kind).reshape(K, L * B, -1)
            blocks: list[BlockActivations] = []
            for i, (_, _, dilation) in enumerate(shape.blocks):
                lags = [lag * dilation * B for lag in reversed(range(shape.kernel_size))]
                taps = _taps(w, f"{i}.conv1").to(kind), _taps(w, f"{i}.conv2").to(kind)
                first = _convolve(h, taps[0], cast[f"{i}.conv1.bias"], lags)
                second = _convolve(first, taps[1], cast[f"{i}.conv2.bias"], lags)
                if any(ctx.needs_input_grad):
                    blocks.append(BlockActivations(h, first, second, taps, lags))
                if f"{i}.skip.weight" in w:
                    bias, weight = cast[f"{i}.skip.bias"], cast[f"{i}.skip.weight"]
                    h = torch.baddbmm(bias[:, None], h, weight.mT).add_(second)
                else:
                    h = h + second
            h = h.view(K, L, B, -1)
            if lengths is not None:
                ended = torch.arange(L, device=x.device) >= lengths[:, None]
                h = h.masked_fill(ended[:, :, None, None], -torch.inf)
            pooled, step = h.max(dim=1)
            out = torch.baddbmm(cast["linear.bias"][:, None], pooled, cast["linear.weight"].mT)
        ctx.save_for_backward(theta, pooled, step)
        ctx.blocks, ctx.shape = blocks, shape
        return out

    @staticmethod
    def backward(
        ctx: Any, grad_out: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor | None, None, None]:
        """Compute the gradients of ``theta``, and of ``x`` if they are needed."""
        theta, pooled, step = ctx.saved_tensors
        shape, (K, B, C), kind = ctx.shape, pooled.shape, pooled.dtype
        w, result = shape.unpack(theta), torch.empty_like(theta)
        grads = shape.unpack(result)  # views: what is written there is in the result
        grad_out = grad_out.to(kind)
        grads["linear.weight"].copy_(grad_out.mT @ pooled)
        grads["linear.bias"].copy_(grad_out.sum(1))
        grad_pooled = grad_out @ w["linear.weight"].to(kind)
        n_rows = ctx.blocks[-1].x.shape[1]
        # Gradients of a block's output are at these rows, and 0 elsewhere; None: at all rows.
        rows: torch.Tensor | None = None
        if K == 1:
            rows, grad_h = _at_maxima(grad_pooled[0], step[0], n_rows)
        else:
            grad_h = grad_pooled.new_zeros(K, n_rows // B, B, C)
            grad_h = grad_h.scatter_(1, step[:, None], grad_pooled[:, None]).view(K, n_rows, C)
        for i in reversed(range(len(ctx.blocks))):
            x, first, second, taps, lags = ctx.blocks[i]
            if rows is None:
                grad = _before_relu(grad_h, second)
                grad_taps, grad_bias = _weights_back(grad, first, taps[1], lags)
                grad = _inputs_back(grad, taps[1], lags)
            else:
                grad, grad_taps, grad_bias = _convolve_back_at(
                    rows, grad_h, first, second, taps[1], lags
                )
            _taps_back(grad_taps, w, grads, f"{i}.conv2")
            grads[f"{i}.conv2.bias"].copy_(grad_bias)
            grad = _before_relu(grad, first)
            grad_taps, grad_bias = _weights_back(grad, x, taps[0], lags)
            _taps_back(grad_taps, w, grads, f"{i}.conv1")
            grads[f"{i}.conv1.bias"].copy_(grad_bias)
            has_skip = f"{i}.skip.weight" in w
            if has_skip:
                inputs = x if rows is None else x.index_select(1, rows)
                grads[f"{i}.skip.weight"].copy_(torch.bmm(grad_h.mT, inputs))
                grads[f"{i}.skip.bias"].copy_(grad_h.sum(1))
            if i == 0 and not ctx.needs_input_grad[1]:
                return result, None, None, None
            around = torch.bmm(grad_h, w[f"{i}.skip.weight"].to(kind)) if has_skip else grad_h
            grad_h = _inputs_back(grad, taps[0], lags)
            if rows is None:
                grad_h.add_(around)
            else:
                grad_h[0].index_add_(0, rows, around[0])
            rows = None
        return result, grad_h.view(K, -1, B, grad_h.shape[2]), None, None


def _at_maxima(
    grad_pooled: torch.Tensor, step: torch.Tensor, n_rows: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows ``[U]`` in which any channel of one client has a maximum, and gradients there.

    Parameters
    ----------
    grad_pooled, step
        ``[B, C]``: gradients of the maxima, and the step of each.
    """
    B, C = step.shape
    row = step * B + torch.arange(B, device=step.device)[:, None]
    place = torch.zeros(n_rows, dtype=torch.int64, device=step.device)
    place[row.flatten()] = 1
    rows = place.nonzero()[:, 0]
    place[rows] = torch.arange(len(rows), device=step.device)
    gradients = grad_pooled.new_zeros(1, len(rows), C)
    gradients[0, place[row], torch.arange(C, device=step.device)] = grad_pooled
    return rows, gradients


def _taps(w: Mapping[str, torch.Tensor], name: str) -> torch.Tensor:
    """Return kernels ``[K, k, in, out]`` after weight normalisation."""
    v, g = w[f"{name}.v"], w[f"{name}.g"]
    scale = g / v.flatten(2).norm(dim=2)
    return (v * scale[..., None, None]).permute(0, 3, 2, 1).contiguous()


def _taps_back(
    grad_taps: torch.Tensor,
    w: Mapping[str, torch.Tensor],
    grads: Mapping[str, torch.Tensor],
    name: str,
) -> None:
    """Write the gradients of ``v`` and ``g``, given those of the taps."""
    v, g = w[f"{name}.v"], w[f"{name}.g"]
    grad_kernel = grad_taps.to(v.dtype).permute(0, 3, 2, 1)
    norm = v.flatten(2).norm(dim=2)
    along = (grad_kernel * v).sum((2, 3)) / norm
    grads[f"{name}.g"].copy_(along)
    across = grad_kernel - v * (along / norm)[..., None, None]
    torch.mul(across, (g / norm)[..., None, None], out=grads[f"{name}.v"])


def _convolve(
    x: torch.Tensor, taps: torch.Tensor, bias: torch.Tensor, lags: Sequence[int]
) -> torch.Tensor:
    """Return leaky ReLUs of a causal dilated convolution of rows ``x [K, R, in]``.

    There is one product for each tap: ``taps [K, k, in, out]``. ``lags`` are theirs in rows, and
    the last is 0.
    """
    y = torch.baddbmm(bias[:, None], x, taps[:, -1])
    n = x.shape[1]
    for j, lag in enumerate(lags[:-1]):
        if lag < n:
            y[:, lag:].baddbmm_(x[:, : n - lag], taps[:, j])
    return torch.nn.functional.leaky_relu_(y, LEAKY_SLOPE)


def _before_relu(grad: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the gradient before the leaky ReLU, given that of its output ``y``."""
    return torch.ops.aten.leaky_relu_backward(grad, y, LEAKY_SLOPE, True)


def _weights_back(
    grad: torch.Tensor, x: torch.Tensor, taps: torch.Tensor, lags: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return gradients of the taps and the bias, given those before the ReLU ``[K, R, out]``."""
    grad_taps, n = torch.zeros_like(taps), x.shape[1]
    torch.bmm(x.mT, grad, out=grad_taps[:, -1])
    for j, lag in enumerate(lags[:-1]):
        if lag < n:
            torch.bmm(x[:, : n - lag].mT, grad[:, lag:], out=grad_taps[:, j])
    return grad_taps, grad.sum(1)


def _inputs_back(grad: torch.Tensor, taps: torch.Tensor, lags: Sequence[int]) -> torch.Tensor:
    """Return gradients ``[K, R, in]`` of the inputs, given those before the ReLU."""
    grad_x, n = torch.bmm(grad, taps[:, -1].mT), grad.shape[1]
    for j, lag in enumerate(lags[:-1]):
        if lag < n:
            grad_x[:, : n - lag].baddbmm_(grad[:, lag:], taps[:, j].mT)
    return grad_x


def _convolve_back_at(
    rows: torch.Tensor,
    grad_y: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    taps: torch.Tensor,
    lags: Sequence[int],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return gradients of inputs, taps and bias of one client.

    Gradients of ``y`` are those at ``rows [U]``, ``[1, U, out]``, and 0 elsewhere.
    """
    grad = _before_relu(grad_y[0], y[0].index_select(0, rows))
    grad_x, grad_taps = torch.zeros_like(x), torch.zeros_like(taps)
    starts = torch.searchsorted(rows, torch.tensor(lags, device=rows.device)).tolist()
    for j, (lag, first) in enumerate(zip(lags, starts)):  # rows that have one so much earlier
        late, earlier = grad[first:], rows[first:] - lag
        torch.mm(x[0].index_select(0, earlier).T, late, out=grad_taps[0, j])
        grad_x[0].index_add_(0, earlier, torch.mm(late, taps[0, j].T))
    return grad_x, grad_taps, grad.sum(0, keepdim=True)
