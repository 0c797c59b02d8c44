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
    Name of the job that runs a method; methods of one job share what can be shared. Options that
    the method sets otherwise than the run are part of the name.
``check(options, partitioner)``
    Optional: raise a ``UserError`` if clients of this partition cannot be run with these options.
    The partition is that of its paper, before a scale makes it smaller.
``findings(inputs, options, methods) -> list[str]``
    Optional: sentences on what makes a run's results meaningless. They are printed, and shown
    below its tables.
``NEWCOMERS``
    Optional: whether clients may join after the training (:mod:`fedreact.clients.regimes`).
``threads(options, n_clients) -> int``
    Number of cores to ask for.

``role(method, options) -> Role``
    Optional: part of a method in a comparison. Without it, the algorithm says it: its attribute
    ``role``, or static method ``role(options of the method)``; without either it is ``federated``.

Its algorithms are the files of ``kinds/<kind>/algorithms/``; a kind without methods has no such
folder.

``run.py`` does it:

``run(inputs, options, methods, metrics, seed, place) -> Iterator[Line]``
    Train and score; bit-identical for any number of workers. ``place`` says where: device, workers
    and checkpoint (:class:`fedreact.engine.place.Place`).
``work(options, methods, task, sizes) -> float``
    GFLOPs of all clients, for estimates; ``sizes`` are their train samples.

A user's own kind is such a folder below ``own/kinds/``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np

from fedreact import options as opts
from fedreact import plugins
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.task import Task


@runtime_checkable
class WithFindings(Protocol):
    """A ``run.py`` that says what makes its results meaningless."""

    def findings(self, inputs: "Inputs", options: Any, methods: Sequence["Method"]) -> list[str]:
        """Return sentences; none if the results mean something."""


@runtime_checkable
class Skipping(Protocol):
    """An algorithm that says which tasks it cannot run on."""

    def skip(self, task: Task) -> str | None:
        """Say why it cannot run on a task; ``None`` if it can."""


Role = Literal["federated", "alone", "trivial", "simple", "pooled"]
"""Part of a method in a comparison: a federated method; clients that each train alone; a predictor
that learns nothing; a simple model of each client alone; a model of all data in one place."""


@dataclass(frozen=True)
class Inputs:
    """Inputs of a run.

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
    """A method of the configuration: its algorithm and options.

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


@dataclass(frozen=True)
class Line:
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

    index: tuple[str | int, ...]
    values: dict[str, float]
    clients: Mapping[str, np.ndarray] | None = None


def kinds() -> tuple[str, ...]:
    """Return the names of the kinds of run, the user's own after the project's."""
    return _kinds(Path.cwd())


@cache
def _kinds(folder: Path) -> tuple[str, ...]:
    """Do what :func:`kinds` does, once for each current folder."""
    files = [
        *sorted((plugins.PACKAGE / "kinds").glob("*/spec.py")),
        *sorted((plugins.OWN / "kinds").glob("*/spec.py")),
    ]
    return tuple(path.parent.name for path in files)


def part_of(kind: str, part: str) -> ModuleType:
    """Load ``spec`` or ``run`` of a kind of run."""
    return _part_of(Path.cwd(), kind, part)


@cache  # a plan asks ten thousand times
def _part_of(folder: Path, kind: str, part: str) -> ModuleType:
    """Do what :func:`part_of` does, once for each current folder."""
    return plugins.module(plugins.find(f"kinds/{kind}", part, _DEFINED[part]))


_DEFINED = {"spec": "Options", "run": "run"}


def method(kind: str, name: str, entry: Mapping[str, Any], where: str) -> Method:
    """Check the entry of a method of a kind of run in the configuration.

    Parameters
    ----------
    entry
        ``algorithm`` (the method's name, if it is missing), options of that algorithm, and options
        of the run that a method may set for itself.

    Raises
    ------
    UserError
        The algorithm is unknown, or an option is unknown or has no such value.
    """
    spec = part_of(kind, "spec")
    own = dict(entry)
    algorithm = own.pop("algorithm", name)
    try:
        cls = algorithm_options(kind, algorithm)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    names = [] if cls is None else opts.names(cls)
    of_run = {k: own.pop(k) for k in spec.PER_METHOD if k in own and k not in names}
    if cls is not None:
        if unknown := [k for k in own if k not in names]:
            known = ", ".join([*names, *spec.PER_METHOD])
            raise UserError(f"{where}: unknown option {unknown[0]}; known: {known}")
        checked = opts.vars_of(opts.check(cls, own, where))
        own = {k: checked[k] for k in own}
    run_options = opts.part_of(spec.Options, only=tuple(of_run))
    return Method(name, algorithm, own, opts.vars_of(opts.check(run_options, of_run, where)))


def algorithm_options(kind: str, algorithm: str) -> type[Any] | None:
    """Return an algorithm's options as a dataclass; ``None`` if it does not say which it has."""
    cls = plugins.load(f"kinds/{kind}/algorithms", algorithm, "ALGORITHM")
    if isinstance(cls, type) and is_dataclass(cls):
        return opts.part_of(cls, without=("setting",))
    return None


def job_name(name: str, changes: Mapping[str, Any]) -> str:
    """Name a job after what its methods share, and the options that they change."""
    return "+".join([name, *(f"{key}={opts.text_of(v)}" for key, v in sorted(changes.items()))])


def skipped(kind: str, algorithm: str, task: Task) -> str | None:
    """Say why an algorithm cannot run on a task; ``None`` if it can."""
    cls = plugins.load(f"kinds/{kind}/algorithms", algorithm, "ALGORITHM")
    return cls.skip(task) if isinstance(cls, Skipping) else None


def role(kind: str, method: Method, options: Any) -> Role:
    """Return the part of a method in a comparison; ``options`` are those of its run."""
    spec = part_of(kind, "spec")
    if hasattr(spec, "role"):
        return _as_role(spec.role(method, options))
    cls = plugins.load(f"kinds/{kind}/algorithms", method.algorithm, "ALGORITHM")
    of_class = getattr(cls, "role", "federated")
    return _as_role(of_class(method.options) if callable(of_class) else of_class)


def _as_role(name: Any) -> Role:
    """Check a role."""
    if name not in get_args(Role):
        raise UserError(f"role {name!r} is unknown; known: {', '.join(get_args(Role))}")
    return name
