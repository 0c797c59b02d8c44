"""Score of a model on a client's own samples, for algorithms that ask clients for it."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

    from fedreact.losses.objective import Data
    from fedreact.losses.supervised import SupervisedLoss


def goodness(
    objective: "SupervisedLoss", theta: "torch.Tensor", data: "Data", samples: np.ndarray
) -> float:
    """Return how good a model ``[P]`` is on some samples, from 0 to 1.

    It is the share of labels that are right; for a regression 1 - SMAPE / 2, in the targets' own
    units, which is 0 at worst.
    """
    import torch

    assert data.y is not None, "models are scored on targets"
    indices = torch.from_numpy(np.asarray(samples))
    with torch.inference_mode():
        outputs = objective.architecture.forward(theta[None], data.X[indices][None])[0]
    y = data.y[indices]
    if objective.kind == "classification":
        return float((outputs.argmax(-1) == y).float().mean())
    if objective.kind == "multi-label":
        return float(((outputs > 0) == y).float().mean())
    y = y.reshape(outputs.shape)
    if objective.units:
        spread, mean = outputs.new_tensor(objective.units).T
        outputs, y = outputs * spread + mean, y * spread + mean
    error, size = (outputs - y).abs(), outputs.abs() + y.abs()
    return float(1 - (error / size.clamp_min(1e-12)).mean())
