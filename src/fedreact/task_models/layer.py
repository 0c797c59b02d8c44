"""A linear layer of each client, trained by Adam: the task model where the target is a number.

"A simple linear layer trained using an l2 loss" (Fed-REACT, ICLR, section 4.2). The paper does not
state epochs, batches and optimiser. The defaults are those of supervised local training in section
4.1.1: 100 epochs of batches of 50, Adam with 0.001. All clients are trained together, each on its
own batches. The order of a client's samples depends on the seed, the epoch and its number alone.
Layers start at zero: the loss is convex, and clients then start alike.
"""

import numpy as np

from fedreact.errors import UserError
from fedreact.rng import generator
from fedreact.task_models.ridge import check_samples

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def fit_layer(
    X: np.ndarray,
    y: np.ndarray,
    epochs: int = 100,
    batch_size: int = 50,
    learning_rate: float = 1e-3,
    seed: int = 0,
    valid: np.ndarray | None = None,
) -> np.ndarray:
    """Return the weights ``float32 [K, M, D + 1]`` of M targets, intercept last.

    Parameters
    ----------
    X, y
        Samples ``[K, m, D]`` and targets ``[K, m]`` or ``[K, m, M]``.
    epochs, batch_size, learning_rate
        Options of Adam (Kingma and Ba 2015). The last batch of an epoch may be smaller.
    seed
        Seed of the orders of samples.
    valid
        Boolean ``[K, m]``: samples that count, for clients with fewer than m; all when None. A
        client without any gets zeros.

    Raises
    ------
    UserError
        Shapes do not fit, or values are not finite, before or after.
    """
    X, y, valid = check_samples(X, y, valid)
    # What does not count may be anything, and a batch that is not full is filled with it.
    X, y = (np.where(valid[..., None], values, 0).astype(np.float32) for values in (X, y))
    K, m, D = X.shape
    X = np.concatenate([X, np.ones((K, m, 1), np.float32)], axis=2)  # the intercept's feature
    weights = np.zeros((K, y.shape[2], D + 1), np.float32)
    first, second, steps = np.zeros_like(weights), np.zeros_like(weights), np.zeros(K, int)
    clients = np.arange(K)[:, None]
    for epoch in range(epochs):
        orders = [_order(seed, epoch, k, np.flatnonzero(counts)) for k, counts in enumerate(valid)]
        for start in range(0, int(valid.sum(1).max()), batch_size):
            batch = np.zeros((K, batch_size), int)
            share = np.zeros((K, batch_size), np.float32)
            for k, order in enumerate(orders):
                samples = order[start : start + batch_size]
                batch[k, : len(samples)] = samples
                share[k, : len(samples)] = 1 / max(len(samples), 1)
            live = np.asarray(share.any(axis=1))
            steps += live
            inputs = X[clients, batch]
            errors = inputs @ weights.mT - y[clients, batch]
            gradient = 2 * (errors * share[..., None]).mT @ inputs / y.shape[2]
            on = live[:, None, None]
            first = np.where(on, BETA1 * first + (1 - BETA1) * gradient, first)
            second = np.where(on, BETA2 * second + (1 - BETA2) * gradient**2, second)
            t = np.maximum(steps, 1)[:, None, None]
            step = first / (1 - BETA1**t) / (np.sqrt(second / (1 - BETA2**t)) + EPSILON)
            weights -= np.where(on, learning_rate * step, 0).astype(np.float32)
    if not np.isfinite(weights).all():
        raise UserError(
            f"the linear layer diverged; a learning rate of {learning_rate} is too large"
        )
    return weights


def _order(seed: int, epoch: int, client: int, samples: np.ndarray) -> np.ndarray:
    """Draw the order of a client's samples in an epoch."""
    return generator(seed, "linear-layer", epoch, client).permutation(samples)
