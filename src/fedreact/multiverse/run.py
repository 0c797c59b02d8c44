"""Run universes: all methods of a universe on the same clients, features and samples.

A universe is *drawn* or *tuned*. A drawn one says which options each method has. In a tuned one
each method has several candidates, and runs with the one that is best on validation samples, which
no table uses. The search is the same for all methods: as many candidates, on the same samples.
"""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact import options
from fedreact.engine.place import Place
from fedreact.errors import Diverged
from fedreact.kinds import contract as runs
from fedreact.kinds import jobs
from fedreact.metrics.grammar import load_metric


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
    last
        Whether a score is the last round's, instead of the mean over rounds.
    methods
        Options of methods that differ from those of the configuration, by method.
    candidates
        Options that each method chooses from, by method; none in a drawn universe.
    validation
        What of the universe is different where candidates are compared.
    """

    number: int
    seed: int
    partition: str
    features: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    last: bool = False
    methods: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    candidates: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    validation: Mapping[str, Any] = field(default_factory=dict)


def scores(
    kind: str,
    data: str,
    methods: Mapping[str, Mapping[str, Any]],
    universes: Sequence[Universe],
    metric: str,
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
    metric
        Name of the metric.

    Returns
    -------
    pandas.DataFrame
        Columns ``universe``, ``seed``, ``method``, ``options`` (what a tuned method has chosen, as
        JSON; else empty) and the metric, which is NaN where it is not defined, or where the method
        diverges.
    """
    lines = []
    for universe in universes:
        chosen = choose(kind, data, methods, universe, metric)
        made = drawn(methods, universe)
        for name, of in chosen.items():
            made[name] |= of
        for name, score in _run(kind, data, made, universe, metric).items():
            text = json.dumps(chosen[name], sort_keys=True) if name in chosen else ""
            lines.append([universe.number, universe.seed, name, text, score])
    return pd.DataFrame(lines, columns=["universe", "seed", "method", "options", metric])


def choose(kind, data, methods, universe: Universe, metric: str) -> dict[str, Mapping[str, Any]]:
    """Best candidate of each method on validation samples; the first of equal ones.

    A candidate that diverges is worse than any other.
    """
    places = [(name, i) for name, of in universe.candidates.items() for i in range(len(of))]
    if not places:
        return {}
    given, alike = candidates(methods, universe)
    scored = _run(kind, data, given, alike, metric)
    sign = -1 if load_metric(metric).better == "lower" else 1
    best: dict[str, tuple[float, int]] = {}
    for name, i in places:
        score = np.nan_to_num(sign * scored[f"{name} {i}"], nan=-np.inf)
        if name not in best or score > best[name][0]:
            best[name] = (score, i)
    return {name: universe.candidates[name][i] for name, (_, i) in best.items()}


def candidates(
    methods: Mapping[str, Mapping[str, Any]], universe: Universe
) -> tuple[dict[str, dict[str, Any]], Universe]:
    """Return candidates as methods, named ``<method> <number>``, and where they are compared."""
    given = {
        f"{name} {i}": {**methods[name], **one}
        for name, of_method in universe.candidates.items()
        for i, one in enumerate(of_method)
    }
    return given, replace(universe, **universe.validation)


def drawn(
    methods: Mapping[str, Mapping[str, Any]], universe: Universe
) -> dict[str, dict[str, Any]]:
    """Return the methods with the options that a universe draws."""
    return {name: {**of, **universe.methods.get(name, {})} for name, of in methods.items()}


def _run(kind, data, methods, universe: Universe, metric: str) -> dict[str, float]:
    """Scores of methods in a universe; NaN for a method whose training diverges."""
    try:
        return _scores(kind, data, methods, universe, metric)
    except Diverged:
        if len(methods) == 1:
            return dict.fromkeys(methods, np.nan)
    return {
        name: _run(kind, data, {name: one}, universe, metric)[name] for name, one in methods.items()
    }


def _scores(kind, data, methods, universe: Universe, metric: str) -> dict[str, float]:
    """Scores of methods, as they are configured, in a universe."""
    spec, of_kind = (runs.part_of(kind, part) for part in ("spec", "run"))
    inputs = _inputs(kind, data, universe.partition, universe.features)
    of_run = options.check(spec.Options, dict(universe.options), f"universe {universe.number}")
    made = jobs.read_methods(kind, methods, inputs.data.task)
    loaded = load_metric(metric)
    computed = {} if loaded.samples is None else {metric: loaded}
    rounds: dict[str, list[float]] = {name: [] for name in methods}
    for line in of_kind.run(inputs, of_run, made, computed, universe.seed, Place()):
        rounds[line.index[0]].append(line.values.get(metric, np.nan))
    return {
        name: float(values[-1] if universe.last else np.mean(values))
        for name, values in rounds.items()
    }


@lru_cache(maxsize=16)
def _inputs(kind, data, partition, features):
    files = {"data": Path(data), "partition": Path(partition)}
    encoded = None if features is None else Path(features)
    named = Namespace(kind=kind, setting="multiverse", features=encoded, **files)
    return jobs.read_inputs(named, runs.part_of(kind, "spec"))
