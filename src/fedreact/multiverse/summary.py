"""What universes say of claims: effects, shares, indices, and nearness to published values.

A universe has an *effect* for each claim: the mean difference between the claim's pairs of methods,
positive as claimed. A *view* is one way to give methods their options: ``drawn`` with the universe,
or ``tuned``, where each has its best by validation.
"""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact.multiverse.indices import indices
from fedreact.multiverse.nearest import distances, nearest, p_of_nearness, shared
from fedreact.multiverse.universe import Choice, draw
from fedreact.rng import generator

FEWEST = 30
"""Universes below which no indices are estimated."""
NEAREST = 10
"""Universes that are called the nearest ones."""
RESAMPLES = 1000
OUTCOMES = ("holds", "negligible", "reversed")
INDICES = ["first", "first_low", "first_high", "total", "total_low", "total_high"]


@dataclass(frozen=True)
class Asked:
    """What is varied, and what the universes are held against.

    Attributes
    ----------
    choices, settings, seed
        The open choices, the number of universes by setting, and the seed of their sample.
    metric
        What universes are scored by.
    claims
        Lines with ``claim``, ``text``, ``setting``, ``sign``, ``pairs``, ``published``, ``margin``.
    cells
        Lines with ``table``, ``setting``, ``method``, ``value``: what the paper prints.
    over
        Choice whose values are shown one by one; none if empty.
    nearest
        Table to whose cells the nearest universes are sought; none if empty.
    """

    choices: list[Choice]
    settings: Mapping[str, int]
    seed: int
    metric: str
    claims: Sequence[Mapping[str, Any]]
    cells: Sequence[Mapping[str, Any]] = ()
    over: str = ""
    nearest: str = ""

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Asked":
        """Read what the workflow asks, as JSON has it."""
        choices = [Choice(c["name"], tuple(c["values"]), c["default"]) for c in content["choices"]]
        return cls(**{**content, "choices": choices})

    def places(self, setting: str) -> np.ndarray:
        """Universes ``int [n, k]`` of a setting."""
        return draw(self.choices, self.settings[setting], self.seed)

    @property
    def names(self) -> list[str]:
        """Names of choices."""
        return [choice.name for choice in self.choices]

    @property
    def labels(self) -> dict[str, str]:
        """Choices as readers see them: by their option alone, unless two have the same."""
        options = {name: name.rpartition(".")[2].replace("_", " ") for name in self.names}
        several = {label for label, n in Counter(options.values()).items() if n > 1}
        return {name: name if label in several else label for name, label in options.items()}


def read(files: Sequence[Path], asked: Asked) -> pd.DataFrame:
    """Read what universes gave; a file's folders are its view and setting.

    Returns
    -------
    pandas.DataFrame
        A line for each view, setting and universe: its ``seed``, the value of each choice by name,
        each method's score by ``<metric>.<method>`` and, of tuned universes, what each method has
        chosen by ``options.<method>``.
    """
    key, parts = ["view", "setting", "universe", "seed"], []
    for file in files:
        lines = pd.read_csv(file).assign(setting=file.parent.name, view=file.parents[1].name)
        wide = lines.pivot(index=key, columns="method", values=[asked.metric, "options"])
        names = [".".join(map(str, pair)) for pair in wide.columns.to_list()]
        wide = wide.set_axis(names, axis=1)
        parts.append(wide.dropna(axis="columns", how="all").reset_index())
    table = pd.concat(parts, ignore_index=True)
    scores = [name for name in table.columns if name.startswith(f"{asked.metric}.")]
    table[scores] = table[scores].astype(float)
    values = pd.DataFrame(index=table.index, columns=asked.names, dtype=object)
    for setting, rows in table.groupby("setting").groups.items():
        places = asked.places(str(setting))[table.loc[rows, "universe"]]
        for column, choice in zip(places.T, asked.choices):
            values.loc[rows, choice.name] = [choice.values[place] for place in column]
    rest = [name for name in table.columns if name not in (*key, *scores)]
    return pd.concat([table[key], values, table[scores], table[rest]], axis=1)


