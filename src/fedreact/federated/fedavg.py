"""Algorithm 1 of Fed-REACT: federated training of the encoder by FedAvg (McMahan et al. 2017)."""

from collections.abc import Iterator

import numpy as np

from fedreact.federated.engine import Progress, Stacked, Workers


def weighted_mean(uploads: np.ndarray, n_samples: np.ndarray) -> np.ndarray:
    """Aggregate ``uploads [K, P]`` by sample counts ``[K]`` (Algorithm 1, line 8)."""
    share = n_samples / n_samples.sum()
    return (share @ uploads.astype(np.float64)).astype(uploads.dtype)


def fedavg(
    engine: Workers | Stacked,
    theta: np.ndarray,
    n_samples: np.ndarray,
    rounds: range,
    on_progress: Progress = lambda done, loss: None,
) -> Iterator[tuple[int, np.ndarray]]:
    """Run Algorithm 1, yielding ``(t, theta_t)`` after each round t.

    Parameters
    ----------
    engine
        Trains the clients from given weights (lines 3-7).
    theta
        ``float32 [P]``: the weights before the first of ``rounds``.
    n_samples
        ``[K]``: the clients' sample counts n_k.
    rounds
        ``range(1, T + 1)``, or the part of it that is left after an interruption.
    """
    for t in rounds:
        uploads = engine.round(theta, t, on_progress)
        theta = weighted_mean(uploads, n_samples)
        yield t, theta
