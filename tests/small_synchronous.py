"""Three clients with short series, for runs of synchronous training that take a second."""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.kinds import contract
from fedreact.kinds.synchronous.spec import Options
from fedreact.metrics.grammar import load_metric

N, T = 90, 12
RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(N, 2, T)).astype(np.float32)
LABEL = RNG.integers(0, 3, N)
SERIES[:, 0] += LABEL[:, None]
TARGETS = {
    "classification": LABEL,
    "multi-label": (LABEL[:, None] > np.array([0, 1])) ^ (RNG.random((N, 2)) < 0.1),
    "regression": (20 + 4 * SERIES[:, 0].mean(1)).astype(np.float32),
    "several": np.stack([20 + 4 * SERIES[:, 0].mean(1), SERIES[:, 1, 0] / 9 - 5], 1).astype("f4"),
}
TRAIN = [np.arange(0, 30), np.arange(30, 45), np.arange(45, 52)]
TEST = [np.arange(52, 70), np.arange(70, 84), np.array([89, 60, 61, 84])]
NOTHING = np.zeros(0, np.int64)
PARTITION = Partition(
    *(np.array([0, 0, 1]), TRAIN, TEST),
    *(np.zeros((2, 0), np.int64), np.zeros((2, 1, 0)), NOTHING),
)
OPTIONS = Options(architecture="lstm", rounds=2, epochs=2, batch_size=8, learning_rate=0.01)


def inputs(kind="classification"):
    data = SeriesDataset("toy", SERIES, np.full(N, T), TARGETS[kind])
    return contract.Inputs(data, PARTITION, setting="a setting")


def metrics(*names):
    return {name: load_metric(name) for name in names}


def methods(*names):
    return [contract.method("synchronous", name, {}, "here") for name in names]
