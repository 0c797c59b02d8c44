"""The look of the pictures: one width, one set of colours, and marks that mean the same in all."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fedreact.reference.docs import Row

Look: TypeAlias = dict[str, Any]
"""Properties of a mark, as matplotlib names them."""

WIDTH = 8.3
"""Width in inches; at 200 dots an inch twice the width that a README shows."""
WIDE = 130
"""Most characters of a note in a line."""

OURS: Look = {"color": "#0072B2", "marker": "o"}
"""The method that the paper proposes."""
OTHER: Look = {"color": "#9A9A9A", "marker": "o"}
"""Any other method."""
ALONE: Look = {"color": "#000000", "marker": "x"}
"""Clients that train alone."""
TRIVIAL: Look = {"color": "#D55E00", "marker": "|"}
"""A predictor without a model: a constant, persistence."""
FEDAVG: Look = {"color": "#56B4E9", "marker": "P"}
TRUE_CLUSTERS: Look = {
    "color": "#000000",
    "marker": "*",
    "markersize": 12,
    "markerfacecolor": "none",
}
IFCA: Look = {"color": "#009E73", "marker": "s"}
FLSC: Look = {"color": "#E69F00", "marker": "^"}
FLACC: Look = {"color": "#CC79A7", "marker": "v"}
PUBLISHED: Look = {
    "marker": "D",
    "markerfacecolor": "white",
    "linestyle": "none",
    "markersize": 7,
}
"""A published value: an open diamond, in the colour of its method, larger than a rebuilt mark."""
TRIVIALS = frozenset({"Constant", "Persistence", "Most frequent label"})
"""Columns of predictors without a model."""
UNJOINED: Look = {"linestyle": "none"}
"""Marks without a line that joins them."""
CLUSTERED = {"IFCA": IFCA, "FLSC": FLSC, "FLACC": FLACC}


def canvas(
    height: float, title: str, note: str, legend_rows: int = 1, **panels: Any
) -> tuple[Figure, np.ndarray]:
    """Make a figure with a title, a note below it and room for a legend.

    Parameters
    ----------
    height
        Inches.
    title
        What is drawn.
    note
        The run, and what the marks mean.
    legend_rows
        Rows that the legend will have.
    panels
        Arguments of ``Figure.subplots``.

    Returns
    -------
    tuple
        The figure, and its axes ``[rows, columns]``.
    """
    figure = Figure(figsize=(WIDTH, height), dpi=200)
    lines = textwrap.wrap(note, WIDE)
    top, bottom = 0.36 + 0.165 * len(lines), 0.06 + 0.22 * legend_rows
    room = (0.005, bottom / height, 0.99, 1 - (top + bottom) / height)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=room, w_pad=0.05, wspace=0.03))
    figure.text(0.01, 1 - 0.07 / height, title, fontsize=11, weight="bold", va="top")
    figure.text(
        0.01,
        1 - 0.31 / height,
        "\n".join(lines),
        fontsize=8.5,
        color="#444444",
        va="top",
        linespacing=1.25,
    )
    axes = figure.subplots(squeeze=False, **panels)
    for panel in axes.flat:
        tidy(panel)
    return figure, axes


def tidy(axes: Axes) -> None:
    """Take away what an axis does not need, and set its fonts."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#888888")
    axes.tick_params(labelsize=8.5, color="#888888")
    axes.xaxis.label.set_fontsize(9)
    axes.yaxis.label.set_fontsize(9)


def name(axes: Axes, text: str) -> None:
    """Name a panel."""
    axes.set_title(text, fontsize=9.5, loc="left")


def legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """Show each label of any of the panels once, below them all."""
    handles: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            mark = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
            handles.setdefault(label, mark)
    figure.legend(
        list(handles.values()),
        list(handles),
        ncols=columns,
        loc="lower center",
        bbox_to_anchor=(0.5, 0),
        borderaxespad=0.2,
        frameon=False,
        fontsize=8.5,
        handletextpad=0.5,
        columnspacing=1.6,
    )


def across(axes: Axes, y: float, line: Row, *, label: str | None = None, **look: Any) -> None:
    """Mark a cell's mean and its 95% interval (where it has one) at a height."""
    if isinstance(line["ci_low"], float):
        axes.plot(
            [line["ci_low"], line["ci_high"]],
            [y, y],
            zorder=2,
            color=look["color"],
            linewidth=1.3,
            solid_capstyle="butt",
        )
    point(axes, line["mean"], y, label, {"markersize": 5.5} | look)


def point(axes: Axes, x: float, y: float, label: str | None, look: Look) -> None:
    """Draw a mark without a line."""
    axes.plot(x, y, label=label, **(UNJOINED | look))


def reach(cells: Sequence[Row]) -> list[list[float]]:
    """Return the distances ``[2, n]`` of the ends of intervals from their means."""
    return [
        [cell["mean"] - cell["ci_low"] for cell in cells],
        [cell["ci_high"] - cell["mean"] for cell in cells],
    ]


def rows(axes: Axes, labels: list[str], size: float = 8.5) -> None:
    """Give an axis one line a label, from above, with bands that lead the eye."""
    axes.set_yticks(range(len(labels)), labels, fontsize=size)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for y in range(0, len(labels), 2):
        axes.axhspan(y - 0.5, y + 0.5, color="#F4F4F4", linewidth=0, zorder=0)
