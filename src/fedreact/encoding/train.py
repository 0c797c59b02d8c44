"""Phase 1: train the shared encoder (Algorithm 1), and encode series with it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from fedreact import plugins
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.spec import Options
from fedreact.engine.engine import TrainingJob
from fedreact.engine.local_training import LocalTraining, steps_within, warn_if_missed
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.engine import federate, training_costs
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.models.encoder import Encoder, multiply_adds
from fedreact.rng import generator
from fedreact.task import Task

BATCH = 128
LEAST = 16
"""Series of the smallest batch: products of fewer are rounded otherwise, and a series' features
would depend on how many others there are."""


def make_encoder(name: str, in_channels: int) -> Encoder:
    """Make an encoder of series of so many channels; an unknown name raises ``UserError``."""
    return plugins.load("models/encoders", name, "ENCODER")(in_channels)


def local_training(options: Options, in_channels: int) -> LocalTraining:
    """Make the training of a client in a round."""
    encoder = make_encoder(options.encoder, in_channels)
    return LocalTraining(
        objective=ContrastiveLoss(encoder, options.negatives, options.negative_weighting),
        steps=options.steps,
        batch_size=options.batch_size,
        learning_rate=options.learning_rate,
        optimizer=plugins.make("optimizers", options.optimizer, "OPTIMIZER", "optimizer"),
        precision=options.precision,
    )


def gflops_of_features(encoder: Encoder, length: int) -> float:
    """Count the GFLOPs of one series' features; NaN if the encoder does not count operations."""
    return 2 * multiply_adds(encoder, length) / 1e9


def settled(options: Options, task: Task, sizes: Sequence[int]) -> Options:
    """Return the same training in steps, if it is given in GFLOPs, for clients of these sizes."""
    if options.gflops is None or options.rounds == 0:
        return options
    training = local_training(replace(options, steps=1), task.channels)
    share = options.at_once(len(sizes)) / len(sizes)
    multiplications = training.objective.multiply_adds(task.steps)
    step_gflops = share * options.batch_size * 6 * multiplications / 1e9
    encoder = make_encoder(options.encoder, task.channels)
    features = float(np.mean(sizes)) * gflops_of_features(encoder, task.steps)
    steps = steps_within(options.gflops - features, options.rounds, step_gflops)
    return replace(options, steps=steps, gflops=None)


def train(
    data: SeriesDataset, partition: Partition, options: Options, seed: int, name: str, place: Place
) -> tuple[np.ndarray, np.ndarray]:
    """Train an encoder by FedAvg on the contrastive loss, with a checkpoint after each round.

    ``name`` is that of the work in messages.

    Returns
    -------
    theta, costs
        Weights ``float32 [P]``; local steps, GFLOPs and megabytes that a client's training has
        taken, averaged over all that train: not those that join late.
    """
    clients = [partition.train[k] for k in partition.members]
    budget, sizes = options.gflops, [len(samples) for samples in clients]
    options = settled(options, data.task, sizes)
    training = local_training(options, data.task.channels)
    job = TrainingJob(
        training,
        FedAvg(),
        data.steps_first,
        clients,
        seed,
        per_round=options.clients_per_round,
    )
    theta = first_weights(training, seed)
    steps, gflops = training_costs(job)
    if budget is not None:
        encoder = make_encoder(options.encoder, data.task.channels)
        features = float(np.mean(sizes)) * gflops_of_features(encoder, data.task.steps)
        warn_if_missed(name, budget, options.rounds * gflops + features)
    server, _, megabytes = federate(job, theta, options.rounds, name, place)
    sent = megabytes[-1] if megabytes else 0.0
    return server["theta"], np.array((options.rounds * steps, options.rounds * gflops, sent))


def first_weights(training: LocalTraining, seed: int) -> np.ndarray:
    """Draw weights ``[P]`` of an encoder before any training."""
    init = torch.Generator().manual_seed(int(generator(seed, "encoder").integers(2**62)))
    return training.objective.init(init).numpy()


def encode(data: SeriesDataset, encoder: Encoder, theta: np.ndarray) -> np.ndarray:
    """Compute features ``float32 [N, F]`` of all series.

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
            batch = X[np.arange(first, min(first + BATCH, len(X)))]
            n = len(batch)
            if n < LEAST:
                batch = np.concatenate([batch, np.zeros((LEAST - n, *batch.shape[1:]), np.float32)])
            x = torch.from_numpy(np.ascontiguousarray(batch.transpose(1, 0, 2)))
            parts.append(encoder.encode(weights, x[None])[0, :n].numpy())
    return np.concatenate(parts)


def work(options: Options, task: Task, sizes: Sequence[int]) -> float:
    """Count the GFLOPs of all clients' training."""
    options = settled(options, task, sizes)
    training = local_training(options, task.channels)
    drawn = float(np.mean([training.n_drawn(n) for n in sizes]))
    anchors = drawn * options.at_once(len(sizes)) * options.rounds
    return anchors * 3 * 2 * training.objective.multiply_adds(task.steps) / 1e9
