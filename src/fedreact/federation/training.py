"""What both halves of a training in rounds share: the job of a client, and its first weights."""

from dataclasses import replace

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.encoding import train as encoding
from fedreact.engine.engine import Arrays, Stacked, TrainingJob
from fedreact.federation.plan import Plan, synchronous_algorithm
from fedreact.kinds import supervised
from fedreact.kinds.synchronous import run as of_run
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.task import Task

ENCODER, MODEL = "encoder", "model"
"""Trainings in rounds: Phase 1 of a clustered kind, and that of a synchronous kind."""


def job(
    plan: Plan,
    task: Task,
    training: str,
    sizes: list[int],
    own: SeriesDataset | None = None,
) -> TrainingJob[Algorithm]:
    """Make the work of clients with so many train samples, which are their first ones.

    Parameters
    ----------
    training
        :data:`ENCODER` or :data:`MODEL`.
    own
        Data of the one client whose process this is; the server has none.
    """
    nothing = np.zeros((0, task.steps, task.channels), np.float32)
    clients = [np.arange(n) for n in sizes]
    if training == ENCODER:
        phase_1 = plan.phase_1
        local = encoding.local_training(phase_1, task.channels)
        X = own.steps_first if own else nothing
        return TrainingJob(
            local, FedAvg(), X, clients, plan.seed, per_round=phase_1.clients_per_round
        )
    run = plan.synchronous
    algorithm = synchronous_algorithm(plan, task)
    local = of_run.local_training(run, task, algorithm.model)
    per_round = of_run.per_round(run, len(sizes))
    X, y = (supervised.series(own, supervised.model_of(local)), own.y) if own else (nothing, None)
    return TrainingJob(local, algorithm, X, clients, plan.seed, y, per_round)


def first_weights(plan: Plan, made: TrainingJob[Algorithm], training: str) -> np.ndarray:
    """Draw the weights ``[P]`` before round 1, the same at the server and at each client."""
    if training == ENCODER:
        return encoding.first_weights(made.training, plan.seed)
    return supervised.first_weights(made.training, plan.seed)


def rehearsed(made: TrainingJob[Algorithm], task: Task, theta: np.ndarray, sent: Arrays) -> Arrays:
    """Return what a client uploads, each ``[1, ...]``, by a step on series of zeros and ones.

    The server learns the shapes of uploads so, before it asks anybody. ``theta [P]`` are the first
    weights, and ``sent`` is what clients are sent in this round: another round may have others.
    """
    n = 2 * max(task.outputs, 2)
    X = np.zeros((n, task.steps, task.channels), np.float32)
    X[::2] = 1.0
    if task.kind == "classification":
        y = np.arange(n) % task.outputs
    else:
        y = np.arange(n)[:, None] % 2 == np.arange(task.outputs) % 2
    training = replace(made.training, steps=1, stacked=1)
    samples = [np.arange(n)]
    alone = replace(made, training=training, X=X, y=y, clients=samples, per_round=None)
    uploads, _ = Stacked(alone, "cpu", 1).round(sent, made.algorithm.start(theta, 1), 1)
    return uploads
