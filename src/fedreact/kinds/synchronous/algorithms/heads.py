"""Heads fitted to the features of a fixed model, for FedTHE and FedICON."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work

BATCH = 256


def fit_heads(
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

    from fedreact.engine.local_training import backpropagate

    heads, means = [], []
    for k, (samples, rng) in enumerate(zip(work.clients, work.generators("head"))):
        order = torch.from_numpy(rng.permutation(samples))
        with torch.no_grad():
            x = work.data.X[order][None]
            features = [encode(theta[k : k + 1], batch) for batch in torch.split(x, BATCH, 1)]
            h = torch.cat(features, 1)
        y, own = work.data.targets(order), theta[k : k + 1].clone()
        optimizer = training.make_optimizer(own)
        for batch in torch.split(torch.arange(len(order)), training.batch_size):
            leaf = own.detach().requires_grad_()
            loss = torch.nn.functional.cross_entropy(head(leaf, h[:, batch])[0], y[batch])
            gradient = backpropagate(loss, leaf)
            own.grad = torch.zeros_like(own)
            own.grad[:, places] = gradient[:, places]
            optimizer.step()
        heads.append(own[0, places])
        means.append(h[0].mean(0))
    return torch.stack(heads), torch.stack(means)
