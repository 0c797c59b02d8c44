"""Scores of methods side by side, in groups (FedST, Fig. 6)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class Bars(FigureKind):
    """A group of bars each: means over seeds with their 95% intervals.

    Attributes
    ----------
    groups
        What all bars of a group have, by its label: ``{setting: ..., <change>: ...}``.
    bars
        Method by label.
    """

    groups: dict[str, dict[str, Any]]
    bars: dict[str, str]
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def legend(self):
        """Methods."""
        return tuple(self.bars)

    def cells(self):
        """Each method in each group."""
        return {
            (group, label): {**given, "method": method}
            for group, given in self.groups.items()
            for label, method in self.bars.items()
        }

    def draw(self, title, cells, files):
        """Draw the groups beside each other."""
        import numpy as np
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval, seeds_of, title_and_legend, with_seeds
        from fedreact.metrics.grammar import load_metric

        (metric,) = self.metrics
        figure = Figure(figsize=(1.2 + 2.0 * len(self.groups), 3.2), layout="constrained")
        axes, width = figure.subplots(), 0.84 / len(self.bars)
        looks_of = looks(self.legend())
        for i, label in enumerate(self.bars):
            there = {g: cells[g, label] for g in self.groups if (g, label) in cells}
            if not there:
                continue  # it cannot run there
            means = {g: lines.groupby("seed")[metric].mean() for g, lines in there.items()}
            mean, half = interval(pd.DataFrame(means).T)
            at = np.array([list(self.groups).index(g) for g in mean.index])
            at = at + width * (i - (len(self.bars) - 1) / 2)
            look = {
                "color": looks_of[label].colour,
                "label": label,
                "capsize": 2,
                "error_kw": {"linewidth": 0.8},
            }
            axes.bar(at, mean, 0.92 * width, yerr=half.fillna(0), **look)
        axes.set_xticks(range(len(self.groups)), list(self.groups), fontsize="small")
        axes.set_ylabel(load_metric(metric).title, fontsize="small")
        axes.tick_params(labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        title_and_legend(figure, [axes], with_seeds(title, seeds_of(cells)), 4)
        return figure


FIGURE = Bars
