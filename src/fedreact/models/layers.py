"""Layers of K clients at once.

Some do otherwise in training: batch normalisation and dropout. Their randomness and their running
statistics are the client's own: draws come from a generator for each client and step, so that
neither the number of workers nor who trains beside whom changes a bit.
"""

from collections.abc import Sequence

import torch

MOMENTUM, EPSILON = 0.1, 1e-5  # of torch.nn.BatchNorm1d


class Training:
    """A training step of K clients, for the layers of this module.

    Attributes
    ----------
    generators
        K generators, one for each client, of this step's draws.
    counts
        ``bool [K, B]``: which samples of the batch there are; the rest fills up smaller batches.
    buffers
        Running statistics after the step, by name, each ``[K, ...]``; layers put them there.
    """

    def __init__(self, seeds: Sequence[int], counts: torch.Tensor):
        self.generators = [torch.Generator().manual_seed(int(seed)) for seed in seeds]
        self.counts = counts
        self.buffers: dict[str, torch.Tensor] = {}

    def part(self) -> "Training":
        """Return the same step for a model within a model, with statistics of its own."""
        part = Training([], self.counts)
        part.generators = self.generators
        return part


def dropout(h: torch.Tensor, share: float, training: Training | None) -> torch.Tensor:
    """Set a share of ``h [K, B, ...]`` to 0 and scale up the rest; change nothing outside training.

    ``h`` may have its samples in groups, ``[K, B * n, ...]``. What fills up a smaller batch takes
    no draws, since it depends on who trains beside a client.
    """
    if training is None or share == 0:
        return h
    each = h.shape[1] // training.counts.shape[1]
    kept = torch.ones(h.shape, dtype=torch.bool)
    n_samples = training.counts.sum(1).tolist()
    for own, n, generator in zip(kept, n_samples, training.generators):
        own[: each * n] = torch.rand((each * n, *h.shape[2:]), generator=generator) >= share
    return h * kept.to(h.device) / (1 - share)


def batch_norm(
    h: torch.Tensor, w: dict[str, torch.Tensor], name: str, training: Training | None
) -> torch.Tensor:
    """Normalise the features of ``h [K, B, ..., F]`` over all samples and steps of each client.

    As ``torch.nn.BatchNorm1d``: by the batch's statistics in training, which move the running ones,
    and by these outside of it.

    Parameters
    ----------
    w
        Weights and buffers; of this layer ``<name>.weight``, ``.bias``, ``.mean`` and ``.var``,
        each ``[K, F]``.
    """
    rows = h.flatten(1, -2)
    if training is None:
        mean, var = w[f"{name}.mean"], w[f"{name}.var"]
    else:
        counts = training.counts
        per_sample = rows.shape[1] // counts.shape[1]
        n = per_sample * counts.sum(1, keepdim=True)
        if counts.all():
            var, mean = torch.var_mean(rows, dim=1, correction=0)
        else:
            exists = counts.repeat_interleave(per_sample, 1)[..., None]
            mean = (rows * exists).sum(1) / n
            var = ((rows - mean[:, None]) ** 2 * exists).sum(1) / n
        of_batch = {"mean": mean.detach(), "var": var.detach() * n / (n - 1).clamp(min=1)}
        for key, value in of_batch.items():
            before = w[f"{name}.{key}"].detach()
            value = value.to(before.dtype)  # bfloat16, where products are
            training.buffers[f"{name}.{key}"] = torch.lerp(before, value, MOMENTUM)
    scale = w[f"{name}.weight"] * torch.rsqrt(var + EPSILON)
    shift = w[f"{name}.bias"] - mean * scale
    return torch.addcmul(shift[:, None], rows, scale[:, None]).view_as(h)


