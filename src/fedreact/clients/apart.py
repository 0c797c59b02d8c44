"""Partitions for choosing options: they hold no sample that a table is tested on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.contract import Partitioner
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError


def deal(
    partitioner: Partitioner, data: SeriesDataset, seed: int, others: Sequence[Path] = ()
) -> Partition:
    """Deal the samples that are in no test set of other partitions.

    Parameters
    ----------
    others
        Partitions of the same data; with none, all samples are dealt.

    Raises
    ------
    UserError
        The others test on all samples.
    """
    if not others:
        return partitioner.deal(data, seed)
    tests = (tested(Partition.load(path, len(data.y))) for path in others)
    open_to_all = np.setdiff1d(np.arange(len(data.y)), np.concatenate(list(tests)))
    if not len(open_to_all):
        raise UserError(
            "the tables' partitions test on all samples, so none is left to choose options on; "
            "use fewer seeds or a smaller test share"
        )
    return in_dataset(partitioner.deal(data.take(open_to_all), seed), open_to_all)


def tested(partition: Partition) -> np.ndarray:
    """Indices of all samples that anyone is tested on."""
    return np.unique(np.concatenate([*partition.test, partition.held_out]))


def in_dataset(partition: Partition, indices: np.ndarray) -> Partition:
    """The partition of a part of a dataset, by indices of the whole; ``indices`` are the part's."""
    tests = partition.tested
    return replace(
        partition,
        train=[indices[samples] for samples in partition.train],
        test=[indices[samples] for samples in partition.test],
        held_out=indices[partition.held_out],
        tested=None if tests is None else indices[tests],
    )
