"""The look of the pictures: one width, one set of colours, and marks that mean the same in all."""

import textwrap
from collections.abc import Iterable
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

WIDTH = 8.3
"""Inches; at 200 dots an inch twice the width that a README shows."""
WIDE = 130
"""Characters of a note in a line."""

OURS = {"color": "#0072B2", "marker": "o"}
"""The method that the paper proposes."""
OTHER = {"color": "#9A9A9A", "marker": "o"}
"""Any other method."""
ALONE = {"color": "#000000", "marker": "x"}
"""Clients that train alone."""
TRIVIAL = {"color": "#D55E00", "marker": "|"}
"""A predictor without a model: a constant, persistence."""
FEDAVG = {"color": "#56B4E9", "marker": "P"}
TRUE_CLUSTERS = {"color": "#000000", "marker": "*", "markersize": 12, "markerfacecolor": "none"}
IFCA = {"color": "#009E73", "marker": "s"}
FLSC = {"color": "#E69F00", "marker": "^"}
FLACC = {"color": "#CC79A7", "marker": "v"}
PUBLISHED = {"marker": "D", "markerfacecolor": "white", "linestyle": "none", "markersize": 7}
"""A published value: an open diamond, in the colour of its method, larger than a rebuilt mark."""
TRIVIALS = frozenset({"Constant", "Persistence", "Most frequent label"})
"""Columns of predictors without a model."""
CLUSTERED = {"IFCA": IFCA, "FLSC": FLSC, "FLACC": FLACC}


def canvas(height: float, title: str, note: str, legend_rows: int = 1, **panels):
    """Make a figure with a title, a note below it and room for a legend.

    Parameters
    ----------
    height
        Inches.
    title
        What is drawn.
    note
        Of which run, and what the marks mean.
    panels
        As ``Figure.subplots`` takes them.

    Returns
    -------
    The figure, and its axes ``[rows, columns]``.
    """
    figure = Figure(figsize=(WIDTH, height), dpi=200)
    lines = textwrap.wrap(note, WIDE)
    top, bottom = 0.36 + 0.165 * len(lines), 0.06 + 0.22 * legend_rows
    room = (0.005, bottom / height, 0.99, 1 - (top + bottom) / height)
    figure.set_layout_engine(ConstrainedLayoutEngine(rect=room, w_pad=0.05, wspace=0.03))
    figure.text(0.01, 1 - 0.07 / height, title, fontsize=11, weight="bold", va="top")
    look: dict[str, Any] = {"fontsize": 8.5, "color": "#444444", "va": "top", "linespacing": 1.25}
    figure.text(0.01, 1 - 0.31 / height, "\n".join(lines), **look)
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
    shown: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            shown.setdefault(label, getattr(handle, "lines", [handle])[0])  # of error bars
    look: dict[str, Any] = {
        "frameon": False,
        "fontsize": 8.5,
        "handletextpad": 0.5,
        "columnspacing": 1.6,
    }
    figure.legend(
        list(shown.values()),
        list(shown),
        ncols=columns,
        loc="lower center",
        bbox_to_anchor=(0.5, 0),
        borderaxespad=0.2,
        **look,
    )


def across(axes: Axes, y: float, line: dict, *, label: str | None = None, **look) -> None:
    """Mark a cell's mean and its 95% interval (where it has one) at a height."""
    at = line["mean"]
    if isinstance(line["ci_low"], float):
        bar = {"color": look["color"], "linewidth": 1.3, "solid_capstyle": "butt"}
        axes.plot([line["ci_low"], line["ci_high"]], [y, y], zorder=2, **bar)
    axes.plot(at, y, linestyle="none", label=label, **{"markersize": 5.5} | look)


def rows(axes: Axes, labels: list[str], size: float = 8.5) -> None:
    """Give an axis one line a label, from above, with bands that lead the eye."""
    axes.set_yticks(range(len(labels)), labels, fontsize=size)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for y in range(0, len(labels), 2):
        axes.axhspan(y - 0.5, y + 0.5, color="#F4F4F4", linewidth=0, zorder=0)