def batch_norm_of_channels(
    h: torch.Tensor, w: dict[str, torch.Tensor], name: str, training: Training | None
) -> torch.Tensor:
    """Normalise ``h [K, B, F, T]`` as :func:`batch_norm` does, with features before steps.

    If all batches are whole, torch's own kernel does so on all clients' features side by side.
    """
    if training is not None and not training.counts.all():
        return batch_norm(h.transpose(2, 3), w, name, training).transpose(2, 3)
    K, B, F, T = h.shape
    side_by_side = h.transpose(0, 1).reshape(B, K * F, T)
    mean, var = (w[f"{name}.{key}"].detach().reshape(-1) for key in ("mean", "var"))
    if training is not None:
        mean, var = mean.clone(), var.clone()  # which the kernel renews in place
    done = torch.nn.functional.batch_norm(
        side_by_side,
        mean,
        var,
        w[f"{name}.weight"].reshape(-1),
        w[f"{name}.bias"].reshape(-1),
        training is not None,
        MOMENTUM,
        EPSILON,
    )
    if training is not None:
        training.buffers[f"{name}.mean"] = mean.view(K, F)
        training.buffers[f"{name}.var"] = var.view(K, F)
    return done.view(B, K, F, T).transpose(0, 1)


def convolve(
    h: torch.Tensor, weight: torch.Tensor, stride: int = 1, padding: int = 0
) -> torch.Tensor:
    """Convolve ``h [K, B, C, T]`` with each client's ``weight [K, F, C, k]``: ``[K, B, F, T']``."""
    K, B, C, T = h.shape
    if K == 1:
        done = torch.nn.functional.conv1d(h[0], weight[0], None, stride, padding)
        return done[None]
    side_by_side = h.transpose(0, 1).reshape(B, K * C, T)
    done = torch.nn.functional.conv1d(
        side_by_side, weight.flatten(0, 1), None, stride, padding, groups=K
    )
    return done.unflatten(1, (K, -1)).transpose(0, 1)


def convolve_images(h: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """Convolve pictures with each client's kernels and add the biases, without padding.

    Parameters
    ----------
    h
        ``[B, K * C, R, S]``: R rows and S columns; channels of all clients side by side, so that
        they need not be moved between layers.
    w
        Weights of this layer: ``<name>.weight [K, F, C, k, k]`` and ``<name>.bias [K, F]``.

    Returns
    -------
    torch.Tensor
        ``[B, K * F, R - k + 1, S - k + 1]``.
    """
    weight, bias = w[f"{name}.weight"], w[f"{name}.bias"]
    return torch.nn.functional.conv2d(
        h, weight.flatten(0, 1), bias.flatten(), groups=weight.shape[0]
    )


def lstm(
    x: torch.Tensor,
    into: torch.Tensor,
    recurrent: torch.Tensor,
    bias_ih: torch.Tensor,
    bias_hh: torch.Tensor,
) -> torch.Tensor:
    """Compute the last hidden states ``[K, B, H]`` of an LSTM layer of each client.

    Parameters
    ----------
    x
        ``[K, B, T, C]``.
    into, recurrent
        ``[K, 4 H, C]`` and ``[K, 4 H, H]``: rows are the input, forget, cell and output gates.
    bias_ih, bias_hh
        ``[K, 4 H]``, which are added to each other.
    """
    weights = into, recurrent, bias_ih, bias_hh
    if len(x) == 1 or x.device.type == "cpu":
        return torch.stack([_lstm_of_one(own[0], own[1:]) for own in zip(x, *weights)])
    return lstm_of_all(x, *weights)


def _lstm_of_one(x: torch.Tensor, weights: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Compute one client's states by torch, which on a core takes half as long as all at once."""
    start = x.new_zeros(1, len(x), weights[1].shape[1])
    steps = x.transpose(0, 1)
    states, *_ = torch.lstm(steps, (start, start), weights, True, 1, 0.0, True, False, False)
    return states[-1]


def lstm_of_all(
    x: torch.Tensor,
    into: torch.Tensor,
    recurrent: torch.Tensor,
    bias_ih: torch.Tensor,
    bias_hh: torch.Tensor,
) -> torch.Tensor:
    """Compute what :func:`lstm` does, one step of all clients at a time, which is fast on a GPU."""
    K, B, T, _ = x.shape
    h = c = x.new_zeros(K, B, recurrent.shape[2])
    bias = (bias_ih + bias_hh)[:, None]
    steps = torch.baddbmm(bias, x.transpose(1, 2).reshape(K, T * B, -1), into.mT)
    for gates in steps.view(K, T, B, -1).unbind(1):
        i, f, g, o = torch.baddbmm(gates, h, recurrent.mT).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    return h


def linear(h: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """Apply an affine layer of each client: ``[K, B, F]`` to ``[K, B, F']``."""
    return torch.baddbmm(w[f"{name}.bias"][:, None], h, w[f"{name}.weight"].mT)
