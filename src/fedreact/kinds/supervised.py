"""What kinds of run share that train architectures with labels."""

from typing import Any

import numpy as np
import torch

from fedreact import plugins
from fedreact.engine.local_training import LocalTraining
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.contract import Architecture
from fedreact.rng import generator
from fedreact.task import Task


def architecture(options: Any, task: Task) -> Architecture:
    """The architecture of a run, for series of the task."""
    made = plugins.load("models/architectures", options.architecture, "ARCHITECTURE")
    return made(in_channels=task.channels, length=task.steps, n_out=task.outputs)


def local_training(options: Any, task: Task, model: Architecture | None = None) -> LocalTraining:
    """What clients do in a round: train a model, the run's architecture if none is given."""
    return LocalTraining(
        SupervisedLoss(
            architecture(options, task) if model is None else model,
            task.kind,
            error=getattr(options, "error", "squared"),
        ),
        options.steps,
        options.batch_size,
        options.learning_rate,
        options.epochs,
        plugins.make("optimizers", options.optimizer, "OPTIMIZER", "optimizer"),
        options.precision,
    )


def first_weights(training: LocalTraining, seed: int) -> np.ndarray:
    """Weights ``[P]`` before any training: for the same architecture and seed the same."""
    first = torch.Generator().manual_seed(int(generator(seed, "supervised").integers(2**62)))
    return training.objective.init(first).numpy()
