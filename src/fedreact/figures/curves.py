"""What methods reach over what it takes them (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fedreact.figures.contract import FigureKind

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
        """What is shown."""
        return self.score, *self.overs

    @property
    def overs(self) -> tuple[str, ...]:
        """What is counted."""
        return (self.over,) if isinstance(self.over, str) else self.over

    def legend(self):
        """Methods, in the order of the panels."""
        named = [label for own in self.panels.values() for label in {**(self.beside or {}), **own}]
        return tuple(dict.fromkeys(named))

    def cells(self):
        """The dots of each curve in each panel, numbered where they come from several runs."""
        return {
            (panel, f"{label} {i}"): {"setting": self.setting, **point}
            for panel, own in self.panels.items()
            for label, given in {**(self.beside or {}), **own}.items()
            for i, point in enumerate(_points(given))
        }

    def draw(self, title, cells, files):
        """Draw the panels, two beside each other, or each in a row."""
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import (
            balanced,
            interval,
            logarithmic,
            panel_names,
            seeds_of,
            title_and_legend,
            with_seeds,
        )
        from fedreact.metrics.grammar import load_metric

        there = {key[0] for key in cells}
        panels = {name: own for name, own in self.panels.items() if name in there} or self.panels
        if missing := [name for name in self.panels if name not in panels]:
            title = f"{title}, left out: {'; '.join(missing)}"
        score, *counted = (load_metric(name) for name in self.metrics)
        looks_of, titles = looks(self.legend()), panel_names(panels, cells)
        several = len(counted) > 1
        columns = len(counted) if several else min(2, len(panels))
        rows = len(panels) if several else -(-len(panels) // columns)
        figure = Figure(figsize=(max(6, 3.6 * columns), 0.9 + 2.3 * rows), layout="constrained")
        grid = figure.subplots(
            rows, columns, squeeze=False, sharex="col" if several else True, sharey=True
        ).ravel()
        drawings = [(*of, over) for of in panels.items() for over in self.overs]
        for axes, (panel, own, over) in zip(grid, drawings):
            drawn = {**(self.beside or {}), **own}
            for i, (label, given) in enumerate(drawn.items()):
                keys = [(panel, f"{label} {j}") for j in range(len(_points(given)))]
                there = [cells[key] for key in keys if key in cells]
                if not there:
                    continue  # the method cannot run there
                dots = pd.concat([lines.assign(of=j) for j, lines in enumerate(there)])
                wide = dots.pivot(index=["of", "round"], columns="seed", values=self.score)
                at = dots.groupby(["of", "round"])[over].mean()
                order = at.sort_values(kind="stable").index
                mean, half = interval(wide.loc[order])
                colour, line, marker = looks_of[label]
                half, (low, high) = half.fillna(0), score.bounds
                axes.errorbar(
                    *(at.loc[order], mean),
                    yerr=[mean - (mean - half).clip(low), (mean + half).clip(None, high) - mean],
                    color=colour,
                    linestyle=line,
                    marker=marker,
                    markersize=4.5,
                    markerfacecolor="none",
                    linewidth=2.2 - 1.2 * i / len(drawn),  # equal ones stay visible
                    elinewidth=0.6,
                    capsize=1.5,
                    label=label,
                )
            axes.set_title(titles[panel], fontsize="small")
            axes.grid(linewidth=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[len(drawings) :]:
            axes.set_visible(False)
        for axes, over in zip(grid, self.overs):  # axes share those of their column, or all one
            logarithmic(axes.xaxis, [line[over] for line in cells.values()])
        for axes, of in zip(grid[max(0, len(drawings) - columns) :], counted * columns):
            axes.set_xlabel(balanced(of.title, 46), fontsize="small")
        for axes in grid[::columns]:
            axes.set_ylabel(balanced(score.title, 24))  # as much as a panel is high
        title_and_legend(figure, grid[: len(drawings)], with_seeds(title, seeds_of(cells)), 5)
        return figure


def _points(given: Any) -> list[dict[str, Any]]:
    """What the dots of a curve are of."""
    listed = given if isinstance(given, list) else [given]
    return [dict(one) if isinstance(one, Mapping) else {"method": one} for one in listed]


FIGURE = Curves
