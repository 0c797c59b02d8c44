"""Parts of the library in one call each, on arrays in memory: for notebooks and trials.

The workflow does the same in steps whose results are files, with records, checkpoints and many
cores; what is done here leaves nothing behind.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact import options, plugins
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.owner import Owner
from fedreact.data.dataset import SeriesDataset
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds import jobs


def dataset(X: np.ndarray, y: np.ndarray, owner: np.ndarray, name: str = "mine") -> SeriesDataset:
    """Series with their labels or targets, and whose each is.

    Parameters
    ----------
    X
        ``[N, channels, steps]`` numbers, all of one length.
    y
        Integers ``[N]``: labels from 0; booleans ``[N, M]``: which of M labels are true; else
        targets ``[N]`` or ``[N, M]`` of a regression.
    owner
        Integers ``[N]``: whose each series is.
    name
        Name of the data, for messages.

    Raises
    ------
    UserError
        Shapes do not fit, or numbers are missing or infinite.
    """
    X, y = np.asarray(X, np.float32), np.asarray(y)
    if X.ndim != 3:
        raise UserError(f"X must be [N, channels, steps], got {X.shape}")
    if y.dtype.kind != "b":
        y = y.astype(np.int64 if y.dtype.kind in "iu" else np.float32)
    return SeriesDataset(
        name, X, np.full(len(X), X.shape[2], np.int64), y, np.asarray(owner, np.int64)
    )


def clients_of(data: SeriesDataset, seed: int = 0, **partition_options: Any) -> Partition:
    """Deal series to clients: a client of each owner.

    Parameters
    ----------
    data
        With owners.
    seed
        Seed of the test sets.
    partition_options
        Options of the partitioner ``owner``, e.g. ``test_share=0.3`` (``make options OF=owner``).

    Raises
    ------
    UserError
        There are no owners, or a client would have no series to train on or to be tested on.
    """
    return Owner(**partition_options).deal(data, seed)


def features_of(
    data: SeriesDataset, partition: Partition, seed: int = 0, **encoder_options: Any
) -> np.ndarray:
    """Phase 1 of Fed-REACT (Algorithm 1): an encoder trained by all clients, without labels.

    Parameters
    ----------
    data, partition
        The series, and who holds which.
    seed
        Seed of the encoder's first weights and of the clients' draws.
    encoder_options
        Options of the encoder (``make options OF=encoder``); ``rounds=0`` leaves it as it is drawn.

    Returns
    -------
    numpy.ndarray
        ``float32 [N, F]``: features of all series.

    Raises
    ------
    UserError
        An option is unknown or out of bounds, or the training diverges.
    """
    from fedreact.encoding import train
    from fedreact.encoding.spec import Options

    of_training = options.check(Options, encoder_options, "encoder")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(checkpoint=Path(folder, "checkpoint.npz"))
        theta, _ = train.train(data, partition, of_training, seed, "encoder", place)
    return train.encode(data, train.make_encoder(of_training.encoder, data.task.channels), theta)


def compare(
    data: SeriesDataset,
    partition: Partition,
    methods: Mapping[str, Mapping[str, Any]],
    kind: str = "clustered",
    features: np.ndarray | None = None,
    metrics: Sequence[str] = (),
    seed: int = 0,
    **run_options: Any,
) -> pd.DataFrame:
    """Run methods of one kind side by side.

    Parameters
    ----------
    data, partition
        The series, and who holds which.
    methods
        As ``experiment.yaml`` has them: ``algorithm`` and its options, by name. Your own
        algorithms are found below ``own/`` (docs/howto/own_method.md).
    kind
        ``clustered``, ``synchronous`` or ``asynchronous``.
    features
        Features of all series, for clustered methods.
    metrics
        Names; that of the task if none is given.
    seed
        Seed of all draws.
    run_options
        Options of the run (``make options OF=<kind>``).

    Returns
    -------
    pandas.DataFrame
        A line for each scored round and method: ``method, round`` and scores. Methods that cannot
        run on this task are left out; ``attrs["left_out"]`` says why.

    Raises
    ------
    UserError
        A name or an option is unknown, features are missing, or a training diverges.
    """
    spec, run = (runs.part_of(kind, part) for part in ("spec", "run"))
    of_run = options.check(spec.Options, run_options, kind)
    if kind == "clustered" and features is None:
        raise UserError("clustered methods need features of all series; see fedreact.features_of")
    asked = [runs.method(kind, name, entry, f"method {name}") for name, entry in methods.items()]
    why = {one.name: runs.skipped(kind, one.algorithm, data.task) for one in asked}
    asked = [one for one in asked if not why[one.name]]
    inputs = runs.Inputs(data, partition, features)
    wanted = jobs.read_metrics(list(metrics), data.task)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(checkpoint=Path(folder, "checkpoint.npz"))
        lines = list(run.run(inputs, of_run, asked, wanted, seed, place))
    scores = [dict(zip(spec.INDEX, line.index)) | dict(line.values) for line in lines]
    table = pd.DataFrame(scores)
    table.attrs["left_out"] = {name: reason for name, reason in why.items() if reason}
    return table


def algorithms_of(kind: str) -> list[str]:
    """Names of the algorithms of a kind of run, yours after the project's."""
    return plugins.names(f"kinds/{kind}/algorithms", "ALGORITHM")
