"""Gain of methods over another, by setting (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method


@dataclass(frozen=True)
class Gain(FigureKind):
    """Accuracy of methods less that of another: mean over seeds of the difference by seed.

    Attributes
    ----------
    settings
        Setting by label of its line.
    curves
        Method by label.
    over
        The other method.
    label
        Label of the axis.
    """

    settings: dict[str, str]
    curves: dict[str, str]
    over: str
    label: str = "Difference in accuracy"
    metrics: ClassVar[tuple[str, ...]] = ("accuracy",)

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.curves)

    def cells(self) -> Entries:
        """Return each method, and the other, on each setting."""
        return each_method(self.settings, {**self.curves, "": self.over})

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a line a setting."""
        import numpy as np
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import (
            interval,
            panel_names,
            seeds_of,
            title_and_legend,
            with_seeds,
        )

        title = with_seeds(title, seeds_of(cells))
        means = {place: lines.groupby("seed")["accuracy"].mean() for place, lines in cells.items()}
        figure = Figure(figsize=(7, 0.9 + 0.55 * len(self.settings)), layout="constrained")
        axes = figure.subplots()
        places = np.arange(len(self.settings))[::-1]
        looks_of = looks(self.legend())
        for i, label in enumerate(self.curves):
            gains = {
                line: means[line, label] - means[line, ""]
                for line in self.settings
                if (line, label) in means and (line, "") in means  # the others cannot run there
            }
            if not gains:
                continue
            mean, half_width = interval(pd.DataFrame(gains).T)
            colour, _, marker = looks_of[label]
            shift = 0.8 * (i - (len(self.curves) - 1) / 2) / len(self.curves)
            axes.errorbar(
                mean,
                places[[list(self.settings).index(line) for line in gains]] - shift,
                xerr=half_width.fillna(0),
                color=colour,
                marker=marker,
                linestyle="none",
                markersize=5,
                capsize=2,
                linewidth=1,
                label=label,
            )
        axes.axvline(0, color="#666666", linewidth=0.8)
        for place in places[:-1]:
            axes.axhline(place - 0.5, color="#dddddd", linewidth=0.6)
        names = list(panel_names(self.settings, cells).values())
        axes.set(xlabel=self.label, yticks=places, yticklabels=names)
        axes.set_ylim(-0.5, len(self.settings) - 0.5)
        axes.spines[["top", "right"]].set_visible(False)
        title_and_legend(figure, [axes], title, 3)
        return figure


FIGURE = Gain
