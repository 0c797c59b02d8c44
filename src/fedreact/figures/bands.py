"""Series whose channels are bands of frequencies, as images (in no paper)."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.data.dataset import SeriesDataset
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores
from fedreact.figures.digits import samples


@dataclass(frozen=True)
class Bands(FigureKind):
    """A series of each label of three owners; low bands are below, and what is 1 is bright.

    Attributes
    ----------
    data
        A dataset, or the role that it stands for, with values from 0 to 1.
    who
        What an owner is called.
    step
        What the axis counts, with its unit; a short word.
    value
        What the channels are.
    """

    data: str
    who: str = "Person"
    step: str = "Step"
    value: str = "Band"

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the dataset."""
        return [ask.dataset(self.data)]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a row an owner and a column a label."""
        from matplotlib.figure import Figure

        from fedreact.figures.series import steps_of
        from fedreact.figures.style import heading

        data = SeriesDataset.load(files[0])
        rows, n_labels = samples(data, self.who), data.task.outputs
        figure = Figure(figsize=(7.2, 0.8 + 0.95 * len(rows)), layout="constrained")
        panels = figure.subplots(len(rows), n_labels, squeeze=False, sharex=True, sharey=True)
        for (name, shown), line in zip(rows.items(), panels):
            for label, axes in enumerate(line):
                axes.tick_params(labelsize=6)
                if label in shown:
                    axes.imshow(
                        steps_of(data, shown[label]),
                        cmap="magma",
                        aspect="auto",
                        vmin=0,
                        vmax=1,
                        origin="lower",
                        interpolation="nearest",
                    )
                else:
                    axes.set_axis_off()
            line[0].set_ylabel(f"{name}\n{self.value}", fontsize=7)
        # An image narrows the shared axis to itself.
        longest = max(data.lengths[i] for shown in rows.values() for i in shown.values())
        panels[0, 0].set_xlim(-0.5, longest - 0.5)
        for label, axes in enumerate(panels[0]):
            axes.set_title(str(label), fontsize="small")
        for axes in panels[-1]:
            axes.set_xlabel(self.step, fontsize=7)
        heading(figure, title)
        return figure


FIGURE = Bands
