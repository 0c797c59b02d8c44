"""Claims over universes: effects, shares, indices, and nearness to published values.

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

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from fedreact.errors import UserError
from fedreact.multiverse.indices import indices
from fedreact.multiverse.nearest import distances, nearest, p_of_nearness, shared
from fedreact.multiverse.universe import Choice, draw
from fedreact.rng import generator

MANY = 100
"""Universes of a setting from which its cells count in distances, if a setting has as many. Only
universes that run all cells have a distance, so one setting with few would leave few."""
FEWEST = 30
"""Universes below which no indices are estimated."""
NEAREST = 10
"""Universes that are called the nearest ones."""
RESAMPLES = 1000
"""Samples of a bootstrap."""
OUTCOMES = ("holds", "negligible", "reversed")
INDICES = ["first", "first_low", "first_high", "total", "total_low", "total_high"]


@dataclass(frozen=True)
class SettingClaim:
    """A claim on a setting.

    Attributes
    ----------
    claim, text
        Its name and its sentence.
    setting
        Name of the setting.
    sign
        1 if higher is claimed, else -1.
    pairs
        Methods that are compared.
    published
        The published difference, positive as claimed; ``None`` where a value is missing.
    margin
        The smallest difference that matters.
    """

    claim: str
    text: str
    setting: str
    sign: int
    pairs: Sequence[tuple[str, str]]
    published: float | None
    margin: float


@dataclass(frozen=True)
class PublishedCell:
    """A cell that universes run, and the value that the paper prints."""

    table: str
    setting: str
    method: str
    value: float


@dataclass(frozen=True)
class Design:
    """Design of a multiverse: what is varied, and what the universes are compared with.

    Attributes
    ----------
    choices, settings, seed
        The open choices, the number of universes by setting, and the seed of their sample.
    metric
        Metric that universes are scored by.
    claims
        Claims on settings.
    cells
        Published cells.
    over
        Choice whose values are shown one by one; none if empty.
    nearest
        Table to whose cells the nearest universes are sought; none if empty.
    """

    choices: list[Choice]
    settings: Mapping[str, int]
    seed: int
    metric: str
    claims: Sequence[SettingClaim]
    cells: Sequence[PublishedCell] = ()
    over: str = ""
    nearest: str = ""

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Design":
        """Read a design from JSON.

        Raises
        ------
        UserError
            A field is missing or of another type.
        """
        try:
            return msgspec.convert(content, cls)
        except msgspec.ValidationError as error:
            raise UserError(f"design of a multiverse: {error}") from error

    def places(self, setting: str) -> npt.NDArray[np.int64]:
        """Draw the universes ``int [n, k]`` of a setting."""
        return draw(self.choices, self.settings[setting], self.seed)

    @property
    def names(self) -> list[str]:
        """Names of choices."""
        return [choice.name for choice in self.choices]

    @property
    def labels(self) -> dict[str, str]:
        """Names of choices for readers: their option alone, unless two have the same."""
        options = {name: name.rpartition(".")[2].replace("_", " ") for name in self.names}
        several = {label for label, n in Counter(options.values()).items() if n > 1}
        return {name: name if label in several else label for name, label in options.items()}


def read(files: Sequence[Path], design: Design) -> pd.DataFrame:
    """Read the scores of universes; a file's folders are its view and setting.

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
        wide = lines.pivot(index=key, columns="method", values=[design.metric, "options"])
        wide.columns = wide.columns.map(".".join)
        parts.append(wide.dropna(axis="columns", how="all").reset_index())
    table = pd.concat(parts, ignore_index=True)
    scores = [name for name in table.columns if name.startswith(f"{design.metric}.")]
    table[scores] = table[scores].astype(float)
    values = pd.DataFrame(index=table.index, columns=design.names, dtype=object)
    for setting in table["setting"].unique():
        rows = table.index[table["setting"] == setting]
        places = design.places(setting)[table.loc[rows, "universe"]]
        for column, choice in zip(places.T, design.choices):
            values.loc[rows, choice.name] = [choice.values[place] for place in column]
    rest = [name for name in table.columns if name not in (*key, *scores)]
    return pd.concat([table[key], values, table[scores], table[rest]], axis=1)


def read_kept(text: str, design: Design) -> pd.DataFrame:
    """Read the universes that :func:`read` gave from a kept csv."""
    return pd.read_csv(io.StringIO(text), converters=dict.fromkeys(design.names, str))


