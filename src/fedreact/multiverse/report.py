"""What universes say of claims, in Markdown."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact.atomic import write_text
from fedreact.multiverse import summary
from fedreact.multiverse.summary import Asked

MOST = 3
"""Choices, or pairs of them, that a line names."""
VIEWS = {"drawn": "all universes", "tuned": "each method at its best by validation"}

HOW = """\
Exploratory. A *universe* is one value for each choice that the paper leaves open, drawn evenly. All
methods of a universe run on the same clients and samples. A claim holds in a universe if its
difference is larger than the margin, and is reversed if it is smaller than minus the margin. Where
a method diverges, a universe is left out of the claims on it. A share of
universes means as much as the ranges of the choices: options that suit nobody make every method
look bad."""

TUNED = """\
So a second view gives each method its own best options. It draws at most the same number of
candidates for every method, and compares them on samples that no table uses, under the universe's
other choices."""

MATTERS = """\
A *first* index is the share of the variance between universes that a choice explains by itself. A
*total* index is the share in which it has a part, by itself or together with others. Total indices
and pairs are of a surrogate; `explained` is the share of the variance that it explains out of its
sample."""

NEAR = """\
The distance of a universe to a table is the root mean square of the differences between its scores
and the published values, over all cells of the table that universes run. If one universe explained
the whole paper, the {n} universes nearest to `{table}` would also be near to the other tables. p is
the chance that {n} universes at random are as near."""


@dataclass(frozen=True)
class Summary:
    """Tables of a multiverse, as :mod:`fedreact.multiverse.summary` makes them."""

    universes: pd.DataFrame
    claims: pd.DataFrame
    matters: pd.DataFrame
    pairs: pd.DataFrame
    over: pd.DataFrame
    near: pd.DataFrame
    near_choices: pd.DataFrame


def summarise(universes: pd.DataFrame, asked: Asked) -> Summary:
    """Make all tables of a multiverse."""
    return Summary(
        universes,
        summary.of_claims(universes, asked),
        *summary.what_matters(universes, asked),
        summary.over_choice(universes, asked),
        *summary.near_tables(universes, asked),
    )


def write(made: Summary, content: Mapping[str, Any], scale: str, folder: Path) -> None:
    """Write each table as csv, the page, and what was asked (``content``) into a folder."""
    for field in fields(made):
        text = getattr(made, field.name).to_csv(
            index=False, float_format="%.6g", lineterminator="\n"
        )
        write_text(folder / f"{field.name}.csv", text)
    write_text(folder / "asked.json", json.dumps(content) + "\n")
    write_text(folder / "multiverse.md", markdown(made, Asked.read(content), scale))


def markdown(made: Summary, asked: Asked, scale: str) -> str:
    """Write the page of a multiverse."""
    out = [f"# Claims over {len(asked.choices)} open choices, scale {scale}", "", HOW, ""]
    out += [TUNED, ""] if "tuned" in set(made.claims["view"]) else []
    texts, labels = {claim["claim"]: claim["text"] for claim in asked.claims}, asked.labels
    head = [
        "claim",
        "setting",
        "view",
        "universes",
        "left out",
        "median (5% to 95%)",
        "95% interval of the median",
    ]
    lines = []
    for line in made.claims.sort_values(["claim", "setting"], kind="stable").to_dict("records"):
        published = line["published"]
        lines.append(
            [texts[line["claim"]], line["setting"], VIEWS[line["view"]], line["universes"]]
            + [line["left_out"]]
            + [f"{line['median']:+.3f} ({line['low']:+.3f} to {line['high']:+.3f})"]
            + [f"{line['median_low']:+.3f} to {line['median_high']:+.3f}"]
            + ["none" if published is None or np.isnan(published) else f"{published:+.3f}"]
            + [f"{100 * line[name]:.0f}%" for name in summary.OUTCOMES]
        )
    out += _table([*head, "published", *summary.OUTCOMES], lines)
    out += ["## What matters", "", MATTERS, ""]
    lines = []
    for (claim, setting), some in made.matters.groupby(["claim", "setting"], sort=False):
        most = some.astype({"total": float}).nlargest(MOST, "total").to_dict("records")
        same = (made.pairs["claim"] == claim) & (made.pairs["setting"] == setting)
        pairs = made.pairs[same].astype({"both": float}).nlargest(MOST, "both").to_dict("records")
        text = "{total:.2f} ({total_low:.2f} to {total_high:.2f})"
        named = [f"{labels[one['choice']]} {text.format_map(one)}" for one in most]
        together = [
            f"{labels[one['choice']]} x {labels[one['other']]} {one['both']:.2f}" for one in pairs
        ]
        explained = f"{some['explained'].iloc[0]:.2f}"
        lines.append([texts[claim], setting, "; ".join(named), "; ".join(together), explained])
    if lines:
        head = ["claim", "setting", "largest total indices (95% interval)", "strongest pairs"]
        out += _table([*head, "explained"], lines)
    else:
        out += ["Too few universes.", ""]
    if not made.near_choices.empty:
        out += ["## The nearest universes", "", _near(made, asked), ""]
        lines = [
            [f"`{line['table']}`", line["cells"], line["universes"]]
            + [_number(line[name]) for name in ("median", "own_nearest", "nearest")]
            + ["<0.001" if line["p"] < 0.001 else _number(line["p"])]
            for line in made.near.to_dict("records")
        ]
        head = ["table", "cells", "universes", "median distance", "its own nearest"]
        out += _table([*head, f"nearest to {asked.nearest}", "p"], lines)
        near = made.near_choices.assign(more=lambda t: t["among_nearest"] - t["among_all"])
        shares = [
            [labels[line["choice"]], line["value"]]
            + [f"{100 * line[name]:.0f}%" for name in ("among_nearest", "among_all")]
            for line in near.nlargest(5, "more").to_dict("records")
        ]
        out += ["What the nearest universes share:", ""]
        out += _table(["choice", "value", "among the nearest", "among all"], shares)
    out += ["## Choices", ""]
    values = [
        [labels[one.name], f"`{one.name}`", ", ".join(_bold(one.values, one.default))]
        for one in asked.choices
    ]
    head = ["choice", "key in the ledger", "values; bold: the default, where it is one of them"]
    return "\n".join(out + _table(head, values)[:-1]) + "\n"


def _near(made, asked):
    universes = int(made.near.set_index("table")["universes"].get(asked.nearest, 0))
    return NEAR.format(n=min(summary.NEAREST, universes), table=asked.nearest)


def _bold(values, default):
    return [f"**{value}**" if place == default else value for place, value in enumerate(values)]


def _number(value):
    return "" if value is None or np.isnan(value) else f"{value:.3f}"


def _table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return [f"| {' | '.join(map(str, row))} |" for row in rows] + [""]
