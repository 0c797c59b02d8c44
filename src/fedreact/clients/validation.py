"""Held-out train samples for choosing options; no test sample is used."""

from dataclasses import replace

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.errors import UserError
from fedreact.rng import generator


def held_back(partition: Partition, n_samples: int, seed: int) -> Partition:
    """Test on a tenth of all train samples instead; nobody trains on them, nor on the test samples.

    Clients share samples, so one draw decides for all of them. If it has no sample of a client, one
    of that client's is added.

    Parameters
    ----------
    n_samples
        Samples of the dataset.

    Raises
    ------
    UserError
        A client would have nothing left to train on.
    """
    draws_from_all = len(partition.held_out) > 0
    pool = np.unique(np.concatenate(partition.train))
    if draws_from_all:
        pool = np.setdiff1d(np.arange(n_samples), partition.held_out)
    order = generator(seed, "validation").permutation(pool)
    held = order[: len(order) // 10]
    for indices in partition.train:
        if not np.isin(indices, held).any():
            held = np.append(held, order[np.isin(order, indices)][:1])
    test = [np.sort(indices[np.isin(indices, held)]) for indices in partition.train]
    train = [np.sort(indices[~np.isin(indices, held)]) for indices in partition.train]
    for k, left in enumerate(train):
        if not len(left):
            raise UserError(f"{partition.client(k)} has too few train samples to hold some back")
    drawn = replace(partition, train=train, test=test)
    if draws_from_all:
        closed = np.union1d(partition.held_out, held)
        drawn = replace(drawn, held_out=closed, tested=np.sort(held))
    return drawn
