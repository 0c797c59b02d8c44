"""Claims over universes, in Markdown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact.atomic import write_text
from fedreact.frames import records
from fedreact.multiverse import summary
from fedreact.multiverse.summary import Design

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
and the published values, over the cells of the table that universes run. Where settings run in
{many} universes or more, only their cells count. If one universe explained the whole paper, the {n}
universes nearest to `{table}` would also be near to the other tables. p is the chance that {n}
universes at random are as near."""


@dataclass(frozen=True)
class MultiverseTables:
    """Tables of a multiverse, as :mod:`fedreact.multiverse.summary` makes them."""

    universes: pd.DataFrame
    claims: pd.DataFrame
    matters: pd.DataFrame
    pairs: pd.DataFrame
    over: pd.DataFrame
    near: pd.DataFrame
    near_choices: pd.DataFrame


def summarise(universes: pd.DataFrame, design: Design) -> MultiverseTables:
    """Make all tables of a multiverse."""
    matters, pairs = summary.what_matters(universes, design)
    near, near_choices = summary.near_tables(universes, design)
    return MultiverseTables(
        universes=universes,
        claims=summary.of_claims(universes, design),
        matters=matters,
        pairs=pairs,
        over=summary.over_choice(universes, design),
        near=near,
        near_choices=near_choices,
    )


def write(made: MultiverseTables, content: Mapping[str, Any], scale: str, folder: Path) -> None:
    """Write each table as csv, the page, and the design (``content``) into a folder."""
    for field in fields(made):
        text = getattr(made, field.name).to_csv(
            index=False, float_format="%.6g", lineterminator="\n"
        )
        write_text(folder / f"{field.name}.csv", text)
    write_text(folder / "asked.json", json.dumps(content) + "\n")
    write_text(folder / "multiverse.md", markdown(made, Design.read(content), scale))


def markdown(made: MultiverseTables, design: Design, scale: str) -> str:
    """Write the page of a multiverse."""
    out = [f"# Claims over {len(design.choices)} open choices, scale {scale}", "", HOW, ""]
    out += [TUNED, ""] if "tuned" in set(made.claims["view"]) else []
    out += _claims(made, design)
    out += ["## What matters", "", MATTERS, "", *_matters(made, design)]
    if not made.near_choices.empty:
        out += ["## The nearest universes", "", *_nearest(made, design)]
    out += ["## Choices", ""]
    values = [
        [design.labels[one.name], f"`{one.name}`", ", ".join(_bold(one.values, one.default))]
        for one in design.choices
    ]
    head = ["choice", "key in the ledger", "values; bold: the default, where it is one of them"]
    return "\n".join(out + _table(head, values)[:-1]) + "\n"


def _claims(made: MultiverseTables, design: Design) -> list[str]:
    """Write a line for each claim, setting and view."""
    texts = {claim.claim: claim.text for claim in design.claims}
    head = ["claim", "setting", "view", "universes", "left out", "median (5% to 95%)"]
    head += ["95% interval of the median", "published", *summary.OUTCOMES]
    lines = []
    for line in records(made.claims.sort_values(["claim", "setting"], kind="stable")):
        published = line["published"]
        lines.append(
            [
                texts[line["claim"]],
                line["setting"],
                VIEWS[line["view"]],
                line["universes"],
                line["left_out"],
                f"{line['median']:+.3f} ({line['low']:+.3f} to {line['high']:+.3f})",
                f"{line['median_low']:+.3f} to {line['median_high']:+.3f}",
                "none" if published is None or np.isnan(published) else f"{published:+.3f}",
                *(f"{100 * line[name]:.0f}%" for name in summary.OUTCOMES),
            ]
        )
    return _table(head, lines)


def _matters(made: MultiverseTables, design: Design) -> list[str]:
    """Write the choices and pairs that matter most to each claim on a setting."""
    texts, labels = {claim.claim: claim.text for claim in design.claims}, design.labels
    lines = []
    for (claim, setting), of_claim in made.matters.groupby(["claim", "setting"], sort=False):
        largest = of_claim.astype({"total": float}).nlargest(MOST, "total")
        same = (made.pairs["claim"] == claim) & (made.pairs["setting"] == setting)
        strongest = made.pairs[same].astype({"both": float}).nlargest(MOST, "both")
        text = "{total:.2f} ({total_low:.2f} to {total_high:.2f})"
        single = [f"{labels[one['choice']]} {text.format_map(one)}" for one in records(largest)]
        pairs = [
            f"{labels[one['choice']]} x {labels[one['other']]} {one['both']:.2f}"
            for one in records(strongest)
        ]
        explained = f"{of_claim['explained'].iloc[0]:.2f}"
        lines.append([texts[str(claim)], setting, "; ".join(single), "; ".join(pairs), explained])
    if not lines:
        return ["Too few universes.", ""]
    head = ["claim", "setting", "largest total indices (95% interval)", "strongest pairs"]
    return _table([*head, "explained"], lines)


def _nearest(made: MultiverseTables, design: Design) -> list[str]:
    """Write how near universes come to tables, and what the nearest ones share."""
    universes = int(made.near.set_index("table")["universes"].get(design.nearest, 0))
    out = [
        NEAR.format(n=min(summary.NEAREST, universes), many=summary.MANY, table=design.nearest),
        "",
    ]
    lines = [
        [f"`{line['table']}`", line["cells"], line["universes"]]
        + [_number(line[name]) for name in ("median", "own_nearest", "nearest")]
        + ["<0.001" if line["p"] < 0.001 else _number(line["p"])]
        for line in records(made.near)
    ]
    head = ["table", "cells", "universes", "median distance", "its own nearest"]
    out += _table([*head, f"nearest to {design.nearest}", "p"], lines)
    choices = made.near_choices
    more = choices.assign(more=choices["among_nearest"] - choices["among_all"])
    lines = [
        [design.labels[line["choice"]], line["value"]]
        + [f"{100 * line[name]:.0f}%" for name in ("among_nearest", "among_all")]
        for line in records(more.nlargest(5, "more"))
    ]
    out += ["What the nearest universes share:", ""]
    return out + _table(["choice", "value", "among the nearest", "among all"], lines)


def _bold(values: Sequence[Any], default: int | None) -> list[str]:
    return [
        f"**{value}**" if place == default else str(value) for place, value in enumerate(values)
    ]


def _number(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else f"{value:.3f}"


def _table(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> list[str]:
    rows = [head, ["---"] * len(head), *lines]
    return [f"| {' | '.join(map(str, row))} |" for row in rows] + [""]
