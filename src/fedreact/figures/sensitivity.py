"""Scores of a method over options of its algorithm, a panel each (FedST, Fig. 5)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.figures.over_option import draw_curve
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class Sensitivity(FigureKind):
    """A panel an option, a curve a setting: mean over seeds with its 95% interval.

    Attributes
    ----------
    settings
        Setting by label.
    method
        The method with these options.
    options
        Values of each option, rising.
    labels
        Labels of the axes, by option.
    """

    settings: dict[str, str]
    method: str
    options: dict[str, tuple[float, ...]]
    labels: dict[str, str] = field(default_factory=dict)
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.settings)

    def cells(self) -> Entries:
        """Return the method with each value, all else as it is."""
        return {
            (f"{option}={value:g}", label): {"setting": setting, "method": self.method}
            | {"options": {option: float(value)}}
            for option, values in self.options.items()
            for value in values
            for label, setting in self.settings.items()
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels."""
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import seeds_of, title_and_legend, with_seeds
        from fedreact.metrics.grammar import load_metric

        (metric,) = self.metrics
        figure = Figure(figsize=(1.9 * len(self.options) + 0.6, 2.8), layout="constrained")
        panels = figure.subplots(1, len(self.options), sharey=True, squeeze=False)[0]
        looks_of = looks(self.legend())
        for axes, (option, values) in zip(panels, self.options.items()):
            for i, label in enumerate(self.settings):
                by_value = {
                    value: cells[f"{option}={value:g}", label]
                    for value in values
                    if (f"{option}={value:g}", label) in cells
                }
                shift = 1 + 0.04 * i  # so that intervals stand side by side
                draw_curve(axes, by_value, metric, label, looks_of[label], shift)
            axes.set_xscale("log")
            axes.set_xticks(values, [f"{value:g}" for value in values], fontsize="small")
            axes.minorticks_off()
            axes.set_xlabel(self.labels.get(option, option), fontsize="small")
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
        panels[0].set_ylabel(load_metric(metric).title, fontsize="small")
        title_and_legend(figure, panels, with_seeds(title, seeds_of(cells)), len(self.settings))
        return figure


FIGURE = Sensitivity
