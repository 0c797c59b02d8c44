"""Scores of methods over an option of the run: M-Att's Fig. 3.4, and labelled samples a round (in
no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.figures.looks import Look
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class OverOption(FigureKind):
    """A panel a score, a curve a method: means over seeds with 95% intervals, over an option.

    Attributes
    ----------
    setting
        A setting.
    option
        An option of its kind of run, with numbers as values.
    values
        Values of the option, rising.
    label
        Label of the axis.
    curves
        Method by label.
    scores
        Metrics.
    """

    setting: str
    option: str
    values: tuple[float, ...]
    label: str
    curves: dict[str, str]
    scores: tuple[str, ...] = (PRIMARY["classification"],)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The scores."""
        return self.scores

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.curves)

    def cells(self) -> Entries:
        """Return each method at each value."""
        return {
            (f"{value:g}", label): {"setting": self.setting, "method": method}
            | {self.option: int(value) if value == int(value) else value}
            for value in self.values
            for label, method in self.curves.items()
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels, two beside each other."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import seeds_of, title_and_legend, with_seeds

        title, n = with_seeds(title, seeds_of(cells)), len(self.scores)
        columns = min(2, n)
        size = (6, 3.6) if n == 1 else (7.2, 1.1 + 2.3 * -(-n // columns))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(-(-n // columns), columns, squeeze=False).ravel()
        for axes, metric in zip(panels, self.scores):
            self._curves(axes, metric, cells)
        for axes in panels[n:]:
            axes.set_visible(False)
        title_and_legend(figure, panels[:n], title, 3)
        return figure

    def _curves(self, axes: "Axes", metric: str, cells: Scores) -> None:
        """Draw a panel."""
        from fedreact.figures.looks import looks
        from fedreact.figures.style import balanced
        from fedreact.metrics.grammar import load_metric

        looks_of = looks(self.legend())
        for i, label in enumerate(self.curves):
            by_value = {
                value: cells[f"{value:g}", label]
                for value in self.values
                if (f"{value:g}", label) in cells
            }
            shift = 1 + 0.012 * (i - len(self.curves) / 2)  # so that intervals stand side by side
            draw_curve(axes, by_value, metric, label, looks_of[label], shift)
        axes.set_xscale("log")
        axes.set_xticks(self.values, [f"{value:g}" for value in self.values])
        axes.minorticks_off()
        title = load_metric(metric).title
        axes.set(xlabel=self.label, ylabel=balanced(title, 24))
        axes.spines[["top", "right"]].set_visible(False)


def draw_curve(
    axes: "Axes",
    by_value: "Mapping[float, pd.DataFrame]",
    metric: str,
    label: str,
    look: Look,
    shift: float,
) -> None:
    """Draw means of a metric over seeds with 95% intervals, over the values of an option.

    Nothing is drawn without values: then the method cannot run there.

    Parameters
    ----------
    by_value
        Lines of scores by the value of the option.
    shift
        Factor by which each value is moved along its logarithmic axis.
    """
    import pandas as pd

    from fedreact.figures.style import interval

    if not by_value:
        return
    means = {value: lines.groupby("seed")[metric].mean() for value, lines in by_value.items()}
    mean, half_width = interval(pd.DataFrame(means).T)
    axes.errorbar(
        mean.index * shift,
        mean,
        half_width.fillna(0),
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        label=label,
        markersize=4,
        capsize=2,
        linewidth=1,
    )


FIGURE = OverOption
