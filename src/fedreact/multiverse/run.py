"""Run universes: all methods of a universe on the same clients, features and samples.

A universe is *drawn* or *tuned*. A drawn one says which options each method has. In a tuned one
each method has several candidates, and runs with the one that is best on validation samples, which
no table uses. The search is the same for all methods: as many candidates, on the same samples.
"""

import json
import tempfile
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

Methods = Mapping[str, Mapping[str, Any]]
"""``algorithm`` and options of each method."""


@dataclass(frozen=True)
class Universe:
    """A universe: the seed, files and options that its methods run with.

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
        Fields of the universe that differ where candidates are compared.
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
    methods: Methods,
    universes: Sequence[Universe],
    metric: str,
) -> pd.DataFrame:
    """Run universes one after the other.

    Parameters
    ----------
    kind, data
        Kind of run; file of the dataset.
    methods
        ``algorithm`` and options of each method in the configuration.
    universes
        The universes to run.
    metric
        Name of the metric.

    Returns
    -------
    pandas.DataFrame
        Columns ``universe``, ``seed``, ``method``, ``options`` (those that a tuned method has
        chosen, as JSON; else empty) and the metric, which is NaN where it is not defined, or where
        the method diverges.
    """
    lines = []
    for universe in universes:
        chosen = choose(kind, data, methods, universe, metric)
        made = drawn(methods, universe)
        for name, chosen_options in chosen.items():
            made[name] |= chosen_options
        for name, score in _run(kind, data, made, universe, metric).items():
            text = json.dumps(chosen[name], sort_keys=True) if name in chosen else ""
            lines.append([universe.number, universe.seed, name, text, score])
    return pd.DataFrame(lines, columns=["universe", "seed", "method", "options", metric])


def choose(
    kind: str, data: str, methods: Methods, universe: Universe, metric: str
) -> dict[str, Mapping[str, Any]]:
    """Choose the best candidate of each method on validation samples; the first of equal ones.

    A candidate that diverges is worse than any other. Parameters are those of :func:`scores`.
    """
    places = [
        (name, i) for name, options in universe.candidates.items() for i in range(len(options))
    ]
    if not places:
        return {}
    compared, validation = candidates(methods, universe)
    scored = _run(kind, data, compared, validation, metric)
    sign = -1 if load_metric(metric).better == "lower" else 1
    best: dict[str, tuple[float, int]] = {}
    for name, i in places:
        score = np.nan_to_num(sign * scored[f"{name} {i}"], nan=-np.inf)
        if name not in best or score > best[name][0]:
            best[name] = (score, i)
    return {name: universe.candidates[name][i] for name, (_, i) in best.items()}


def candidates(methods: Methods, universe: Universe) -> tuple[dict[str, dict[str, Any]], Universe]:
    """Return candidates as methods, named ``<method> <number>``, and where they are compared."""
    compared = {
        f"{name} {i}": {**methods[name], **options}
        for name, of_method in universe.candidates.items()
        for i, options in enumerate(of_method)
    }
    return compared, replace(universe, **universe.validation)


def drawn(methods: Methods, universe: Universe) -> dict[str, dict[str, Any]]:
    """Return the methods with the options that a universe draws."""
    return {
        name: {**options, **universe.methods.get(name, {})} for name, options in methods.items()
    }


def _run(
    kind: str, data: str, methods: Methods, universe: Universe, metric: str
) -> dict[str, float]:
    """Return the scores of methods in a universe; NaN for a method whose training diverges."""
    try:
        return _scores(kind, data, methods, universe, metric)
    except Diverged:
        if len(methods) == 1:
            return dict.fromkeys(methods, np.nan)
    return {
        name: _run(kind, data, {name: one}, universe, metric)[name] for name, one in methods.items()
    }


def _scores(
    kind: str, data: str, methods: Methods, universe: Universe, metric: str
) -> dict[str, float]:
    """Return the scores of methods, as they are configured, in a universe."""
    spec, of_kind = (runs.part_of(kind, part) for part in ("spec", "run"))
    inputs = _inputs(kind, data, universe.partition, universe.features)
    of_run = options.check(spec.Options, dict(universe.options), f"universe {universe.number}")
    made = jobs.read_methods(kind, methods, inputs.data.task)
    loaded = load_metric(metric)
    computed = {} if loaded.samples is None else {metric: loaded}
    rounds: dict[str, list[float]] = {name: [] for name in methods}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(checkpoint=Path(folder, "checkpoint.npz"))
        for line in of_kind.run(inputs, of_run, made, computed, universe.seed, place):
            rounds[line.index[0]].append(line.values.get(metric, np.nan))
    return {
        name: float(values[-1] if universe.last else np.mean(values))
        for name, values in rounds.items()
    }


@lru_cache(maxsize=16)
def _inputs(kind: str, data: str, partition: str, features: str | None) -> runs.Inputs:
    files = Namespace(
        kind=kind,
        setting="multiverse",
        data=Path(data),
        partition=Path(partition),
        features=None if features is None else Path(features),
    )
    return jobs.read_inputs(files, runs.part_of(kind, "spec"))
