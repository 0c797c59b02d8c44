"""Tests of clients on another client's samples (FedST, section 5.1: synthetic shift)."""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.errors import UserError
from fedreact.rng import generator


def exchanged(partition: Partition, owner: np.ndarray | None, seed: int) -> list[np.ndarray]:
    """Test samples of each client, after owners have exchanged theirs.

    "Mix the test set across clients. Each client holds a test set from another domain." Owners
    stand in a random circle, and each gets the tests of the next one, so nobody keeps his own
    (``exchange`` in config/papers/fedst/ledger.yaml).

    Parameters
    ----------
    owner
        ``int [N]``: whose each sample is; ``None``: every client is an owner of its own.

    Raises
    ------
    UserError
        There is one owner alone.
    """
    whose = np.arange(len(partition.test))
    if owner is not None:
        whose = np.array([owner[samples[0]] for samples in partition.test])
    people = generator(seed, "exchange").permutation(np.unique(whose))
    if len(people) < 2:
        raise UserError("exchange: all test samples have one owner; at least two owners are needed")
    following = dict(zip(people, np.roll(people, -1)))
    clients = {one: np.flatnonzero(whose == one) for one in people}
    found = []
    for k, one in enumerate(whose):
        other = clients[following[one]]
        part = int(np.flatnonzero(clients[one] == k)[0])
        found.append(partition.test[other[part % len(other)]])
    return found
