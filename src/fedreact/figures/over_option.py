"""Scores of methods over an option of the run, such as labelled samples a round (in no paper)."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class OverOption(FigureKind):
    """A curve a method: mean over seeds with its 95% interval, over the values of an option.

    Attributes
    ----------
    setting
        A setting.
    option
        Of its kind of run; its values are numbers.
    values
        Of the option, rising.
    label
        Of the axis.
    curves
        Method by label.
    """

    setting: str
    option: str
    values: tuple[float, ...]
    label: str
    curves: dict[str, str]
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def cells(self):
        """Each method at each value."""
        return {
            (f"{value:g}", label): {"setting": self.setting, "method": method}
            | {self.option: int(value) if value == int(value) else value}
            for value in self.values
            for label, method in self.curves.items()
        }

    def draw(self, title, cells, files):
        """Draw the curves."""
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.style import interval, seeds_of, style, title_and_legend, with_seeds

        (metric,) = self.metrics
        title = with_seeds(title, seeds_of(cells))
        figure = Figure(figsize=(6, 3.6), layout="constrained")
        axes = figure.subplots()
        for i, (label, method) in enumerate(self.curves.items()):
            there = {v: cells.get((f"{v:g}", label)) for v in self.values}
            means = {v: c.groupby("seed")[metric].mean() for v, c in there.items() if c is not None}
            if not means:
                continue  # the method cannot run there
            mean, half = interval(pd.DataFrame(means).T)
            colour, line, marker = style(method, i)
            shift = 1 + 0.012 * (i - len(self.curves) / 2)  # so that intervals stand side by side
            look = {"color": colour, "linestyle": line, "marker": marker, "label": label}
            axes.errorbar(
                mean.index * shift,
                mean,
                half.fillna(0),
                **look,
                markersize=4,
                capsize=2,
                linewidth=1,
            )
        axes.set_xscale("log")
        axes.set_xticks(self.values, [f"{v:g}" for v in self.values])
        axes.minorticks_off()
        axes.set(xlabel=self.label, ylabel=metric.capitalize())
        axes.spines[["top", "right"]].set_visible(False)
        title_and_legend(figure, [axes], title, 3)
        return figure


FIGURE = OverOption
