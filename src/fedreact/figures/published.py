"""Rebuilt values of tables against the published ones (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.figures.looks import Look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Published(FigureKind):
    """A marker a cell that has a published value, with the 95% interval of the rebuilt mean.

    On the diagonal both are equal. Markers are filled where the data is the paper's, so that the
    two can be compared.

    Attributes
    ----------
    tables
        Table of the same paper by title of its panel.
    methods_are
        Where a table has its methods, which the colours stand for.
    """

    tables: dict[str, str]
    methods_are: Literal["rows", "columns"] = "columns"

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the tables."""
        return [ask.table(name) for name in self.tables.values()]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels of tables that have published values, two beside each other."""
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import title_and_legend

        panels = {
            name: cells_of_table
            for name, table in self.tables.items()
            if (cells_of_table := _read(table, files)) is not None
        }
        axis = self.methods_are.removesuffix("s")
        looks_of = looks(label for table in panels.values() for label in table[axis])
        columns = max(1, min(2, len(panels)))
        rows = max(1, -(-len(panels) // columns))
        figure = Figure(figsize=(max(4.4, 3.6 * columns), 1.3 + 3.0 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, (name, table) in zip(grid, panels.items()):
            for label, lines in table.groupby(axis, sort=False):
                _draw_points(axes, lines, str(label), looks_of[str(label)])
            _finish(axes, table)
            axes.set_title(name, fontsize="small")
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        n = sum(len(table) for table in panels.values())
        compared = sum(int(_comparable(table).sum()) for table in panels.values())
        note = f"{n} cells, {compared} of them of the paper's data and compute (filled)"
        title_and_legend(figure, grid[: len(panels)], f"{title}\n{note}", 3)
        return figure


def _read(table: str, files: list[Path]) -> "pd.DataFrame | None":
    """Read the published cells of a table's first metric, or return ``None``."""
    import pandas as pd

    own = [file for file in files if f"_{file.stem}".endswith(f"_{table}")]
    if not own:
        return None  # its data cannot be had
    file = min(own, key=lambda path: len(path.stem))  # the others' names are longer
    lines = pd.read_csv(file, dtype={"row": str, "column": str})
    cells = lines.dropna(subset=["mean", "published"])
    cells = cells[cells["metric"].isin(cells["metric"].iloc[:1])]  # one unit an axis
    return cells if len(cells) else None


def _comparable(lines: "pd.DataFrame") -> "pd.Series[bool]":
    """Return which cells can be compared with the paper's."""
    return lines["verdict"] != "not-comparable"


def _finish(axes: "Axes", table: "pd.DataFrame") -> None:
    """Draw the diagonal, and give both axes of a panel the same limits."""
    from fedreact.figures.style import balanced
    from fedreact.metrics.grammar import load_metric

    title = load_metric(table["metric"].iloc[0]).title
    values = table[["mean", "ci_low", "ci_high", "published"]]
    low, high = values.min().min(), values.max().max()
    room = 0.04 * (high - low or 1)
    limits = (low - room, high + room)
    axes.plot(limits, limits, color="#8A8A8A", linewidth=0.8, zorder=1)
    axes.set(xlim=limits, ylim=limits, aspect="equal")
    axes.set_xlabel("Published", fontsize="small")
    axes.set_ylabel(balanced(f"Rebuilt, {title[:1].lower()}{title[1:]}", 30))
    axes.yaxis.label.set_fontsize("small")
    axes.tick_params(labelsize="small")
    axes.grid(linewidth=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_points(axes: "Axes", lines: "pd.DataFrame", label: str, look: Look) -> None:
    """Draw the cells of one method."""
    ends = [lines["mean"] - lines["ci_low"], lines["ci_high"] - lines["mean"]]
    axes.errorbar(
        lines["published"],
        lines["mean"],
        yerr=[end.fillna(0) for end in ends],
        linestyle="none",
        color=look.colour,
        elinewidth=0.7,
        zorder=2,
    )
    comparable = _comparable(lines)
    for compared, filled in ((False, "white"), (True, look.colour)):
        drawn = lines[comparable == compared]
        axes.plot(
            drawn["published"],
            drawn["mean"],
            look.marker,
            color=look.colour,
            markerfacecolor=filled,
            markersize=5,
            zorder=3,
            label=label if compared == comparable.any() else None,
        )


FIGURE = Published
