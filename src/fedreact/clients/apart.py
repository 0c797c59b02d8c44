"""Partitions for choosing options: they hold no sample that a table is tested on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.contract import Partitioner
from fedreact.clients.regimes.contract import limited
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError


def deal(
    partitioner: Partitioner, data: SeriesDataset, seed: int, others: Sequence[Path] = ()
) -> Partition:
    """Deal the samples that are in no test set of other partitions.

    Parameters
    ----------
    others
        Files of partitions of the same data; with none, all samples are dealt.

    Raises
    ------
    UserError
        The others test on all samples.
    """
    if not others:
        return limited(partitioner, data, seed)
    tests = [tested(Partition.load(path, len(data.y))) for path in others]
    untested = np.setdiff1d(np.arange(len(data.y)), np.concatenate(tests))
    if not len(untested):
        raise UserError(
            "the tables' partitions test on all samples, so none is left to choose options on; "
            "use fewer seeds or a smaller test share"
        )
    return in_dataset(limited(partitioner, data.take(untested), seed), untested)


def tested(partition: Partition) -> np.ndarray:
    """Return the indices of all samples that some client is tested on."""
    return np.unique(np.concatenate([*partition.test, partition.held_out]))


def in_dataset(partition: Partition, indices: np.ndarray) -> Partition:
    """Return the partition of a part of a dataset, by indices of the whole dataset.

    ``indices [n]`` are the places of the part's samples in the whole.
    """
    tests, labelled = partition.tested, partition.labelled
    return replace(
        partition,
        train=[indices[samples] for samples in partition.train],
        test=[indices[samples] for samples in partition.test],
        held_out=indices[partition.held_out],
        labelled=None if labelled is None else [indices[samples] for samples in labelled],
        tested=None if tests is None else indices[tests],
    )
