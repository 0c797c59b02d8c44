"""The contract of a kind of run: a folder here with ``spec.py`` and ``run.py``.

A run trains and scores some methods, on one setting and seed, and yields lines of scores.
``spec.py`` says what the workflow must know before anything runs, and loads no torch:

``Options``
    A frozen dataclass: the options of a run, with their defaults, choices and help texts.
``NEEDS``
    Inputs beside data and partition; ``("features",)`` or nothing.
``TRAINS``
    Whether it takes gradient steps for long: it then keeps a checkpoint, may use several cores or
    a GPU, and is a job of its own on a cluster.
``PER_METHOD``
    Options that a method may set for itself.
``MEMORY_MB``
    Memory of a job, and of each further thread.
``INDEX``
    Index of a line of its scores: ``("method", "round")`` if tables are made from them.
``job(method, options) -> str``
    Name of the job that runs a method; methods of one job share what can be shared. The name has
    the options that the method sets for itself and that differ from the run's.
``check(options, partitioner)``
    Optional: raise a ``UserError`` if clients of this partition cannot be run with these options.
    The partition is that of its paper, before a scale makes it smaller.
``findings(inputs, options, methods) -> list[str]``
    Optional: sentences on what makes a run's results meaningless. They are printed, and shown
    below its tables.
``threads(options, n_clients) -> int``
    Number of cores to ask for.

Its algorithms are the files of ``kinds/<kind>/algorithms/``.

``run.py`` does it:

``run(inputs, options, methods, metrics, seed, place) -> Iterator[Line]``
    Train and score; bit-identical for any number of workers.
``work(options, methods, task, sizes) -> float``
    GFLOPs of all clients, for estimates; ``sizes`` are their train samples.

A user's own kind is such a folder below ``own/kinds/``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from fedreact import options as opts
from fedreact import plugins
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.task import Task


@dataclass(frozen=True)
class Inputs:
    """What a run reads.

    Attributes
    ----------
    data, partition
        All series, and who holds which.
    features
        ``float32 [N, D]`` of all series under an encoder, if the kind needs them.
    taken
        Local steps, GFLOPs and megabytes of a client in Phase 1: training of that encoder, and the
        features of its train samples.
    setting
        Name of the setting, for messages.
    """

    data: SeriesDataset
    partition: Partition
    features: np.ndarray | None = None
    taken: tuple[float, float, float] = (np.nan, np.nan, np.nan)
    setting: str = ""


@dataclass(frozen=True)
class Method:
    """What a method of the configuration stands for.

    Attributes
    ----------
    name
        Name of the method, with its changes, if any.
    algorithm
        File of its algorithm.
    options
        Options of the algorithm.
    of_run
        Options of the run that it sets for itself.
    """

    name: str
    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    of_run: Mapping[str, Any] = field(default_factory=dict)


class Line(NamedTuple):
    """A line of scores.

    Attributes
    ----------
    index
        Values of the kind's ``INDEX``, for most the method's name and the round.
    values
        By metric; NaN where one is not defined.
    clients
        Arrays ``[K]`` of the clients by name: ``score`` (NaN: not scored), ``cluster`` (-1: not in
        one), ``true_cluster`` (-1: not known). ``None`` if a kind of run has none.
    """

    index: tuple
    values: dict[str, float]
    clients: Mapping[str, np.ndarray] | None = None


def kinds() -> tuple[str, ...]:
    """Names of the kinds of run, the user's own after the project's."""
    return _kinds(Path.cwd())


@cache
def _kinds(here):
    found = [
        *sorted((plugins.PACKAGE / "kinds").glob("*/spec.py")),
        *sorted((plugins.OWN / "kinds").glob("*/spec.py")),
    ]
    return tuple(path.parent.name for path in found)


def part_of(kind: str, part: str) -> ModuleType:
    """``spec`` or ``run`` of a kind of run."""
    return _part_of(Path.cwd(), kind, part)


@cache  # a plan asks ten thousand times
def _part_of(here, kind, part):
    return plugins.module(plugins.find(f"kinds/{kind}", part, _DEFINED[part]))


_DEFINED = {"spec": "Options", "run": "run"}


def method(kind: str, name: str, given: Mapping[str, Any], where: str) -> Method:
    """Check what the configuration says of a method of a kind of run.

    Parameters
    ----------
    given
        ``algorithm`` (the method's name, if it is not given), options of that algorithm, and
        options of the run that a method may set for itself.

    Raises
    ------
    UserError
        The algorithm is unknown, or an option is unknown or has no such value.
    """
    spec = part_of(kind, "spec")
    given = dict(given)
    algorithm = given.pop("algorithm", name)
    try:
        own = algorithm_options(kind, algorithm)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    of_run = {k: given.pop(k) for k in spec.PER_METHOD if k in given and not _has(own, k)}
    if own is not None:
        if unknown := [k for k in given if not _has(own, k)]:
            known = ", ".join([*opts.names(own), *spec.PER_METHOD])
            raise UserError(f"{where}: unknown option {unknown[0]}; known: {known}")
        checked = opts.check(own, given, where)
        given = {k: getattr(checked, k) for k in given}
    set_here = opts.check(opts.part_of(spec.Options, only=tuple(of_run)), of_run, where)
    return Method(name, algorithm, given, opts.vars_of(set_here))


def algorithm_options(kind: str, algorithm: str) -> type | None:
    """Options of an algorithm as a dataclass; ``None`` if it does not say which it has."""
    cls = plugins.load(f"kinds/{kind}/algorithms", algorithm, "ALGORITHM")
    return opts.part_of(cls, without=("setting",)) if is_dataclass(cls) else None


def _has(cls, name):
    return cls is not None and name in opts.names(cls)


def skipped(kind: str, algorithm: str, task: Task) -> str | None:
    """Why an algorithm cannot run on a task; ``None`` if it can."""
    cls = plugins.load(f"kinds/{kind}/algorithms", algorithm, "ALGORITHM")
    return cls.skip(task) if hasattr(cls, "skip") else None
