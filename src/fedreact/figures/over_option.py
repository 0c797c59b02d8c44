"""Scores of methods over an option of the run: M-Att's Fig. 3.4, and labelled samples a round (in
no paper)."""

from dataclasses import dataclass

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


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
        """What is shown."""
        return self.scores

    def legend(self):
        """Methods."""
        return tuple(self.curves)

    def cells(self):
        """Each method at each value."""
        return {
            (f"{value:g}", label): {"setting": self.setting, "method": method}
            | {self.option: int(value) if value == int(value) else value}
            for value in self.values
            for label, method in self.curves.items()
        }

    def draw(self, title, cells, files):
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

    def _curves(self, axes, metric, cells):
        """Draw a panel."""
        import pandas as pd

        from fedreact.figures.looks import looks
        from fedreact.figures.style import balanced, interval
        from fedreact.metrics.grammar import load_metric

        looks_of = looks(self.legend())
        for i, label in enumerate(self.curves):
            there = {v: cells.get((f"{v:g}", label)) for v in self.values}
            means = {v: c.groupby("seed")[metric].mean() for v, c in there.items() if c is not None}
            if not means:
                continue  # the method cannot run there
            mean, half = interval(pd.DataFrame(means).T)
            colour, line, marker = looks_of[label]
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
        title = load_metric(metric).title
        axes.set(xlabel=self.label, ylabel=balanced(title, 24))
        axes.spines[["top", "right"]].set_visible(False)


FIGURE = OverOption
