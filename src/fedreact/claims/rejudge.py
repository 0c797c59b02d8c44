"""Claims judged again from the csv of an earlier judgement, without the scores.

A line of the csv has the mean difference, its 95% interval, the number of seeds and the detectable
difference. By Student's t, these give the standard error, and so the p-values of all tests. Where
only a least and a most difference are known (:func:`fedreact.claims.contrasts.weigh_between`), the
four numbers give both means and both standard errors.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fedreact import options
from fedreact.claims import margins
from fedreact.claims.contract import Claim
from fedreact.claims.contrasts import (
    ALPHA,
    POWER,
    Evidence,
    Spread,
    judge_each,
    weigh,
    weigh_spread,
    weigh_spreads,
)
from fedreact.claims.judged import COLUMNS, corrected, judgement
from fedreact.claims.testable import chance_level, why_not
from fedreact.errors import UserError
from fedreact.frames import records
from fedreact.metrics.grammar import load_metric
from fedreact.reading import read_yaml
from fedreact.tables import cells
from fedreact.tables import published as values
from fedreact.tables.trivial import FLAG, is_of_predictions
from fedreact.task import Task

ROUNDING = 5e-6
"""Rounding error of the csv, whose numbers have six digits."""


@dataclass(frozen=True)
class RejudgeInputs:
    """What is needed to judge a kept csv of claims again, beside its own numbers.

    Attributes
    ----------
    claims
        Entries of ``claims.yaml`` by their names.
    about
        The entry of ``paper.yaml``: its margins and trivial methods.
    printed
        Published values of tables that have some, by the tables' names.
    levels
        RejudgeInputs cells by table, row, column and metric: their lines in the csv of the table.
    tasks
        Tasks of datasets by their names.
    compared
        Where methods stand in tables: ``columns``, the default, or ``rows``.
    flags
        Labels of settings with a metric in which a trivial predictor is ahead, by table.
    """

    claims: Mapping[str, Claim]
    about: Mapping[str, Any]
    printed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[tuple[str, str, str, str], Mapping[str, Any]] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)
    compared: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, Collection[tuple[str, str]]] = field(default_factory=dict)

    @classmethod
    def read(cls, paper: Path, tables: Path, tasks: Mapping[str, Task]) -> "RejudgeInputs":
        """Read a paper's folder of the configuration, and the csv of its kept tables."""
        about = read_yaml(paper / "paper.yaml")
        claims = options.check_all(Claim, read_yaml(paper / "claims.yaml"), f"{paper}/claims.yaml")
        printed = {file.stem: values.read(file) for file in paper.glob("published/*.yaml")}
        prefix, kept = about.get("prefix", f"{paper.name}_"), cells.read(tables)
        compared, flags = {}, {}
        for name, table in read_yaml(paper / "tables.yaml").items():
            compared[name] = "rows" if table.get("rows_are") == "methods" else "columns"
            if "metrics" in table:
                rules = cells.CellRules.of_entry(table, about.get("trivial", ()))
                flags[name] = rules.flagged(kept[kept["table"] == f"{prefix}{name}"])
        return cls(claims, about, printed, levels_of(kept, prefix), tasks, compared, flags)