def kept(text: str, asked: Asked) -> pd.DataFrame:
    """Read again what :func:`read` gave, from the csv that was kept of it."""
    return pd.read_csv(io.StringIO(text), converters=dict.fromkeys(asked.names, str))


def effects(
    universes: pd.DataFrame, asked: Asked, claim: Mapping[str, Any], view: str
) -> tuple[np.ndarray, np.ndarray]:
    """Effects ``[n]`` of a claim on its setting, and their universes ``int [n, k]``."""
    same = (universes["setting"] == claim["setting"]) & (universes["view"] == view)
    rows, metric = universes[same], asked.metric
    differences = [
        rows[f"{metric}.{left}"] - rows[f"{metric}.{right}"] for left, right in claim["pairs"]
    ]
    mean = (claim["sign"] * sum(differences) / len(differences)).dropna()
    columns = [
        rows.loc[mean.index, choice.name].map(choice.values.index) for choice in asked.choices
    ]
    return mean.to_numpy(), np.array(columns, int).reshape(len(columns), len(mean)).T


def shares(effect: np.ndarray, margin: float) -> dict[str, float]:
    """Shares of universes in which a claim holds, is negligible, or is reversed."""
    n = len(effect)
    holds, turned = (effect > margin).sum() / n, (effect < -margin).sum() / n
    return dict(zip(OUTCOMES, (holds, 1 - holds - turned, turned)))


def of_claims(universes: pd.DataFrame, asked: Asked) -> pd.DataFrame:
    """Sum up claims.

    Returns
    -------
    pandas.DataFrame
        A line for each view, claim and setting: number of universes, and of those ``left_out``
        because a method of the claim has no score; median effect and its 95% bootstrap interval,
        the 5% and 95% quantiles of effects, shares by outcome and the interval of the share that
        holds, margin, published effect.
    """
    lines = []
    for view in universes["view"].unique():
        for claim in asked.claims:
            effect, _ = effects(universes, asked, claim, view)
            if not len(effect):
                continue
            same = (universes["view"] == view) & (universes["setting"] == claim["setting"])
            n = int(same.sum())
            rng = generator(asked.seed, f"multiverse {view} {claim['claim']} {claim['setting']}")
            drawn = effect[rng.integers(0, len(effect), (RESAMPLES, len(effect)))]
            medians, held = np.median(drawn, axis=1), (drawn > claim["margin"]).mean(axis=1)
            lines.append(
                {"view": view, "claim": claim["claim"], "setting": claim["setting"]}
                | {"universes": len(effect), "left_out": n - len(effect)}
                | {"median": np.median(effect)}
                | _interval("median", medians)
                | dict(zip(("low", "high"), np.quantile(effect, (0.05, 0.95))))
                | shares(effect, claim["margin"])
                | _interval("holds", held)
                | {"margin": claim["margin"], "published": claim["published"]}
            )
    return pd.DataFrame(lines)


def _interval(name, draws):
    low, high = np.quantile(draws, (0.025, 0.975))
    return {f"{name}_low": low, f"{name}_high": high}


