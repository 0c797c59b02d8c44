"""Rand score over the rounds (Fed-REACT, Fig. 1 and others)."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.figures.contract import FigureKind


@dataclass(frozen=True)
class RandScore(FigureKind):
    """Curves of methods, a panel a setting: mean over seeds, band of its 95% interval.

    Attributes
    ----------
    settings
        Setting by title of its panel.
    curves
        Method by label.
    """

    settings: dict[str, str]
    curves: dict[str, str]
    metrics: ClassVar[tuple[str, ...]] = ("rand",)

    def cells(self):
        """Each method on each setting."""
        return {
            (panel, label): {"setting": setting, "method": method}
            for panel, setting in self.settings.items()
            for label, method in self.curves.items()
        }

    def draw(self, title, cells, files):
        """Draw the panels, two beside each other."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import interval, seeds_of, style, title_and_legend, with_seeds

        title = with_seeds(title, seeds_of(cells))
        columns = min(2, len(self.settings))
        rows = -(-len(self.settings) // columns)
        size = (6, 3.2) if len(self.settings) == 1 else (3.6 * columns, 0.5 + 2.1 * rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
        for axes, panel in zip(panels, self.settings):
            for i, (label, method) in enumerate(self.curves.items()):
                if (panel, label) not in cells:
                    continue  # the method cannot run there
                wide = cells[panel, label].pivot(index="round", columns="seed", values="rand")
                colour, line, _ = style(method, i)
                mean, half = interval(wide)
                axes.plot(mean.index, mean, line, color=colour, label=label, linewidth=1.5)
                low, high = (mean - half).clip(0, 1), (mean + half).clip(0, 1)
                axes.fill_between(mean.index, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.set(ylim=(None, 1.02))
            axes.set_title(panel, fontsize="small")
            axes.margins(x=0.01)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
            axes.spines[["top", "right"]].set_visible(False)
        for axes in panels[len(self.settings) :]:
            axes.set_visible(False)
        for axes in panels[max(0, len(self.settings) - columns) : len(self.settings)]:
            axes.set_xlabel("Communication round")
        for axes in panels[::columns]:
            axes.set_ylabel("Rand score")
        title_and_legend(figure, panels, title, len(self.curves))
        return figure


FIGURE = RandScore