def rejudged(table: pd.DataFrame, inputs: RejudgeInputs) -> pd.DataFrame:
    """Judge the claims of a paper again.

    Parameters
    ----------
    table
        An earlier judgement, with at least the columns up to ``published`` of
        :data:`fedreact.claims.judged.COLUMNS`; labels are texts.
    inputs
        Today's claims, published values and margins, and the cells of the same run.

    Returns
    -------
    pandas.DataFrame
        The same lines with today's margins, outcomes and columns.

    Raises
    ------
    UserError
        A claim of the table is not in ``claims``, has no margin, or is about the average of other
        comparisons than today.
    """
    lines: list[dict[str, Any]] = []
    reasons: dict[tuple[str, str, str], str] = {}
    for _, group in table.groupby(["claim", "reading"], sort=False):
        judged, *compared = records(group)
        name: str = judged["claim"]
        if name not in inputs.claims:
            raise UserError(f"claims.yaml has no {name}, which was judged; judge on scores again")
        claim = inputs.claims[name]
        whole, contrasts = _still_claimed(claim, judged, compared)
        whole = whole | {"averaged": _averaged(inputs, claim, whole, contrasts)}
        usual = inputs.about.get("margins", {}).get(whole["metric"], claim.margin)
        if usual is None:
            raise UserError(f"{name}: there is no margin of {whole['metric']} in paper.yaml")
        effects = [_effect(inputs, claim, line) for line in contrasts]
        whole = whole | {"margin": margins.of_average(claim, effects, usual), "reason": ""}
        contrasts = [
            line | {"margin": margins.of_comparison(claim, effect, usual), "averaged": ""}
            for line, effect in zip(contrasts, effects)
        ]
        for line in contrasts:
            key = (name, line["at"], line["right"])
            if key not in reasons:
                out = whole["averaged"] and _is_flagged(inputs, claim, line)
                reasons[key] = FLAG if out else _untestable(inputs, claim, line)
            line["reason"] = reasons[key]
        of_whole, *each = [recovered(line, line["margin"]) for line in (whole, *contrasts)]
        names = [(line["at"], line["right"]) for line in contrasts]
        lines.append(whole | judgement(claim.over, of_whole, each, names))
        lines += [
            line | {"outcome": result, "reason": one.untestable}
            for line, one, result in zip(contrasts, each, judge_each(each))
        ]
    return corrected(pd.DataFrame(lines, columns=COLUMNS))


