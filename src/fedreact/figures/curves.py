"""Scores of methods over their costs (in no paper)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Over = Literal["gflops", "bytes", "bytes_up", "bytes_down", "steps", "minutes"]


@dataclass(frozen=True)
class Curves(FigureKind):
    """A score over compute, traffic or steps: a dot for each scored round, means over seeds.

    Attributes
    ----------
    panels
        By title: curves by label. A curve is a method, or what a cell of a table may say
        (``method`` and what is changed), or a list of such, whose dots are joined.
    beside
        Curves that are drawn in each panel.
    setting
        Default setting of the curves.
    over
        What is counted, on a logarithmic axis; of several, each panel is drawn over each, in a row.
    score
        A metric.
    """

    panels: dict[str, dict[str, Any]]
    setting: str
    beside: dict[str, Any] | None = None
    over: Over | tuple[Over, ...] = "gflops"
    score: str = "accuracy"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are shown."""
        return self.score, *self.overs

    @property
    def overs(self) -> tuple[str, ...]:
        """The counts that the panels are drawn over."""
        return (self.over,) if isinstance(self.over, str) else self.over

    def _curves(self, panel: str) -> dict[str, Any]:
        """Return the curves of a panel, those of all panels first."""
        return {**(self.beside or {}), **self.panels[panel]}

    def legend(self) -> tuple[str, ...]:
        """Return the methods, in the order of the panels."""
        return tuple(dict.fromkeys(label for panel in self.panels for label in self._curves(panel)))

    def cells(self) -> Entries:
        """Return the dots of each curve in each panel, numbered by the runs they come from."""
        return {
            (panel, f"{label} {i}"): {"setting": self.setting, **point}
            for panel in self.panels
            for label, curve in self._curves(panel).items()
            for i, point in enumerate(_points(curve))
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels, two beside each other, or each in a row."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import (
            balanced,
            logarithmic,
            panel_names,
            seeds_of,
            title_and_legend,
            with_seeds,
        )
        from fedreact.metrics.grammar import load_metric

        title, panels = drawn_panels(title, self.panels, cells)
        score, *counted = (load_metric(name) for name in self.metrics)
        titles = panel_names(panels, cells)
        several = len(counted) > 1
        columns = len(counted) if several else min(2, len(panels))
        rows = len(panels) if several else -(-len(panels) // columns)
        figure = Figure(figsize=(max(6, 3.6 * columns), 0.9 + 2.3 * rows), layout="constrained")
        grid = figure.subplots(
            rows, columns, squeeze=False, sharex="col" if several else True, sharey=True
        ).ravel()
        drawings = [(panel, over) for panel in panels for over in self.overs]
        for axes, (panel, over) in zip(grid, drawings):
            self._draw_panel(axes, panel, over, cells, score.bounds)
            axes.set_title(titles[panel], fontsize="small")
            axes.grid(linewidth=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[len(drawings) :]:
            axes.set_visible(False)
        for axes, over in zip(grid, self.overs):  # axes share those of their column, or all one
            logarithmic(axes.xaxis, [lines[over] for lines in cells.values()])
        for axes, count in zip(grid[max(0, len(drawings) - columns) :], counted * columns):
            axes.set_xlabel(balanced(count.title, 46), fontsize="small")
        for axes in grid[::columns]:
            axes.set_ylabel(balanced(score.title, 24))  # as much as a panel is high
        title_and_legend(figure, grid[: len(drawings)], with_seeds(title, seeds_of(cells)), 5)
        return figure

    def _draw_panel(
        self, axes: "Axes", panel: str, over: str, cells: Scores, bounds: tuple[float, float]
    ) -> None:
        """Draw the curves of a panel over one count."""
        import pandas as pd

        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval, within

        looks_of, curves = looks(self.legend()), self._curves(panel)
        for i, (label, curve) in enumerate(curves.items()):
            keys = [(panel, f"{label} {j}") for j in range(len(_points(curve)))]
            runs = [cells[key] for key in keys if key in cells]
            if not runs:
                continue  # the method cannot run there
            dots = pd.concat([lines.assign(run=j) for j, lines in enumerate(runs)])
            values = dots.pivot(index=["run", "round"], columns="seed", values=self.score)
            counts = dots.groupby(["run", "round"])[over].mean().sort_values(kind="stable")
            mean, half_width = interval(values.loc[counts.index])
            colour, line, marker = looks_of[label]
            axes.errorbar(
                counts,
                mean,
                yerr=within(mean, half_width.fillna(0), bounds),
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=4.5,
                markerfacecolor="none",
                linewidth=2.2 - 1.2 * i / len(curves),  # equal ones stay visible
                elinewidth=0.6,
                capsize=1.5,
                label=label,
            )


def drawn_panels(title: str, panels: Iterable[str], cells: Scores) -> tuple[str, list[str]]:
    """Return the panels that have cells, and the title with the names of those that have none.

    If none has cells, all are returned, so that there is something to draw.
    """
    with_cells = {panel for panel, _ in cells}
    drawn = [panel for panel in panels if panel in with_cells] or list(panels)
    if missing := [panel for panel in panels if panel not in drawn]:
        title = f"{title}, left out: {'; '.join(missing)}"
    return title, drawn


def _points(curve: Any) -> list[dict[str, Any]]:
    """Return the cells that the dots of a curve come from."""
    points = curve if isinstance(curve, list) else [curve]
    return [dict(point) if isinstance(point, Mapping) else {"method": point} for point in points]


FIGURE = Curves
