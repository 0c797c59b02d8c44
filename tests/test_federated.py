"""Algorithm 1: aggregation, and engines that agree whatever does the work."""

import numpy as np
import pytest
import torch

from fedreact.errors import UserError
from fedreact.federated.engine import LocalTraining, Stacked, Workers, resolve_device
from fedreact.federated.fedavg import fedavg, weighted_mean
from fedreact.models.causal_cnn import CausalCNN

ENCODER = CausalCNN(channels=4, depth=2, reduced_size=6, out_channels=5)
TRAINING = LocalTraining(ENCODER, steps=4, batch_size=3)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 20, 3)).astype(np.float32)
CLIENTS = [np.arange(0, 12), np.arange(10, 40), np.array([5])]
THETA = ENCODER.init(torch.Generator().manual_seed(0)).numpy()


def train(engine, rounds=range(1, 3), theta=THETA):
    n_samples = np.array([len(c) for c in CLIENTS])
    with engine:
        return list(fedavg(engine, theta, n_samples, rounds))


def test_weighted_mean_by_hand():
    uploads = np.array([[1.0, 0.0], [3.0, 4.0]], dtype=np.float32)
    assert weighted_mean(uploads, np.array([1, 3])).tolist() == [2.5, 3.0]


def test_number_of_workers_changes_no_bit():
    one = train(Workers(TRAINING, X, CLIENTS, seed=1, n=1))
    two = train(Workers(TRAINING, X, CLIENTS, seed=1, n=2))
    assert [t for t, _ in one] == [1, 2]
    for (_, a), (_, b) in zip(one, two):
        assert a.tobytes() == b.tobytes()


def test_stacked_clients_agree_with_workers():
    workers = train(Workers(TRAINING, X, CLIENTS, seed=1, n=1))[-1][1]
    stacked = train(Stacked(TRAINING, X, CLIENTS, seed=1, device="cpu"))[-1][1]
    moved = np.abs(workers - THETA).max()
    assert np.abs(workers - stacked).max() < 1e-3 * moved


def test_training_continues_from_a_round_to_the_same_bits():
    whole = train(Stacked(TRAINING, X, CLIENTS, seed=1, device="cpu"), range(1, 4))
    (_, middle) = whole[0]
    rest = train(Stacked(TRAINING, X, CLIENTS, seed=1, device="cpu"), range(2, 4), middle)
    assert rest[-1][1].tobytes() == whole[-1][1].tobytes()


def test_a_clients_update_does_not_depend_on_the_others():
    # Its stream is keyed by its number, so it is the same whatever the others draw and hold.
    def updates(clients):
        with Stacked(TRAINING, X, clients, seed=1, device="cpu") as engine:
            return engine.round(THETA, 1, lambda done, loss: None)

    before, after = updates(CLIENTS), updates([np.arange(30, 35), *CLIENTS[1:]])
    moved = np.abs(before - THETA).max()
    assert np.abs(before[1:] - after[1:]).max() < 1e-3 * moved
    assert np.abs(before[0] - after[0]).max() > 1e-2 * moved


def test_progress_counts_every_step():
    seen = []
    with Workers(TRAINING, X, CLIENTS, seed=1, n=2) as engine:
        engine.round(THETA, 1, lambda done, loss: seen.append((done, loss)))
    assert seen[-1][0] == 3 * 4
    assert 0 < seen[-1][1] < 100


def test_seed_and_round_change_the_update():
    def update(seed, t):
        with Stacked(TRAINING, X, CLIENTS, seed, device="cpu") as engine:
            return engine.round(THETA, t, lambda done, loss: None)

    assert not np.array_equal(update(1, 1), update(2, 1))
    assert not np.array_equal(update(1, 1), update(1, 2))


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_asking_for_a_missing_gpu_is_a_clear_error():
    with pytest.raises(UserError, match="set device: cpu"):
        resolve_device("cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_gpu_agrees_with_workers():
    workers = train(Workers(TRAINING, X, CLIENTS, seed=1, n=1))[-1][1]
    gpu = train(Stacked(TRAINING, X, CLIENTS, seed=1, device="cuda"))[-1][1]
    assert np.abs(workers - gpu).max() < 1e-2 * np.abs(workers - THETA).max()
