"""Some series of a dataset, by what is to be predicted of them (in no paper)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.options import Natural

if TYPE_CHECKING:
    import numpy as np

    from fedreact.data.dataset import SeriesDataset

SAMPLES = 4
"""Series in a row."""

ROWS = 5
"""Most rows of labels of which several can be true, the most frequent ones."""

QUANTILES = (0.05, 0.5, 0.95)
"""Quantiles of the first target of a regression that have a row each."""


@dataclass(frozen=True)
class Series(FigureKind):
    """Rows of series: one for each label, frequent label or quantile of the first target.

    Series of a row are spread evenly over the dataset, hence over its owners.

    Attributes
    ----------
    data
        A dataset, or the role that it stands for.
    channels
        Index by name of those that are drawn as lines.
    step
        What the axis counts, with its unit.
    value
        Label of the axis of values, with its unit.
    labels
        Names of labels from 0 on, where numbers would say too little.
    planes
        Colour planes of an image whose rows are channels: 1 if grey, 3 in colour; 0 for no image.
    """

    data: str
    channels: dict[str, Natural] = field(default_factory=dict)
    step: str = "Step"
    value: str = "Value"
    labels: tuple[str, ...] = ()
    planes: Literal[0, 1, 3] = 0

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the dataset."""
        return [ask.dataset(self.data)]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the rows."""
        from matplotlib.figure import Figure

        from fedreact.data.dataset import SeriesDataset
        from fedreact.figures.style import COLOURS, title_and_legend

        data = SeriesDataset.load(files[0])
        rows = self.rows(data)
        size = (4.2 if self.planes else 7.2, 1.0 + 0.74 * len(rows))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(rows), SAMPLES, squeeze=False, sharex=True, sharey=True)
        for line, (name, chosen) in zip(panels, rows.items()):
            for axes, i in zip(line, chosen):
                if self.planes:
                    axes.imshow(self._image(data.X[i]), cmap="gray", vmin=0, vmax=1)
                    axes.set(xticks=[], yticks=[])
                    continue
                values = steps_of(data, i)
                for (channel, index), colour in zip(self._drawn(data).items(), COLOURS):
                    axes.plot(values[index], color=colour, linewidth=0.8, label=channel)
                axes.tick_params(labelsize=6)
                axes.spines[["top", "right"]].set_visible(False)
            for axes in line[len(chosen) :]:
                axes.set_axis_off()
            line[0].set_ylabel(name, fontsize=7, rotation=0, ha="right", va="center", labelpad=6)
        if not self.planes:
            for axes in panels[-1]:
                axes.set_xlabel(self.step, fontsize=7)
            figure.supylabel(self.value, fontsize="small")
        title_and_legend(figure, panels.ravel(), title, 6)
        return figure

    def rows(self, data: "SeriesDataset") -> dict[str, list[int]]:
        """Return the indices of the series that are drawn, by the name of their row."""
        import numpy as np

        y = data.y
        if y.dtype == bool:
            frequent = np.argsort(-y.sum(axis=0), kind="stable")[:ROWS]
            rows = {self._label(int(m)): np.flatnonzero(y[:, m]) for m in frequent if y[:, m].any()}
        elif y.dtype.kind == "i":
            rows = {self._label(int(label)): np.flatnonzero(y == label) for label in np.unique(y)}
        else:
            target = y if y.ndim == 1 else y[:, 0]
            order, share = np.argsort(target, kind="stable"), max(1, len(y) // 20)
            rows = {}
            for q in QUANTILES:
                middle = int(q * (len(y) - 1))
                near = order[max(0, middle - share // 2) : middle + share // 2 + 1]
                rows[f"Target about {target[order[middle]]:.3g}"] = np.sort(near)
        return {name: _spread(indices) for name, indices in rows.items()}

    def _image(self, series: "np.ndarray") -> "np.ndarray":
        """Return an image ``[height, width]`` or ``[height, width, 3]``, from 0 to 1."""
        image = series.reshape(self.planes, -1, series.shape[-1])
        return image[0] if self.planes == 1 else image.transpose(1, 2, 0)

    def _label(self, label: int) -> str:
        """Return the name of a label."""
        return self.labels[label] if label < len(self.labels) else f"Label {label}"

    def _drawn(self, data: "SeriesDataset") -> dict[str, int]:
        """Return the index of each channel that is drawn, by its name."""
        n = data.task.channels
        return self.channels or {f"channel {i + 1}": i for i in range(min(3, n))}


def _spread(indices: "np.ndarray") -> list[int]:
    """Return some of the indices, spread evenly."""
    import numpy as np

    n = min(SAMPLES, len(indices))
    return indices[np.linspace(0, len(indices) - 1, n).round().astype(int)].tolist()


def steps_of(data: "SeriesDataset", i: int) -> "np.ndarray":
    """Return a series ``[channels, steps]`` without its padding."""
    from fedreact.data.windows import Windows

    series = data.X[i]
    series = series.T if isinstance(data.X, Windows) else series
    return series[:, : data.lengths[i]]


FIGURE = Series
