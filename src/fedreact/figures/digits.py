"""Digits as the pen or the finger went (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Digits(FigureKind):
    """Digits of three writers as the pen went; three samples of each where none is known.

    Attributes
    ----------
    data
        A dataset, or the role that it stands for: series of digits whose first channels are x
        (right) and y (up).
    who
        What a writer is called.
    """

    data: str = "digits"
    who: str = "Writer"

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the dataset."""
        return [ask.dataset(self.data)]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a row a writer."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading

        data = SeriesDataset.load(files[0])
        rows = samples(data, self.who)
        figure = Figure(figsize=(7.2, 0.5 + 0.82 * len(rows)), layout="constrained")
        panels = figure.subplots(len(rows), 10, squeeze=False)
        for (name, shown), line in zip(rows.items(), panels):
            for digit, axes in enumerate(line):
                axes.set(xticks=[], yticks=[], aspect="equal")
                axes.set_adjustable("datalim")
                axes.spines[:].set_visible(False)
                axes.margins(0.1)
                if digit in shown:
                    _draw(axes, data, shown[digit])
            line[0].set_ylabel(name, fontsize="small")
        heading(figure, title)
        return figure


def samples(data: SeriesDataset, who: str) -> dict[str, dict[int, int]]:
    """Return the index of a series of each label, by the name of its row and its label.

    Rows are the first three owners, called ``who`` with their number, or three samples.
    """
    labels = np.unique(data.y)
    if data.owner is None:
        every = {label: np.flatnonzero(data.y == label) for label in labels}
        return {
            f"Sample {i + 1}": {d: int(which[i]) for d, which in every.items() if i < len(which)}
            for i in range(3)
        }
    rows = {}
    for owner in np.unique(data.owner)[:3]:
        every = {d: np.flatnonzero((data.y == d) & (data.owner == owner)) for d in labels}
        rows[f"{who} {data.owner_name(owner)}"] = {
            d: int(which[0]) for d, which in every.items() if len(which)
        }
    return rows


def _draw(axes: "Axes", data: SeriesDataset, i: int) -> None:
    """Draw a digit, stroke by stroke, with a dot where it begins."""
    from fedreact.figures.style import COLOURS

    x, y = data.X[i, :2, : data.lengths[i]]
    third = data.X[i, 2, : data.lengths[i]] if data.X.shape[1] > 2 else np.ones(len(x))
    # Pendigits' third channel is the pen: 0 on the last point before it is lifted.
    pen = set(np.unique(third)) <= {0.0, 1.0}
    ends = np.flatnonzero(third == 0) if pen else np.zeros(0, dtype=int)
    for stroke in np.split(np.arange(len(x)), ends + 1):
        axes.plot(x[stroke], y[stroke], color=COLOURS[0], linewidth=1.2)
    axes.plot(x[0], y[0], "o", color=COLOURS[1], markersize=3)


FIGURE = Digits
