"""Several scores of methods, side by side (M-Att, Fig. 3.5)."""

from dataclasses import dataclass

from fedreact.figures.contract import FigureKind


@dataclass(frozen=True)
class BarsOfScores(FigureKind):
    """A group of bars a score, a bar a method: means over seeds with their 95% intervals.

    Attributes
    ----------
    setting
        A setting.
    scores
        Metric by label of its group.
    label
        Label of the axis.
    bars
        Method by label.
    """

    setting: str
    scores: dict[str, str]
    label: str
    bars: dict[str, str]

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is shown."""
        return tuple(self.scores.values())

    def legend(self):
        """Methods."""
        return tuple(self.bars)

    def cells(self):
        """Each method."""
        return {
            ("", label): {"setting": self.setting, "method": method}
            for label, method in self.bars.items()
        }

    def draw(self, title, cells, files):
        """Draw the groups beside each other."""
        import numpy as np
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval, seeds_of, title_and_legend, with_seeds

        figure = Figure(figsize=(1.2 + 2.0 * len(self.scores), 3.2), layout="constrained")
        axes, width = figure.subplots(), 0.84 / len(self.bars)
        looks_of = looks(self.legend())
        for i, label in enumerate(self.bars):
            if ("", label) not in cells:
                continue  # it cannot run there
            by_seed = cells["", label].groupby("seed")[list(self.scores.values())].mean()
            mean, half = interval(pd.DataFrame(by_seed).T)
            at = np.arange(len(mean)) + width * (i - (len(self.bars) - 1) / 2)
            look = {"color": looks_of[label].colour, "label": label, "capsize": 2}
            half = half.fillna(0)
            axes.bar(at, mean, 0.92 * width, yerr=half, **look, error_kw={"linewidth": 0.8})
        axes.set_xticks(range(len(self.scores)), list(self.scores), fontsize="small")
        axes.set_ylabel(self.label, fontsize="small")
        axes.tick_params(labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        title_and_legend(figure, [axes], with_seeds(title, seeds_of(cells)), 4)
        return figure


FIGURE = BarsOfScores
