"""Scores of methods side by side, in groups (FedST, Fig. 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import pandas as pd


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

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.bars)

    def cells(self) -> Entries:
        """Return each method in each group."""
        return {
            (group, label): {**entry, "method": method}
            for group, entry in self.groups.items()
            for label, method in self.bars.items()
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the groups beside each other."""
        import pandas as pd

        from fedreact.figures.style import seeds_of, with_seeds
        from fedreact.metrics.grammar import load_metric

        (metric,) = self.metrics
        values = {}
        for label in self.bars:
            means = {
                group: cells[group, label].groupby("seed")[metric].mean()
                for group in self.groups
                if (group, label) in cells  # in others it cannot run
            }
            if means:
                values[label] = pd.DataFrame(means).T
        title, measured = with_seeds(title, seeds_of(cells)), load_metric(metric).title
        return draw_groups(title, measured, self.legend(), list(self.groups), values)


def draw_groups(
    title: str,
    measured: str,
    bars: tuple[str, ...],
    groups: Sequence[str],
    values: "Mapping[str, pd.DataFrame]",
) -> Drawing:
    """Draw bars in groups beside each other, with 95% intervals.

    Parameters
    ----------
    measured
        Label of the axis of values.
    bars
        Labels of the bars of each group.
    groups
        Labels of the groups.
    values
        Values of a bar ``[groups that have it, seeds]`` by its label, with groups as index.
    """
    import numpy as np
    from matplotlib.figure import Figure

    from fedreact.figures.looks import looks
    from fedreact.figures.style import interval, title_and_legend

    figure = Figure(figsize=(1.2 + 2.0 * len(groups), 3.2), layout="constrained")
    axes, width = figure.subplots(), 0.84 / len(bars)
    looks_of = looks(bars)
    for i, label in enumerate(bars):
        if label not in values:
            continue
        mean, half_width = interval(values[label])
        places = np.array([groups.index(group) for group in mean.index])
        axes.bar(
            places + width * (i - (len(bars) - 1) / 2),
            mean,
            0.92 * width,
            yerr=half_width.fillna(0),
            color=looks_of[label].colour,
            label=label,
            capsize=2,
            error_kw={"linewidth": 0.8},
        )
    axes.set_xticks(range(len(groups)), groups, fontsize="small")
    axes.set_ylabel(measured, fontsize="small")
    axes.tick_params(labelsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    title_and_legend(figure, [axes], title, 4)
    return figure


FIGURE = Bars
