"""A forest plot of claims: each with its interval in units of its margin, by outcome and size."""

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Transform

from fedreact.claims import render
from fedreact.claims.contrasts import OUTCOMES
from fedreact.frames import records

COLOURS = {
    "holds": "#005f9e",
    "negligible": "#dba400",
    "reversed": "#d0530a",
    "undecided": "#7d858d",
    "not-testable": "#b8bec4",
}
"""Colours of outcomes, which differ in grey, too."""
MARKS = {"holds": "o", "negligible": "s", "reversed": "X", "undecided": "o", "not-testable": "d"}
FEW = 256
"""Colours that its picture needs."""
FILLED = {"holds", "negligible", "reversed"}
BOUNDS = (0.0, 10.0, 100.0, np.inf)
"""Bounds of panels, in margins: an effect of 5 can be seen beside one of 50, not one of 500."""
WIDTH = 10.5
"""Width of the figure in inches."""
LINE = 0.135
"""Height of a line of text in inches."""
CHARACTERS = 84
"""Characters of a line of a claim."""
OF_NUMBERS = 36
"""Characters of a line beside the axis."""


@dataclass(frozen=True)
class Row:
    """A claim as it is drawn; differences in margins, NaN where missing.

    Attributes
    ----------
    text, numbers
        The wrapped claim, and its difference with interval and unit.
    others
        Differences of its other comparisons.
    """

    outcome: str
    text: str
    numbers: str
    difference: float
    low: float
    high: float
    published: float
    others: tuple[float, ...]

    @property
    def height(self) -> float:
        """Height in inches."""
        lines = max(self.text.count("\n"), self.numbers.count("\n")) + 1
        return LINE * lines + 0.09


def forest(table: pd.DataFrame, claims: Mapping[str, Mapping[str, Any]], title: str) -> Figure:
    """Draw the difference that decides each claim, with its interval.

    Parameters
    ----------
    table
        Judged claims.
    claims
        Content of ``claims.yaml``.
    title
        Title of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each size of effects that occurs. A row is in units of its claim's margin, so
        that all metrics share an axis; rows stand below their outcome.
    """
    rows = [row for row in _rows(table, claims) if not np.isnan(row.difference)]
    panels = {
        _name(low, high): [row for row in rows if low <= abs(row.difference) < high]
        for low, high in pairwise(BOUNDS)
    }
    panels = {name: panel for name, panel in panels.items() if panel}
    heights = [_height(panel) for panel in panels.values()]
    lines = textwrap.wrap(title, 125)
    above, between = 0.17 * len(lines) + 0.55, 0.62
    total = above + sum(heights) + between * len(panels)
    figure = Figure((WIDTH, total))
    figure.text(0.012, 1 - 0.08 / total, "\n".join(lines), fontsize=9, weight="bold", va="top")
    top = total - above
    for (name, panel), height in zip(panels.items(), heights):
        axis = figure.add_axes((0.44, (top - height) / total, 0.33, height / total))
        _draw(axis, panel, height, name if len(panels) > 1 else "Effects")
        top -= height + between
    if panels:
        _legend(figure, {row.outcome for row in rows}, 1 - (0.17 * len(lines) + 0.1) / total)
    return figure


def _rows(table: pd.DataFrame, claims: Mapping[str, Mapping[str, Any]]) -> Iterator[Row]:
    default = table[table["reading"] == ""]
    for _, lines in default.groupby("claim", sort=False):
        whole, *contrasts = records(lines)
        shown, margin = render.decisive(whole, contrasts), whole["margin"]
        numbers, claim = render.numbers(shown), claims[whole["claim"]]["claim"]
        if whole["relation"] == "equal":
            claim += " (claimed: no difference)"
        others = [line["difference"] / margin for line in contrasts if line is not shown]
        values = (shown["difference"], shown["ci_low"], shown["ci_high"], shown["published"])
        difference, low, high, published = (
            np.nan if value is None else value / margin for value in values
        )
        yield Row(
            outcome=whole["outcome"],
            text=textwrap.fill(claim, CHARACTERS),
            numbers=textwrap.fill(f"{numbers} {_unit(whole['metric'])}", OF_NUMBERS),
            difference=difference,
            low=low,
            high=high,
            published=published,
            others=tuple(others) if len(contrasts) > 1 else (),
        )


def _name(low: float, high: float) -> str:
    """Name a panel by the sizes of its effects."""
    if not low:
        return f"Effects up to {high:g} margins"
    return f"{low:g} to {high:g} margins" if np.isfinite(high) else f"Over {low:g} margins"


def _unit(metric: str) -> str:
    """Return the name of a metric that is short enough for a row."""
    return metric.replace("_", " ").replace("@", " ").replace(":", ", ")