def what_matters(universes: pd.DataFrame, asked: Asked) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Indices of choices, and of pairs of choices, for each claim and setting of drawn universes.

    Returns
    -------
    tuple of pandas.DataFrame
        A line for each claim, setting and choice: its indices, and ``explained``, the share of the
        variance that the surrogate explains out of its sample. And a line for each pair of choices
        with the share ``both`` that they explain together beyond each alone.
    """
    sizes = [len(choice.values) for choice in asked.choices]
    single, double = [], []
    for claim in asked.claims:
        effect, places = effects(universes, asked, claim, "drawn")
        if len(effect) < FEWEST:
            continue
        key = {"claim": claim["claim"], "setting": claim["setting"]}
        by_choice, together, fit = indices(places, sizes, effect, asked.seed)
        single.append(by_choice.assign(choice=asked.names, explained=fit, **key))
        double += [
            key | {"choice": asked.names[i], "other": asked.names[j], "both": together[i, j]}
            for i, j in combinations(range(len(sizes)), 2)
        ]
    columns = ["claim", "setting", "choice", *INDICES, "explained"]
    rest = pd.concat(single) if single else pd.DataFrame(columns=columns)
    pairs = pd.DataFrame(double, columns=["claim", "setting", "choice", "other", "both"])
    return rest[columns], pairs


def over_choice(universes: pd.DataFrame, asked: Asked) -> pd.DataFrame:
    """Effects of drawn universes by the value of the choice ``over``.

    Returns
    -------
    pandas.DataFrame
        A line for each claim, setting and value: number of universes, median effect and its
        quartiles.
    """
    columns = ["claim", "setting", "value", "universes", "low", "median", "high"]
    if not asked.over:
        return pd.DataFrame(columns=columns)
    column = asked.names.index(asked.over)
    lines = []
    for claim in asked.claims:
        effect, places = effects(universes, asked, claim, "drawn")
        for place, value in enumerate(asked.choices[column].values):
            some = effect[places[:, column] == place]
            if len(some):
                quartiles = np.quantile(some, (0.25, 0.5, 0.75))
                lines.append([claim["claim"], claim["setting"], value, len(some), *quartiles])
    return pd.DataFrame(lines, columns=columns)


def near_tables(universes: pd.DataFrame, asked: Asked) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Distances of drawn universes to the published cells of tables.

    Returns
    -------
    tuple of pandas.DataFrame
        A line for each table: number of its cells and of universes with all of them, median
        distance, mean distance of the universes that are nearest to it and of those that are
        nearest to the table ``nearest``, and ``p``, the chance that as many universes at random
        are as near as these. And a line for each choice: the value that the nearest universes share
        most, its share among them and among all.
    """
    columns = ["table", "cells", "universes", "median", "own_nearest", "nearest", "p"]
    lines, common = [], pd.DataFrame(columns=["choice", "value", "among_nearest", "among_all"])
    by_table = _distances(universes, asked)
    reference = by_table.get(asked.nearest)
    for table, (distance, cells) in by_table.items():
        n = min(NEAREST, len(distance))
        line = {"table": table, "cells": cells, "universes": len(distance)}
        line |= {"median": distance.median(), "own_nearest": distance.nsmallest(n).mean()}
        if reference is not None and table != asked.nearest:
            both = pd.concat([reference[0], distance], axis=1, join="inner").to_numpy().T
            n = min(NEAREST, both.shape[1])
            rng = generator(asked.seed, f"multiverse {table}")
            line["nearest"] = both[1][nearest(both[0], n)].mean()
            line["p"] = p_of_nearness(both[0], both[1], n, rng)
        lines.append(line)
    if reference is not None:
        numbers = reference[0].index.to_numpy()
        places = draw(asked.choices, int(numbers.max()) + 1, asked.seed)[numbers]
        some = nearest(reference[0].to_numpy(), min(NEAREST, len(numbers)))
        rows = shared(places, some.tolist(), [len(choice.values) for choice in asked.choices])
        common = pd.DataFrame(
            [[c.name, c.values[int(v)], a, b] for c, (v, a, b) in zip(asked.choices, rows)],
            columns=common.columns,
        )
    return pd.DataFrame(lines, columns=columns), common


def _distances(universes, asked) -> dict[str, tuple[pd.Series, int]]:
    """Distance by universe to each table's cells, and the number of cells."""
    drawn = universes[universes["view"] == "drawn"]
    methods = [name for name in drawn.columns if name.startswith(f"{asked.metric}.")]
    wide = drawn.pivot(index="universe", columns="setting", values=methods)
    by_table: dict[str, dict[tuple[str, str], float]] = {}
    for cell in asked.cells:
        place = f"{asked.metric}.{cell['method']}", cell["setting"]
        by_table.setdefault(cell["table"], {})[place] = cell["value"]
    near = {}
    for table, values in by_table.items():
        cells = wide[[place for place in values if place in wide.columns]].dropna()
        if len(cells) and cells.shape[1] > 1:
            published = np.array([values[place] for place in cells.columns])
            distance = distances(cells.to_numpy(), published)
            near[table] = pd.Series(distance, cells.index, name=table), cells.shape[1]
    return near
