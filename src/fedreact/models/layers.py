"""Layers that do otherwise in training: batch normalisation and dropout, of K clients at once.

Their randomness and their running statistics are the client's own: draws come from a generator for
each client and step, so that neither the number of workers nor who trains beside whom changes a
bit.
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


def dropout(h: torch.Tensor, share: float, training: Training | None) -> torch.Tensor:
    """Set a share of ``h [K, B, ...]`` to 0 and scale up the rest; nothing outside training.

    ``h`` may have its samples in groups, ``[K, B * n, ...]``. What fills up a smaller batch takes
    no draws, since it depends on who trains beside a client.
    """
    if training is None or share == 0:
        return h
    each = h.shape[1] // training.counts.shape[1]
    kept = torch.ones(h.shape, dtype=torch.bool)
    n_samples = training.counts.sum(1).tolist()
    for mine, n, generator in zip(kept, n_samples, training.generators):
        mine[: each * n] = torch.rand((each * n, *h.shape[2:]), generator=generator) >= share
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
            there = counts.repeat_interleave(per_sample, 1)[..., None]
            mean = (rows * there).sum(1) / n
            var = ((rows - mean[:, None]) ** 2 * there).sum(1) / n
        seen = {"mean": mean.detach(), "var": var.detach() * n / (n - 1).clamp(min=1)}
        for key, value in seen.items():
            before = w[f"{name}.{key}"].detach()
            value = value.to(before.dtype)  # bfloat16, where products are
            training.buffers[f"{name}.{key}"] = torch.lerp(before, value, MOMENTUM)
    scale = w[f"{name}.weight"] * torch.rsqrt(var + EPSILON)
    shift = w[f"{name}.bias"] - mean * scale
    return torch.addcmul(shift[:, None], rows, scale[:, None]).view_as(h)