def _height(rows: Sequence[Row]) -> float:
    return sum(row.height for row in rows) + 0.25 * len({row.outcome for row in rows})


def _draw(axis: Axes, rows: Sequence[Row], height: float, name: str) -> None:
    """Draw a panel from above, in inches."""
    most = 1.12 * max(2.0, *(abs(row.difference) for row in rows))
    axis.set_xlim(-most, most)
    axis.set_ylim(height, 0)
    axis.axvspan(-1, 1, color="#000000", alpha=0.09, linewidth=0)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.grid(axis="x", linewidth=0.3)
    axis.set_axisbelow(True)
    axis.set_yticks([])
    axis.tick_params(axis="x", labelsize=7)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)
    axis.set_xlabel(f"{name}: difference in margins, positive as claimed", fontsize=7.5, labelpad=2)
    y = 0.0
    for outcome in OUTCOMES:
        of_outcome = [row for row in rows if row.outcome == outcome]
        if not of_outcome:
            continue
        heading = f"{outcome.replace('-', ' ').capitalize()} ({len(of_outcome)})"
        axis.text(
            -1.3,
            y + 0.14,
            heading,
            transform=_beside(axis),
            fontsize=8.5,
            weight="bold",
            color=_dark(outcome),
            va="center",
        )
        y += 0.25
        for row in of_outcome:
            _draw_row(axis, row, y + row.height / 2, most)
            y += row.height


def _dark(outcome: str) -> str:
    """Return the colour of an outcome for text."""
    return {"negligible": "#8a6700", "not-testable": "#6b737b"}.get(outcome, COLOURS[outcome])


def _beside(axis: Axes) -> Transform:
    """Return the transform across in widths of the axis, down in its data."""
    return axis.get_yaxis_transform()


def _draw_row(axis: Axes, row: Row, y: float, most: float) -> None:
    colour = COLOURS[row.outcome]
    texts: dict[str, Any] = {
        "transform": _beside(axis),
        "va": "center",
        "fontsize": 7,
        "linespacing": 1.05,
    }
    axis.text(-1.3, y, row.text, ha="left", **texts)
    axis.text(1.03, y, row.numbers, ha="left", **texts)
    others = [x for x in row.others if abs(x) <= most]
    axis.plot(others, [y] * len(others), "|", color=colour, alpha=0.55, markersize=5, zorder=2)
    if not np.isnan(row.low):
        ends = np.clip([row.low, row.high], -most, most)
        axis.plot(ends, [y, y], color=colour, linewidth=1.8, solid_capstyle="butt", zorder=3)
        for end, mark in ((row.low, "<"), (row.high, ">")):
            if abs(end) > most:
                edge = np.copysign(most, end)
                axis.plot(edge, y, mark, color=colour, markersize=4.5, clip_on=False, zorder=3)
    hollow_mark = {"markerfacecolor": "white", "markeredgewidth": 1.4}
    fill: dict[str, Any] = {} if row.outcome in FILLED else hollow_mark
    axis.plot(row.difference, y, MARKS[row.outcome], color=colour, markersize=5.5, zorder=5, **fill)
    if not np.isnan(row.published):
        hollow: dict[str, Any] = {"color": "black", "fillstyle": "none"}
        hollow |= {"markersize": 4.5, "zorder": 4}
        if abs(row.published) <= most:
            axis.plot(row.published, y, "D", **hollow)
        else:
            edge, mark = np.copysign(most, row.published), ">" if row.published > 0 else "<"
            axis.plot(edge, y, mark, clip_on=False, **hollow)


def _legend(figure: Figure, outcomes: Collection[str], y: float) -> None:
    """Say what each mark is, in a line below the title."""
    axis = figure.axes[0]
    handles: list[Artist] = []
    for outcome in OUTCOMES:
        if outcome in outcomes:
            label = outcome.replace("-", " ")
            fill: dict[str, Any] = {} if outcome in FILLED else {"markerfacecolor": "white"}
            handles += axis.plot(
                [], [], MARKS[outcome], color=COLOURS[outcome], label=label, **fill
            )
    hollow: dict[str, Any] = {"color": "black", "fillstyle": "none"}
    handles += axis.plot([], [], "D", label="published (arrow: farther out)", **hollow)
    handles += axis.plot([], [], "|", color="#555555", label="the claim's other comparisons")
    handles.append(
        axis.fill_between([], [], [], color="#000000", alpha=0.09, label="within the margin")
    )
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.005, y),
        ncols=len(handles),
        fontsize=7,
        frameon=False,
        columnspacing=1.2,
        handletextpad=0.4,
    )
