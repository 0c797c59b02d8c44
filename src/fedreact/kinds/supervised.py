"""Models, objectives, targets and first weights of runs that train architectures with labels."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from fedreact import plugins
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.engine.local_training import LocalTraining
from fedreact.losses.objective import Objective
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.contract import Architecture
from fedreact.rng import generator
from fedreact.standardise import standardise
from fedreact.task import Task


class TrainingOptions(Protocol):
    """Options of a run that trains an architecture."""

    @property
    def architecture(self) -> str:
        """A file of ``models/architectures/``."""

    @property
    def epochs(self) -> int:
        """Passes over a client's samples per round or trip."""

    @property
    def steps(self) -> int | None:
        """Local steps per round or trip; replaces ``epochs``."""

    @property
    def batch_size(self) -> int:
        """Samples per step."""

    @property
    def learning_rate(self) -> float:
        """Learning rate of the optimiser."""

    @property
    def optimizer(self) -> dict[str, Any]:
        """``kind``, a file of ``optimizers/``, and its options."""

    @property
    def precision(self) -> str:
        """Precision of matrix products in training."""


def architecture(options: TrainingOptions, task: Task) -> Architecture:
    """Make the architecture of a run, for series of the task."""
    make = plugins.load("models/architectures", options.architecture, "ARCHITECTURE")
    return make(in_channels=task.channels, length=task.steps, n_out=task.outputs)


def series(data: SeriesDataset, model: Architecture) -> np.ndarray | Windows:
    """Return series ``[N, T, channels]`` for a model: all end at step T, if it reads that one."""
    return data.padded_first if model.reads_last else data.steps_first


def local_training(
    options: TrainingOptions, loss: SupervisedLoss, stacked: int = 1
) -> LocalTraining:
    """Make the training of a client in a round, of so many clients at once."""
    return LocalTraining(
        objective=loss,
        steps=options.steps,
        batch_size=options.batch_size,
        learning_rate=options.learning_rate,
        epochs=options.epochs,
        optimizer=plugins.make("optimizers", options.optimizer, "OPTIMIZER", "optimizer"),
        precision=options.precision,
        stacked=stacked,
    )


def supervised_loss(objective: Objective) -> SupervisedLoss:
    """Return an objective that is the loss of an architecture on targets.

    Raises
    ------
    TypeError
        It is another one.
    """
    if not isinstance(objective, SupervisedLoss):
        raise TypeError(f"{type(objective).__name__} is no loss on labels or targets")
    return objective


def model_of(training: LocalTraining) -> Architecture:
    """Return the model that a training trains."""
    return supervised_loss(training.objective).architecture


@dataclass(frozen=True)
class ScaledTargets:
    """Labels or targets of all samples, as models are trained on them.

    Attributes
    ----------
    y
        ``[N]`` or ``[N, M]``; those of a regression were divided by ``unit`` after ``centre`` was
        taken off.
    unit, centre
        Numbers, or ``[M]``.
    """

    y: np.ndarray
    unit: np.ndarray | float = 1.0
    centre: np.ndarray | float = 0.0

    @property
    def units(self) -> tuple[tuple[float, float], ...]:
        """Unit and centre of each of the M targets."""
        return tuple(zip(np.ravel(self.unit).tolist(), np.ravel(self.centre).tolist()))


def scaled_targets(data: SeriesDataset, clients: list[np.ndarray]) -> ScaledTargets:
    """Return the labels of data, or the targets of a regression scaled over clients' samples."""
    if data.task.kind != "regression":
        return ScaledTargets(data.y)
    y, unit, centre = standardise(data.y, clients)
    return ScaledTargets(y, unit, centre)


def first_weights(training: LocalTraining, seed: int) -> np.ndarray:
    """Draw weights ``[P]`` before any training: for the same architecture and seed the same."""
    first = torch.Generator().manual_seed(int(generator(seed, "supervised").integers(2**62)))
    return training.objective.init(first).numpy()