def _still_claimed(
    claim: Claim, whole: dict[str, Any], contrasts: list[dict[str, Any]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the lines of a claim without comparisons that it no longer makes."""
    left = [
        line
        for line in contrasts
        if (not claim.at or line["at"] in claim.at)
        and (not claim.right or line["right"] in claim.right)
    ]
    if len(left) == len(contrasts):
        return whole, contrasts
    if claim.over == "average":
        raise UserError(
            f"{whole['claim']} is about the average of other comparisons; judge on scores again"
        )
    # The interval of the average of some needs the scores, and so does what follows from it.
    numbers: dict[str, Any] = dict.fromkeys(
        ("ci_low", "ci_high", "probability", "detectable"), np.nan
    )
    numbers["difference"] = float(np.mean([line["difference"] for line in left]))
    printed = [line["published"] for line in left if not pd.isna(line["published"])]
    numbers["published"] = float(np.mean(printed)) if printed else np.nan
    return whole | numbers, left


def _averaged(
    inputs: RejudgeInputs,
    claim: Claim,
    whole: Mapping[str, Any],
    contrasts: list[dict[str, Any]],
) -> str:
    """Say over how many datasets the average of a claim is today; empty if over all contrasts.

    Raises
    ------
    UserError
        The kept average is over others, which needs the scores.
    """
    of_methods = inputs.compared.get(claim.table, "columns") == claim.compare
    if inputs.about.get("means_over") != "datasets" or claim.over != "average" or not of_methods:
        return ""
    counted = [line for line in contrasts if not _is_flagged(inputs, claim, line)] or contrasts
    ours = [_cell(inputs, claim, line, line["left"]) for line in counted]
    names = {cell["data"].split("+")[0] for cell in ours if cell is not None}
    today = f"{len(names)} dataset{'s' * (len(names) > 1)}"
    if whole.get("averaged") != today and len(names) < len(contrasts):
        raise UserError(
            f"{whole['claim']} is about the average of {today} today; judge on scores again"
        )
    return today


def _is_flagged(inputs: RejudgeInputs, claim: Claim, line: Mapping[str, Any]) -> bool:
    """Say whether a trivial predictor is ahead in the row of a kept contrast."""
    return (line["at"], line["metric"]) in inputs.flags.get(claim.table, ())


def _cell(
    inputs: RejudgeInputs, claim: Claim, line: Mapping[str, Any], label: str
) -> Mapping[str, Any] | None:
    """Return the cell of a method beside a kept contrast, or ``None``."""
    row, column = line["at"], label
    if claim.compare == "rows":
        row, column = column, row
    return inputs.levels.get((claim.table, row, column, line["metric"]))


def levels_of(cells: pd.DataFrame, prefix: str) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """Index kept cells by table (without its paper's prefix), row, column and metric."""
    return {
        (line["table"].removeprefix(prefix), line["row"], line["column"], line["metric"]): line
        for line in records(cells)
    }


def _effect(inputs: RejudgeInputs, claim: Claim, line: Mapping[str, Any]) -> margins.Effect | None:
    """Return the published difference of a kept contrast, if the run compared with one."""
    if claim.table not in inputs.printed or pd.isna(line["published"]):
        return None
    return margins.published(
        inputs.printed[claim.table], claim, line["metric"], at=line["at"], right=line["right"]
    )


def _untestable(inputs: RejudgeInputs, claim: Claim, line: Mapping[str, Any]) -> str:
    """Say why a kept contrast is not testable, by the cells of its table; empty if it is."""
    metric, cell = line["metric"], partial(_cell, inputs, claim, line)
    ours, theirs = cell(line["left"]), cell(line["right"])
    of_methods = inputs.compared.get(claim.table, "columns") == claim.compare
    if ours is None or theirs is None or not of_methods:
        return ""
    beside = {label: cell(label) for label in inputs.about.get("trivial", ())}
    if not is_of_predictions(metric):
        beside = {}
    task = inputs.tasks.get(theirs["data"].split("+")[0])
    return why_not(
        names=(line["left"], line["right"]),
        means=(ours["mean"], theirs["mean"]),
        baseline_low=theirs["ci_low"],
        chance=chance_level(metric, task) if task else None,
        trivial={label: one["mean"] for label, one in beside.items() if one is not None},
        better=load_metric(metric).better or "higher",
    )


def recovered(line: Mapping[str, Any], margin: float) -> Evidence:
    """Weigh the difference of a line of the csv by a margin.

    Parameters
    ----------
    line
        ``difference, ci_low, ci_high, n_seeds, probability, detectable`` (NaN where there is
        none), ``relation`` and ``reason``.
    margin
        The smallest difference that matters.

    Returns
    -------
    Evidence
        As if weighed on scores, up to the digits of the csv.
    """
    mean, low, high, n = (line[key] for key in ("difference", "ci_low", "ci_high", "n_seeds"))
    reason = line.get("reason") or ""
    if n < 2:
        return replace(weigh([mean] * int(n), margin), difference=mean, untestable=reason)
    t = float(stdtrit(n - 1, 1 - ALPHA))
    apart = 0.0
    if pd.isna(line["probability"]):
        # Both ends lie `apart / 2` farther out than half the width of their own interval, and the
        # detectable difference is that of the wider one plus `apart`.
        per_half_width = 1 + float(stdtrit(n - 1, POWER)) / t
        farther = max(mean - low, high - mean)
        apart = (line["detectable"] - per_half_width * farther) / (1 - per_half_width / 2)
    half_widths = [abs(end - mean) - apart / 2 for end in (low, high)]
    if apart:  # what is left of two equal numbers is rounding
        half_widths = [w if w > ROUNDING * max(apart, abs(mean)) else 0.0 for w in half_widths]
    least, most = (
        Spread(mean + side * apart / 2, half_width / t, int(n))
        for side, half_width in zip((-1, 1), half_widths)
    )
    if apart:
        evidence = weigh_spreads(least, most, margin)
    else:
        evidence = weigh_spread(least, margin, line["relation"] == "equal")
    return replace(evidence, untestable=reason)
