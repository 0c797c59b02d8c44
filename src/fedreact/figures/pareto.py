"""Final scores over costs, with the methods that no other one beats in both (in no paper)."""

from dataclasses import dataclass
from typing import Any

from fedreact.figures.contract import FigureKind
from fedreact.figures.curves import Over
from fedreact.metrics.contract import PRIMARY


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
        """What is shown."""
        return self.score, self.over

    def legend(self):
        """Methods, in the order of the panels."""
        return tuple(dict.fromkeys(label for own in self.panels.values() for label in own))

    def cells(self):
        """Each method in each panel."""
        return {
            (panel, label): {
                "setting": self.setting,
                **({"method": one} if isinstance(one, str) else one),
            }
            for panel, own in self.panels.items()
            for label, one in own.items()
        }

    def draw(self, title, cells, files):
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

        drawn = {panel for panel, _ in cells}
        panels = [panel for panel in self.panels if panel in drawn] or list(self.panels)
        if missing := [panel for panel in self.panels if panel not in panels]:
            title = f"{title}, left out: {'; '.join(missing)}"
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
            own = [lines[self.over] for (of, _), lines in cells.items() if of == panel]
            logarithmic(axes.xaxis, own)
            axes.grid(linewidth=0.3)
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[::columns]:
            axes.set_ylabel(balanced(score.title, 24))
        title_and_legend(figure, grid[: len(panels)], with_seeds(title, seeds_of(cells)), 4)
        return figure

    def _draw_panel(self, axes, panel, cells, score):
        """Draw the methods of a panel, and their front."""
        import pandas as pd

        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval

        looks_of, found = looks(self.legend()), {}
        for label in self.panels[panel]:
            if (panel, label) in cells:
                lines = cells[panel, label]
                last = lines[lines["round"] == lines.groupby("seed")["round"].transform("max")]
                by_seed = last.groupby("seed")[[self.score, self.over]].mean()
                mean, half = interval(pd.DataFrame(by_seed[self.score]).T)
                found[label] = by_seed[self.over].mean(), mean.iloc[0], half.fillna(0).iloc[0]
        sign = -1 if score.better == "lower" else 1
        best = front({label: (cost, sign * mean) for label, (cost, mean, _) in found.items()})
        low, high = score.bounds
        for label, (cost, mean, half) in found.items():
            colour, _, marker = looks_of[label]
            axes.errorbar(
                cost,
                mean,
                yerr=[[mean - max(mean - half, low)], [min(mean + half, high) - mean]],
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
            [found[label][0] for label in best],
            [found[label][1] for label in best],
            color="#AAAAAA",
            linewidth=1,
            zorder=1,
            label="Pareto front (filled)",
        )


def front(points: dict[str, tuple[float, float]]) -> list[str]:
    """Return the labels of the points that no other dominates, the cheapest first.

    Parameters
    ----------
    points
        Cost and score by label; a lower cost and a higher score are better.
    """
    order = sorted(points, key=lambda label: (points[label][0], -points[label][1]))
    kept: list[str] = []
    for label in order:
        cost, score = points[label]
        last = points[kept[-1]] if kept else (cost, float("-inf"))
        if score > last[1] or (cost, score) == last:
            kept.append(label)
    return kept


FIGURE = Pareto
