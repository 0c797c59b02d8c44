"""A target and its forecasts by several methods (M-Att, Fig. 3.6)."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method
from fedreact.options import Natural


@dataclass(frozen=True)
class Forecasts(FigureKind):
    """The first target of one client over its first test windows, in the first seed.

    Attributes
    ----------
    setting
        A setting of a regression.
    client
        Number of the client.
    label, step
        Labels of the axes.
    curves
        Method by label.
    """

    setting: str
    client: Natural
    label: str
    step: str
    curves: dict[str, str]

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.curves)

    def cells(self) -> Entries:
        """Return each method."""
        return each_method({"": self.setting}, self.curves)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a panel a method: its forecast over the measured target."""
        from matplotlib.figure import Figure

        from fedreact.figures.clients import client_records
        from fedreact.figures.looks import looks
        from fedreact.figures.style import heading

        looks_of = looks(self.legend())
        shown = {label: lines for (_, label), lines in cells.items()}
        n = max(1, len(shown))
        figure = Figure(figsize=(7.2, 0.8 + 1.7 * n), layout="constrained")
        heading(figure, f"{title}, the first seed")
        panels = figure.subplots(n, 1, squeeze=False, sharex=True, sharey=True)[:, 0]
        for axes, (label, lines) in zip(panels, shown.items()):
            record = client_records(lines, ("forecast", "actual"))[0]
            actual, forecast = (record[name][-1][self.client] for name in ("actual", "forecast"))
            axes.plot(actual, label="measured", color="#999999", linewidth=1.6)
            axes.plot(forecast, label="forecast", color=looks_of[label].colour, linewidth=0.8)
            axes.set_title(label, fontsize="small", loc="left")
            axes.set_ylabel(self.label, fontsize="small")
            axes.legend(frameon=False, fontsize="x-small", loc="upper right")
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
        panels[-1].set_xlabel(self.step, fontsize="small")
        return figure


FIGURE = Forecasts
