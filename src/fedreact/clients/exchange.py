"""Tests of clients on another client's samples (FedST, section 5.1: synthetic shift)."""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.errors import UserError
from fedreact.rng import generator


def exchanged(partition: Partition, owner: np.ndarray | None, seed: int) -> list[np.ndarray]:
    """Return the test samples of each client, after owners have exchanged theirs.

    "Mix the test set across clients. Each client holds a test set from another domain." Owners
    stand in a random circle, and each gets the tests of the next one, so nobody keeps his own
    (``exchange`` in config/papers/fedst/ledger.yaml).

    Parameters
    ----------
    owner
        ``int [N]``: owner of each sample; ``None``: every client is an owner of its own.

    Raises
    ------
    UserError
        There is one owner alone.
    """
    owners = np.arange(len(partition.test))
    if owner is not None:
        owners = np.array([owner[samples[0]] for samples in partition.test])
    circle = generator(seed, "exchange").permutation(np.unique(owners))
    if len(circle) < 2:
        raise UserError("exchange: all test samples have one owner; at least two owners are needed")
    following = dict(zip(circle, np.roll(circle, -1)))
    clients = {name: np.flatnonzero(owners == name) for name in circle}
    tests = []
    for k, name in enumerate(owners):
        others = clients[following[name]]
        place = int(np.flatnonzero(clients[name] == k)[0])
        tests.append(partition.test[others[place % len(others)]])
    return tests
