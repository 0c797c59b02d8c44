"""Heads fitted to the features of a fixed model, for FedTHE and FedICON."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work

BATCH = 256


def fitted(
    head: Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"],
    encode: Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"],
    places: "torch.Tensor",
    theta: "torch.Tensor",
    training: "LocalTraining",
    work: "Work",
) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Fit heads by a pass over each client's samples, on the cross-entropy.

    Parameters
    ----------
    head, encode
        ``head(theta [1, P], h [1, B, m])`` and ``encode(theta, x [1, B, T, C])``.
    places
        Places of the head in the flat weights; all other weights stay fixed.
    theta
        ``[K, P]``.

    Returns
    -------
    heads, means
        ``[K, places]``, and mean features ``[K, m]``.
    """
    import torch

    heads, means = [], []
    for k, (samples, rng) in enumerate(zip(work.clients, work.generators("head"))):
        order = torch.from_numpy(rng.permutation(samples))
        with torch.no_grad():
            x = work.data.X[order][None]
            h = torch.cat([encode(theta[k : k + 1], part) for part in x.split(BATCH, 1)], 1)
        y, at = work.data.y[order], theta[k : k + 1].clone()
        optimizer = training.make_optimizer(at)
        for part in torch.arange(len(order)).split(training.batch_size):
            one = at.detach().requires_grad_()
            torch.nn.functional.cross_entropy(head(one, h[:, part])[0], y[part]).backward()
            at.grad = torch.zeros_like(at)
            at.grad[:, places] = one.grad[:, places]
            optimizer.step()
        heads.append(at[0, places])
        means.append(h[0].mean(0))
    return torch.stack(heads), torch.stack(means)
