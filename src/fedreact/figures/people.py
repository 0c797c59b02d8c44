"""Series of one label from two people, over time and over frequency (FedST, Figures 2 and 3).

FedST shows with them that people differ in how they do the same, over time more than over
frequency.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.errors import UserError
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.options import Natural

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from fedreact.data.dataset import SeriesDataset

PEOPLE = 2


@dataclass(frozen=True)
class People(FigureKind):
    """A row for each of the first two people who have series of a label: the first such series.

    Attributes
    ----------
    data
        A dataset, or the role that it stands for.
    label
        The label.
    channels
        Index by name of those that are drawn.
    frequency
        Whether a second panel has the Fourier coefficients but the first, which is the mean, as
        points in polar coordinates: their phase, and log(1 + amplitude).
    step
        What the axis counts, with its unit.
    value
        Label of the axis of values, with its unit.
    """

    data: str
    label: Natural
    channels: dict[str, Natural]
    frequency: bool = False
    step: str = "Step"
    value: str = "Value"

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the dataset."""
        return [ask.dataset(self.data)]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a panel for each channel, or one over time and one over frequency."""
        from matplotlib.figure import Figure

        from fedreact.data.dataset import SeriesDataset
        from fedreact.figures.style import title_and_legend

        data = SeriesDataset.load(files[0])
        people = self.people(data)
        figure = Figure(figsize=(7.2, 2.1 * PEOPLE + 0.8), layout="constrained")
        panels: list[Axes] = []
        columns = 2 if self.frequency else len(self.channels)
        for row, (person, series) in enumerate(people.items()):
            for column in range(columns):
                polar = self.frequency and column == 1
                place = (PEOPLE, columns, row * columns + column + 1)
                above = panels[column] if row else None
                axes = figure.add_subplot(
                    *place, projection="polar" if polar else None, sharey=above
                )
                chosen = list(self.channels.items())
                self._draw_panel(axes, series, chosen if self.frequency else [chosen[column]])
                name = f"Person {data.owner_name(person)}"
                axes.set_title(name if column == 0 else "", fontsize="small")
                panels.append(axes)
        title_and_legend(figure, panels, title, 6)
        return figure

    def people(self, data: "SeriesDataset") -> dict[int, "np.ndarray"]:
        """Return the series ``[channels, steps]`` that are drawn, by the number of the person.

        Raises
        ------
        UserError
            The data names no people.
        """
        from fedreact.figures.series import steps_of

        if data.owner is None:
            raise UserError(f"{data.name}: its series name no people")
        chosen: dict[int, np.ndarray] = {}
        for i, (label, owner) in enumerate(zip(data.y.tolist(), data.owner.tolist())):
            if label == self.label and owner not in chosen and len(chosen) < PEOPLE:
                chosen[owner] = steps_of(data, i)
        return chosen

    def _draw_panel(
        self, axes: "Axes", series: "np.ndarray", channels: list[tuple[str, int]]
    ) -> None:
        """Draw channels over time, or their coefficients, if the panel is polar."""
        import numpy as np
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import COLOURS

        for name, index in channels:
            colour = COLOURS[list(self.channels).index(name)]
            if axes.name == "polar":
                coefficients = np.fft.rfft(series[index])[1:]
                phase, amplitude = np.angle(coefficients), np.log1p(np.abs(coefficients))
                axes.scatter(phase, amplitude, s=8, color=colour, label=name)
                axes.set_xlabel("Phase", fontsize=7)
                axes.set_ylabel("log(1 + amplitude)", fontsize=7, labelpad=26)
                axes.tick_params(labelsize=6)
                axes.yaxis.set_major_locator(MaxNLocator(3))
                axes.grid(linewidth=0.3)
                continue
            axes.plot(series[index], color=colour, linewidth=0.9, label=name)
            axes.set_xlabel(self.step, fontsize=7)
            axes.set_ylabel(self.value, fontsize=7)
            axes.tick_params(labelsize=6)
            axes.spines[["top", "right"]].set_visible(False)


FIGURE = People
