"""A score over the communication rounds (in no paper; that of the Rand score is ``rand-score``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHISKERS = 8
"""Intervals that each curve shows, at most."""


@dataclass(frozen=True)
class RoundCurves(FigureKind):
    """Curves of methods, a panel a setting: mean over seeds, with 95% intervals at some rounds.

    Curves that are equal stay visible: the first is the broadest, and each has its markers and
    intervals at rounds of its own.

    Attributes
    ----------
    settings
        Setting by title of its panel.
    curves
        Method by label.
    score
        A metric.
    """

    settings: dict[str, str]
    curves: dict[str, str]
    score: str = PRIMARY["classification"]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are shown."""
        return (self.score,)

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.curves)

    def cells(self) -> Entries:
        """Return each method on each setting."""
        return each_method(self.settings, self.curves)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels, two beside each other."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import panel_names, seeds_of, title_and_legend, with_seeds
        from fedreact.metrics.grammar import load_metric

        score = load_metric(self.score)
        title, n = with_seeds(title, seeds_of(cells)), len(self.settings)
        columns = min(2, n)
        rows = -(-n // columns)
        size = (6, 3.4) if n == 1 else (3.6 * columns, 0.8 + 2.1 * rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
        titles = panel_names(self.settings, cells)
        for axes, panel in zip(panels, self.settings):
            self._draw_panel(axes, panel, cells, score.bounds)
            axes.set_title(titles[panel], fontsize="small")
            axes.margins(x=0.02)
            axes.grid(axis="y", linewidth=0.3)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
            axes.spines[["top", "right"]].set_visible(False)
        for axes in panels[n:]:
            axes.set_visible(False)
        for axes in panels[max(0, n - columns) : n]:
            axes.set_xlabel("Communication round")
        for axes in panels[::columns]:
            axes.set_ylabel(score.title.partition(", mean")[0])
        title_and_legend(figure, panels, title, len(self.curves))
        return figure

    def _draw_panel(
        self, axes: "Axes", panel: str, cells: Scores, bounds: tuple[float, float]
    ) -> None:
        """Draw the curves of a setting: lines first, so that no line hides an interval."""
        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval, within

        looks_of = looks(self.legend())
        shown = [label for label in self.curves if (panel, label) in cells]
        for i, label in enumerate(shown):
            values = cells[panel, label].pivot(index="round", columns="seed", values=self.score)
            colour, line, marker = looks_of[label]
            mean, half_width = interval(values)
            # Markers stand at rounds of their own for each curve where there are enough rounds.
            every = -(-len(mean) // WHISKERS)
            every = max(every, len(shown)) if len(mean) >= 2 * len(shown) else every
            start = i * every // len(shown)
            axes.errorbar(
                mean.index,
                mean,
                yerr=within(mean, half_width.fillna(0), bounds),
                errorevery=(start, every),
                markevery=(start, every),
                color=colour,
                linestyle=line,
                marker=marker,
                markersize=4,
                markerfacecolor="white",
                linewidth=1.1 + 1.6 * (len(shown) - 1 - i) / max(1, len(shown) - 1),
                elinewidth=0.8,
                capsize=2,
                label=label,
                zorder=3 + i / 100,
            )


FIGURE = RoundCurves
