"""Run universes: all methods of a universe on the same clients, features and samples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from fedreact import options, plugins
from fedreact.engine.place import Place
from fedreact.runs import contract as runs
from fedreact.runs import jobs


@dataclass(frozen=True)
class Universe:
    """What is run in one universe.

    Attributes
    ----------
    number, seed
        Its place in the sample; the seed of clients, samples and models.
    partition, features
        Files; features only if the kind of run needs them.
    options
        Options of the run that are not the defaults.
    methods
        Options of methods that differ from those of the configuration, by method.
    """

    number: int
    seed: int
    partition: str
    features: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def scores(
    kind: str,
    data: str,
    methods: Mapping[str, Mapping[str, Any]],
    universes: Sequence[Universe],
    metrics: Sequence[str],
    last: bool,
) -> pd.DataFrame:
    """Run universes one after the other.

    Parameters
    ----------
    kind, data
        Kind of run; file of the dataset.
    methods
        What each method stands for in the configuration: ``algorithm`` and options.
    universes
        What to run.
    metrics
        Names of metrics.
    last
        Whether a score is the last round's, instead of the mean over rounds.

    Returns
    -------
    pandas.DataFrame
        Columns ``universe, seed, method`` and the metrics, which are NaN where one is not defined.
    """
    lines = [line for one in universes for line in _run(kind, data, methods, one, metrics, last)]
    return pd.DataFrame(lines, columns=["universe", "seed", "method", *metrics])


def _run(kind, data, methods, universe, metrics, last) -> Iterator[list]:
    spec, of_kind = (runs.part_of(kind, part) for part in ("spec", "run"))
    inputs = _inputs(kind, data, universe.partition, universe.features)
    of_run = options.check(spec.Options, dict(universe.options), f"universe {universe.number}")
    given = {name: {**of, **universe.methods.get(name, {})} for name, of in methods.items()}
    made = jobs.read_methods(kind, given, inputs.data.task)
    loaded = {name: plugins.load("metrics", name, "METRIC") for name in metrics}
    computed = {name: metric for name, metric in loaded.items() if metric.samples is not None}
    rounds: dict[str, list[list[float]]] = {name: [] for name in given}
    for line in of_kind.run(inputs, of_run, made, computed, universe.seed, Place()):
        rounds[line.index[0]].append([line.values.get(name, np.nan) for name in metrics])
    for name, values in rounds.items():
        shown = values[-1:] if last else values
        yield [universe.number, universe.seed, name, *np.mean(shown, axis=0)]


@lru_cache(maxsize=16)
def _inputs(kind, data, partition, features):
    files = {"data": Path(data), "partition": Path(partition)}
    files["features"] = None if features is None else Path(features)
    named = SimpleNamespace(kind=kind, setting="multiverse", **files)
    return jobs.read_inputs(named, runs.part_of(kind, "spec"))
