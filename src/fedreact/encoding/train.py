"""Phase 1: train the shared encoder (Algorithm 1), and encode series with it."""

from collections.abc import Sequence

import numpy as np
import torch

from fedreact import plugins
from fedreact.algorithms.synchronous.fedavg import FedAvg
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.spec import Options
from fedreact.engine.engine import Job
from fedreact.engine.federate import federate, training_costs
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.models.encoder import Encoder
from fedreact.rng import generator
from fedreact.task import Task

BATCH = 128


def make_encoder(name: str, in_channels: int) -> Encoder:
    """Make an encoder of series of so many channels; an unknown name raises ``UserError``."""
    return plugins.load("models/encoders", name, "ENCODER")(in_channels)


def local_training(options: Options, in_channels: int) -> LocalTraining:
    """What clients do in a round."""
    encoder = make_encoder(options.encoder, in_channels)
    return LocalTraining(
        ContrastiveLoss(encoder, options.negatives, options.negative_weighting),
        options.steps,
        options.batch_size,
        options.learning_rate,
        optimizer=plugins.make("optimizers", options.optimizer, "OPTIMIZER", "optimizer"),
    )


def train(
    data: SeriesDataset, partition: Partition, options: Options, seed: int, what: str, place: Place
) -> tuple[np.ndarray, np.ndarray]:
    """Train by FedAvg on the contrastive loss, with a checkpoint after each round.

    Returns
    -------
    theta, costs
        Weights ``float32 [P]``; local steps and GFLOPs that a client's training has taken.
    """
    training = local_training(options, data.task.channels)
    job = Job(training, FedAvg(), data.steps_first, partition.train, seed)
    init = torch.Generator().manual_seed(int(generator(seed, "encoder").integers(2**62)))
    theta = training.objective.init(init).numpy()
    server, _ = federate(job, theta, options.rounds, what, place)
    return server["theta"], options.rounds * np.array(training_costs(job))


def encode(data: SeriesDataset, encoder: Encoder, theta: np.ndarray) -> np.ndarray:
    """Features ``float32 [N, F]`` of all series.

    Raises
    ------
    UserError
        The weights are of other series.
    """
    if theta.shape != (encoder.n_parameters,):
        raise UserError(f"the encoder was trained for other data than {data.name}")
    weights, X = torch.from_numpy(theta)[None], data.steps_first
    torch.set_num_threads(1)
    parts = []
    with torch.inference_mode():
        for first in range(0, len(X), BATCH):
            at = np.arange(first, min(first + BATCH, len(X)))
            x = torch.from_numpy(np.ascontiguousarray(X[at].transpose(1, 0, 2)))
            parts.append(encoder.encode(weights, x[None])[0].numpy())
    return np.concatenate(parts)


def work(options: Options, task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs of all clients' training."""
    training = local_training(options, task.channels)
    anchors = sum(training.n_drawn(n) for n in sizes) * options.rounds
    return anchors * 3 * 2 * training.objective.multiply_adds(task.steps) / 1e9
