"""Outputs of trained models for test series, in the process that trains or in another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import torch

from fedreact.losses.objective import Data

if TYPE_CHECKING:
    from fedreact.engine.engine import LocalAlgorithm, TrainingJob

BATCH = 256


class OutputModel(Protocol):
    """A model of series."""

    def forward(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[K, B, c]`` of ``x [K, B, T, channels]`` under ``theta [K, P]``."""


@runtime_checkable
class ObjectiveOfOutputs(Protocol):
    """An objective of a model with outputs, as :class:`fedreact.losses.supervised` has it."""

    @property
    def architecture(self) -> OutputModel:
        """The model."""


@dataclass(frozen=True)
class Request:
    """Test series, and the model that they are put through.

    Attributes
    ----------
    theta
        Its weights ``[P]``.
    samples
        ``int [n]``: which series.
    state
        What a client that adapts at test time keeps besides, without the axis K; ``None``: the
        model is taken as it is.
    """

    theta: np.ndarray
    samples: np.ndarray
    state: dict[str, np.ndarray] | None = None


def predict(
    job: "TrainingJob[LocalAlgorithm]", data: Data, request: Request, device: str
) -> np.ndarray:
    """Compute outputs ``[n, c]`` of the architecture for the series of a request.

    In batches of 256: some models look at all series of a batch. The algorithm's ``adapt`` sees
    them all, one after the other.

    Raises
    ------
    TypeError
        What the job's clients minimise is of no model with outputs.
    """
    theta = torch.from_numpy(request.theta).to(device)
    samples = torch.from_numpy(request.samples).to(device)
    objective = job.training.objective
    if request.state is not None:
        state = {name: torch.from_numpy(np.asarray(v)) for name, v in request.state.items()}
        received = {name: values.to(device) for name, values in state.items()} | {"theta": theta}
        return job.algorithm.adapt(objective, received, data.X[samples]).cpu().numpy()
    if not isinstance(objective, ObjectiveOfOutputs):
        raise TypeError(f"{type(objective).__name__} has no architecture to predict with")
    batches = []
    with torch.inference_mode():
        for first in range(0, len(samples), BATCH):
            x = data.X[samples[first : first + BATCH]][None]
            batches.append(objective.architecture.forward(theta[None], x)[0].cpu().numpy())
    return np.concatenate(batches)
