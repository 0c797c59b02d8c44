"""Final scores over costs, with the methods that no other one beats in both (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.figures.curves import Over, drawn_panels
from fedreact.metrics.contract import PRIMARY, Metric

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class _Point(NamedTuple):
    """A method's mean cost, its mean score, and half the width of the score's interval."""

    cost: float
    score: float
    half_width: float


@dataclass(frozen=True)
class Pareto(FigureKind):
    """A marker a method: its score and its cost after the last round, means over seeds.

    Scores have their 95% intervals. A line joins the Pareto front: methods to which no other is
    better in one of the two and at least as good in the other. Their markers are filled.

    Attributes
    ----------
    panels
        By title: methods by label. A method is its name or what a cell of a table may say.
    setting
        Setting of the panels that name no other.
    over
        The cost, on a logarithmic axis.
    score
        A metric.
    """

    panels: dict[str, dict[str, Any]]
    setting: str
    over: Over = "bytes"
    score: str = PRIMARY["classification"]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are shown."""
        return self.score, self.over

    def legend(self) -> tuple[str, ...]:
        """Return the methods, in the order of the panels."""
        return tuple(dict.fromkeys(label for methods in self.panels.values() for label in methods))

    def cells(self) -> Entries:
        """Return each method in each panel."""
        return {
            (panel, label): {
                "setting": self.setting,
                **({"method": method} if isinstance(method, str) else method),
            }
            for panel, methods in self.panels.items()
            for label, method in methods.items()
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels, two beside each other."""
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
        score, cost = (load_metric(name) for name in self.metrics)
        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(max(6, 3.6 * columns), 1.1 + 2.4 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        names = panel_names(panels, cells)
        for axes, panel in zip(grid, panels):
            self._draw_panel(axes, panel, cells, score)
            axes.set_title(names[panel], fontsize="small")
            axes.set_xlabel(balanced(cost.title, 46), fontsize="small")
            costs = [lines[self.over] for (name, _), lines in cells.items() if name == panel]
            logarithmic(axes.xaxis, costs)
            axes.grid(linewidth=0.3)
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[::columns]:
            axes.set_ylabel(balanced(score.title, 24))
        title_and_legend(figure, grid[: len(panels)], with_seeds(title, seeds_of(cells)), 4)
        return figure

    def _draw_panel(self, axes: "Axes", panel: str, cells: Scores, score: Metric) -> None:
        """Draw the methods of a panel, and their front."""
        from fedreact.figures.looks import looks

        looks_of = looks(self.legend())
        points = {
            label: self._point(cells[panel, label])
            for label in self.panels[panel]
            if (panel, label) in cells
        }
        sign = -1 if score.better == "lower" else 1
        best = front({label: (point.cost, sign * point.score) for label, point in points.items()})
        low, high = score.bounds
        for label, (cost, mean, half_width) in points.items():
            colour, _, marker = looks_of[label]
            ends = max(mean - half_width, low), min(mean + half_width, high)
            axes.errorbar(
                cost,
                mean,
                yerr=[[mean - ends[0]], [ends[1] - mean]],
                color=colour,
                marker=marker,
                markersize=6,
                markerfacecolor=colour if label in best else "white",
                linestyle="none",
                elinewidth=0.7,
                capsize=2,
                label=label,
                zorder=3,
            )
        axes.plot(
            [points[label].cost for label in best],
            [points[label].score for label in best],
            color="#AAAAAA",
            linewidth=1,
            zorder=1,
            label="Pareto front (filled)",
        )

    def _point(self, lines: "pd.DataFrame") -> _Point:
        """Return where a method stands after its last round."""
        import pandas as pd

        from fedreact.figures.style import interval

        last = lines[lines["round"] == lines.groupby("seed")["round"].transform("max")]
        by_seed = last.groupby("seed")[[self.score, self.over]].mean()
        mean, half_width = interval(pd.DataFrame(by_seed[self.score]).T)
        return _Point(by_seed[self.over].mean(), mean.iloc[0], half_width.fillna(0).iloc[0])


def front(points: dict[str, tuple[float, float]]) -> list[str]:
    """Return the labels of the points that no other dominates, the cheapest first.

    Parameters
    ----------
    points
        Cost and score by label; a lower cost and a higher score are better.
    """
    order = sorted(points, key=lambda label: (points[label][0], -points[label][1]))
    best: list[str] = []
    for label in order:
        cost, score = points[label]
        last = points[best[-1]] if best else (cost, float("-inf"))
        if score > last[1] or (cost, score) == last:
            best.append(label)
    return best


FIGURE = Pareto
