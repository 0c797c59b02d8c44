"""Scores of methods, a panel a task: what the papers with few methods show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedreact.metrics.grammar import load_metric
from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRun

LINES: dict[str, Any] = {"Persistence": "-", "Constant": (0, (4, 3))}
"""Line styles of predictors without a model."""
SHOWN = {"Local-S": "alone (Local-S)", "Global": "all data in one place"}
"""Names of methods in other papers."""


@dataclass(frozen=True)
class Panel:
    """A panel of a picture, which shows a row of a table.

    Attributes
    ----------
    title
        Title for people.
    table, row, metric
        Labels of the cells.
    score
        Name of the metric below the panel.
    trivial
        Whether it shows predictors without a model.
    """

    title: str
    table: str
    row: str
    metric: str
    score: str
    trivial: bool = True


def draw_methods(
    run: KeptRun, title: str, ours: str, panels: tuple[Panel, ...], about: str, columns: int
) -> Figure:
    """Draw a panel a task, with a line a method, the paper's own first.

    Variants of a method (with a comma in their names) are left out.

    Parameters
    ----------
    ours
        Column of the paper's own method.
    about
        Begin of the note.
    columns
        Panels beside each other.
    """
    cells = {
        panel: run.lines(f"tables/{panel.table}.csv", row=panel.row, metric=panel.metric)
        for panel in panels
    }
    methods = [ours]
    for line in [line for lines in cells.values() for line in lines]:
        name = line["column"]
        if name not in {*methods, *marks.TRIVIALS} and ", " not in name:
            methods.append(name)
    n = max(line["n_seeds"] for lines in cells.values() for line in lines)
    rows = -(-len(panels) // columns)
    figure, axes = marks.canvas(
        1.0 + rows * (0.75 + 0.21 * len(methods)),
        title,
        f"{about} Scale {run.scale}, {n:.0f} seeds, 95% interval.",
        nrows=rows,
        ncols=columns,
        sharey=True,
    )
    for place, panel in zip(axes.flat, panels):
        _draw_panel(place, panel, methods, {line["column"]: line for line in cells[panel]})
    for place in axes.flat[len(panels) :]:
        place.set_visible(False)
    marks.legend(figure, axes.flat, 5)
    return figure


def _draw_panel(axes: Axes, panel: Panel, methods: list[str], lines: Mapping[str, Row]) -> None:
    """Draw the marks of a panel, given its lines by method."""
    for y, name in enumerate(methods):
        if name not in lines:
            continue
        look = marks.OURS if y == 0 else marks.OTHER | {"color": "#666666"}
        label = "method of the paper" if y == 0 else "another method"
        marks.across(axes, y, lines[name], label=label, zorder=3, markersize=5, **look)
        published = lines[name]["published"]
        if isinstance(published, float):
            look = marks.PUBLISHED | {"color": look["color"], "zorder": 2.5}
            marks.point(axes, published, y, "published" if y else None, look)
    for name in LINES if panel.trivial else ():
        if name in lines:
            axes.axvline(
                lines[name]["mean"],
                linestyle=LINES[name],
                label=f"{name.lower()} (no model)",
                color=marks.TRIVIAL["color"],
                linewidth=1.4,
                zorder=1,
            )
    if not panel.trivial:  # traffic and time start at zero
        axes.set_xlim(left=0)
    marks.rows(axes, [SHOWN.get(name, name) for name in methods])
    better = load_metric(panel.metric).better
    direction = "→ better" if better == "higher" else "← better"
    axes.set_xlabel(f"{panel.score}  ({direction})")
    marks.name(axes, panel.title)
