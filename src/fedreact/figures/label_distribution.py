"""Samples of each label in each cluster (Fed-REACT, Fig. 2 in arXiv)."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores


@dataclass(frozen=True)
class LabelDistribution(FigureKind):
    """Bars for each label and cluster, of the first seed.

    Attributes
    ----------
    partition
        A partition.
    label
        What a label is.
    """

    partition: str
    label: str = "Label"

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the partition of the first seed."""
        return [ask.partition(self.partition)]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the bars."""
        import numpy as np
        from matplotlib.figure import Figure

        from fedreact.clients.partition import Partition
        from fedreact.figures.style import COLOURS

        label_counts = Partition.load(files[0]).label_counts
        figure = Figure(figsize=(6, 2.8), layout="constrained")
        axes = figure.subplots()
        C, n_labels = label_counts.shape
        width = 0.8 / C
        for c, counts in enumerate(label_counts):
            places = np.arange(n_labels) + (c - (C - 1) / 2) * width
            colour = COLOURS[c % len(COLOURS)]
            axes.bar(places, counts, width, color=colour, label=f"Cluster {c + 1}")
        axes.set(xlabel=self.label, ylabel="Samples", xticks=range(n_labels))
        axes.set_title(title, fontsize="small", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, ncols=C, loc="upper center", bbox_to_anchor=(0.5, -0.22))
        return figure


FIGURE = LabelDistribution
