"""What methods reach over what it takes them (in no paper)."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fedreact.figures.contract import FigureKind


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
        Of all that name no other.
    over
        What is counted, on a logarithmic axis.
    score
        A metric.
    """

    panels: dict[str, dict[str, Any]]
    setting: str
    beside: dict[str, Any] | None = None
    over: Literal["gflops", "bytes", "steps", "minutes"] = "gflops"
    score: str = "accuracy"

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is shown."""
        return self.score, self.over

    def cells(self):
        """The dots of each curve in each panel, numbered where they come from several runs."""
        return {
            (panel, f"{label} {i}"): {"setting": self.setting, **point}
            for panel, own in self.panels.items()
            for label, given in {**(self.beside or {}), **own}.items()
            for i, point in enumerate(_points(given))
        }

    def draw(self, title, cells, files):
        """Draw the panels, two beside each other."""
        import pandas as pd
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator, NullFormatter, SymmetricalLogLocator

        from fedreact import plugins
        from fedreact.figures.style import interval, seeds_of, style, title_and_legend, with_seeds

        drawn = {key[0] for key in cells}
        panels = {name: own for name, own in self.panels.items() if name in drawn} or self.panels
        if missing := [name for name in self.panels if name not in panels]:
            title = f"{title}, left out: {', '.join(missing)}"
        names = [plugins.load("metrics", name, "METRIC") for name in (self.over, self.score)]
        labels = [label for own in self.panels.values() for label in {**(self.beside or {}), **own}]
        looks = {label: i for i, label in enumerate(dict.fromkeys(labels))}  # one in all panels
        columns = min(2, len(panels))
        rows = -(-len(panels) // columns)
        figure = Figure(figsize=(3.6 * columns, 0.9 + 2.3 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axes, (panel, own) in zip(grid, panels.items()):
            for label, given in {**(self.beside or {}), **own}.items():
                i = looks[label]
                keys = [(panel, f"{label} {j}") for j in range(len(_points(given)))]
                there = [cells[key] for key in keys if key in cells]
                if not there:
                    continue  # the method cannot run there
                dots = pd.concat([lines.assign(of=j) for j, lines in enumerate(there)])
                wide = dots.pivot(index=["of", "round"], columns="seed", values=self.score)
                over = dots.groupby(["of", "round"])[self.over].mean()
                order = over.sort_values(kind="stable").index
                mean, half = interval(wide.loc[order])
                colour = style(label, i)[0]
                # Curves that lie on each other are told apart by their dots.
                look = {"linestyle": LINES[i % len(LINES)], "marker": MARKERS[i % len(MARKERS)]}
                half, (low, high) = half.fillna(0), names[1].bounds
                axes.errorbar(
                    *(over.loc[order], mean),
                    yerr=[mean - (mean - half).clip(low), (mean + half).clip(None, high) - mean],
                    **look,
                    color=colour,
                    markersize=4.5,
                    markerfacecolor="none",
                    linewidth=1.2,
                    elinewidth=0.6,
                    capsize=1.5,
                    label=label,
                )
            axes.set_title(panel, fontsize="small")
            axes.grid(linewidth=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        counts = [line[self.over] for line in cells.values()]
        positive = [value for line in counts for value in line if value > 0]
        ticks = [1, 2, 5]
        if positive and any((line == 0).any() for line in counts):
            grid[0].set_xscale("symlog", linthresh=min(positive))
            ticks = SymmetricalLogLocator(base=10, linthresh=min(positive), subs=ticks)
        elif positive:
            grid[0].set_xscale("log")
            ticks = LogLocator(subs=ticks)
        if positive:
            grid[0].xaxis.set_major_locator(ticks)
            grid[0].xaxis.set_major_formatter("{x:g}")
            grid[0].xaxis.set_minor_formatter(NullFormatter())
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[max(0, len(panels) - columns) : len(panels)]:
            axes.set_xlabel(names[0].title, fontsize="small")
        for axes in grid[::columns]:
            axes.set_ylabel(textwrap.fill(names[1].title, 24))  # as much as a panel is high
        title_and_legend(figure, grid[: len(panels)], with_seeds(title, seeds_of(cells)), 5)
        return figure


def _points(given: Any) -> list[dict[str, Any]]:
    """What the dots of a curve are of."""
    listed = given if isinstance(given, list) else [given]
    return [dict(one) if isinstance(one, Mapping) else {"method": one} for one in listed]


LINES = ["-", "--", "-.", ":", "-"]
MARKERS = ["o", "s", "^", "v", "D"]

FIGURE = Curves
