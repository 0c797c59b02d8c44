"""Outputs of trained models for test series, in the process that trains or in another."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from fedreact.losses.objective import Data

BATCH = 256


@dataclass(frozen=True)
class Request:
    """Test series, and the model that they are put through.

    Attributes
    ----------
    theta
        Its weights ``[P]``.
    samples
        ``int [n]``: which series.
    kept
        What a client that adapts at test time keeps besides, without the axis K; ``None``: the
        model is taken as it is.
    """

    theta: np.ndarray
    samples: np.ndarray
    kept: dict[str, np.ndarray] | None = field(default=None)


def predict(job: Any, data: Data, request: Request, device: str) -> np.ndarray:
    """Outputs ``[n, c]`` of the architecture for the series of a request.

    In batches of 256: some models look at all series of a batch. The algorithm's ``adapt`` sees
    them all, one after the other.
    """
    theta = torch.from_numpy(request.theta).to(device)
    if request.kept is not None:
        kept = {n: torch.from_numpy(np.asarray(v)).to(device) for n, v in request.kept.items()}
        at = torch.from_numpy(request.samples).to(device)
        given = kept | {"theta": theta}
        return job.algorithm.adapt(job.training.objective, given, data.X[at]).cpu().numpy()
    forward = job.training.objective.architecture.forward
    parts = []
    with torch.inference_mode():
        for first in range(0, len(request.samples), BATCH):
            at = torch.from_numpy(request.samples[first : first + BATCH]).to(device)
            parts.append(forward(theta[None], data.X[at][None])[0].cpu().numpy())
    return np.concatenate(parts)
