"""A target and its forecasts by several methods (M-Att, Fig. 3.6)."""

from dataclasses import dataclass

from fedreact.figures.contract import FigureKind
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

    def legend(self):
        """Methods."""
        return tuple(self.curves)

    def cells(self):
        """Each method."""
        return {
            ("", label): {"setting": self.setting, "method": method}
            for label, method in self.curves.items()
        }

    def draw(self, title, cells, files):
        """Draw a panel a method: its forecast over the measured target."""
        from matplotlib.figure import Figure

        from fedreact.figures.clients import kept_of_clients
        from fedreact.figures.looks import looks

        looks_of = looks(self.legend())
        shown = {label: lines for (_, label), lines in cells.items()}
        n = max(1, len(shown))
        figure = Figure(figsize=(7.2, 0.8 + 1.7 * n), layout="constrained")
        figure.suptitle(f"{title}, the first seed", fontsize="small", x=0.01, ha="left")
        panels = figure.subplots(n, 1, squeeze=False, sharex=True, sharey=True)[:, 0]
        for axes, (label, lines) in zip(panels, shown.items()):
            kept = kept_of_clients(lines, ("forecast", "actual"))[0]
            for name, look in (
                ("actual", {"color": "#999999", "linewidth": 1.6}),
                ("forecast", {"color": looks_of[label].colour, "linewidth": 0.8}),
            ):
                axes.plot(kept[name][-1][self.client], label=LABELS[name], **look)
            axes.set_title(label, fontsize="small", loc="left")
            axes.set_ylabel(self.label, fontsize="small")
            axes.legend(frameon=False, fontsize="x-small", loc="upper right")
            axes.tick_params(labelsize="small")
            axes.spines[["top", "right"]].set_visible(False)
        panels[-1].set_xlabel(self.step, fontsize="small")
        return figure


LABELS = {"actual": "measured", "forecast": "forecast"}

FIGURE = Forecasts