def effects(
    universes: pd.DataFrame, design: Design, claim: SettingClaim, view: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Compute the effects ``[n]`` of a claim on its setting, and their universes ``int [n, k]``."""
    same = (universes["setting"] == claim.setting) & (universes["view"] == view)
    rows, metric = universes[same], design.metric
    differences = [
        rows[f"{metric}.{left}"] - rows[f"{metric}.{right}"] for left, right in claim.pairs
    ]
    total = sum(differences[1:], start=differences[0])
    mean = (claim.sign * total / len(differences)).dropna()
    columns = [
        rows.loc[mean.index, choice.name].map(choice.values.index) for choice in design.choices
    ]
    return mean.to_numpy(), np.array(columns, int).reshape(len(columns), len(mean)).T


def shares(effect: npt.NDArray[np.float64], margin: float) -> dict[str, float]:
    """Compute the shares of universes in which a claim holds, is negligible, or is reversed."""
    n = len(effect)
    holds, turned = (effect > margin).sum() / n, (effect < -margin).sum() / n
    return dict(zip(OUTCOMES, (holds, 1 - holds - turned, turned)))


def of_claims(universes: pd.DataFrame, design: Design) -> pd.DataFrame:
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
        for claim in design.claims:
            effect, _ = effects(universes, design, claim, view)
            if not len(effect):
                continue
            same = (universes["view"] == view) & (universes["setting"] == claim.setting)
            n = int(same.sum())
            rng = generator(design.seed, f"multiverse {view} {claim.claim} {claim.setting}")
            drawn = effect[rng.integers(0, len(effect), (RESAMPLES, len(effect)))]
            medians, held = np.median(drawn, axis=1), (drawn > claim.margin).mean(axis=1)
            lines.append(
                {"view": view, "claim": claim.claim, "setting": claim.setting}
                | {"universes": len(effect), "left_out": n - len(effect)}
                | {"median": np.median(effect)}
                | _interval("median", medians)
                | dict(zip(("low", "high"), np.quantile(effect, (0.05, 0.95))))
                | shares(effect, claim.margin)
                | _interval("holds", held)
                | {"margin": claim.margin, "published": claim.published}
            )
    return pd.DataFrame(lines)


def _interval(name: str, draws: npt.NDArray[np.float64]) -> dict[str, float]:
    low, high = np.quantile(draws, (0.025, 0.975))
    return {f"{name}_low": low, f"{name}_high": high}


def what_matters(universes: pd.DataFrame, design: Design) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Estimate indices of choices and of pairs, for each claim and setting of drawn universes.

    Returns
    -------
    tuple of pandas.DataFrame
        A line for each claim, setting and choice: its indices, and ``explained``, the share of the
        variance that the surrogate explains out of its sample. And a line for each pair of choices
        with the share ``both`` that they explain together beyond each alone.
    """
    sizes = [len(choice.values) for choice in design.choices]
    single, double = [], []
    for claim in design.claims:
        effect, places = effects(universes, design, claim, "drawn")
        if len(effect) < FEWEST:
            continue
        key = {"claim": claim.claim, "setting": claim.setting}
        by_choice, together, fit = indices(places, sizes, effect, design.seed)
        single.append(by_choice.assign(choice=design.names, explained=fit, **key))
        double += [
            {**key, "choice": design.names[i], "other": design.names[j], "both": together[i, j]}
            for i, j in combinations(range(len(sizes)), 2)
        ]
    columns = ["claim", "setting", "choice", *INDICES, "explained"]
    rest = pd.concat(single) if single else pd.DataFrame(columns=columns)
    pairs = pd.DataFrame(double, columns=["claim", "setting", "choice", "other", "both"])
    return rest[columns], pairs


def over_choice(universes: pd.DataFrame, design: Design) -> pd.DataFrame:
    """Sum up the effects of drawn universes by the value of the choice ``over``.

    Returns
    -------
    pandas.DataFrame
        A line for each claim, setting and value: number of universes, median effect and its
        quartiles.
    """
    columns = ["claim", "setting", "value", "universes", "low", "median", "high"]
    if not design.over:
        return pd.DataFrame(columns=columns)
    column = design.names.index(design.over)
    lines = []
    for claim in design.claims:
        effect, places = effects(universes, design, claim, "drawn")
        for place, value in enumerate(design.choices[column].values):
            some = effect[places[:, column] == place]
            if len(some):
                quartiles = np.quantile(some, (0.25, 0.5, 0.75))
                lines.append([claim.claim, claim.setting, value, len(some), *quartiles])
    return pd.DataFrame(lines, columns=columns)


def near_tables(universes: pd.DataFrame, design: Design) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute the distances of drawn universes to the published cells of tables.

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
    by_table = _distances(universes, design)
    reference = by_table.get(design.nearest)
    for table, (distance, cells) in by_table.items():
        n = min(NEAREST, len(distance))
        line = {"table": table, "cells": cells, "universes": len(distance)}
        line |= {"median": distance.median(), "own_nearest": distance.nsmallest(n).mean()}
        if reference is not None and table != design.nearest:
            both = pd.concat([reference[0], distance], axis=1, join="inner").to_numpy().T
            n = min(NEAREST, both.shape[1])
            rng = generator(design.seed, f"multiverse {table}")
            line["nearest"] = both[1][nearest(both[0], n)].mean()
            line["p"] = p_of_nearness(both[0], both[1], n, rng)
        lines.append(line)
    if reference is not None:
        numbers = reference[0].index.to_numpy()
        places = draw(design.choices, int(numbers.max()) + 1, design.seed)[numbers]
        some = nearest(reference[0].to_numpy(), min(NEAREST, len(numbers)))
        rows = shared(places, some, [len(choice.values) for choice in design.choices])
        common = pd.DataFrame(
            [[c.name, c.values[int(v)], a, b] for c, (v, a, b) in zip(design.choices, rows)],
            columns=common.columns,
        )
    return pd.DataFrame(lines, columns=columns), common


def _distances(universes: pd.DataFrame, design: Design) -> dict[str, tuple[pd.Series, int]]:
    """Return the distance of each universe to each table's cells, and the number of cells.

    If settings of a table run in :data:`MANY` universes, only their cells count.
    """
    drawn = universes[universes["view"] == "drawn"]
    methods = [name for name in drawn.columns if name.startswith(f"{design.metric}.")]
    wide = drawn.pivot(index="universe", columns="setting", values=methods)
    by_table: dict[str, dict[tuple[str, str], float]] = {}
    for cell in design.cells:
        place = f"{design.metric}.{cell.method}", cell.setting
        by_table.setdefault(cell.table, {})[place] = cell.value
    near = {}
    for table, values in by_table.items():
        shown = [place for place in values if place in wide.columns]
        shown = [place for place in shown if wide[place].count() >= MANY] or shown
        cells = wide[shown].dropna()
        if len(cells) and len(shown) > 1:
            published = np.array([values[place] for place in shown])
            distance = distances(cells.to_numpy(), published)
            near[table] = pd.Series(distance, cells.index, name=table), len(shown)
    return near
