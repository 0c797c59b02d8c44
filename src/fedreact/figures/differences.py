"""Gain of a method over another at each client (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


@dataclass(frozen=True)
class Differences(FigureKind):
    """A dot a client: its score after the last round by a method minus that by another.

    Clients that gain are blue, clients that lose are vermilion. The names of the clients that lose
    and gain most stand beside them, if clients have names.

    Attributes
    ----------
    of
        A method.
    to
        The method that it is compared with.
    settings
        Setting by label of its line.
    minus
        What is subtracted from what, for the axis.
    """

    of: str
    to: str
    settings: dict[str, str]
    minus: str = ""
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def cells(self) -> Entries:
        """Return both methods on each setting."""
        return each_method(self.settings, {"of": self.of, "to": self.to})

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a line of dots a setting, sorted, and their mean."""
        import numpy as np
        from matplotlib.figure import Figure

        from fedreact.figures.style import COLOURS, heading, panel_names, seeds_of
        from fedreact.metrics.grammar import load_metric

        shown = [
            label for label in self.settings if (label, "of") in cells and (label, "to") in cells
        ]
        figure = Figure(figsize=(6, 1.2 + 0.5 * max(1, len(shown))), layout="constrained")
        n = seeds_of(cells)
        seeds = f"mean over {n} seeds" if n > 1 else "one seed"
        heading(figure, f"{title}, {seeds}")
        axes, labels, measured = figure.subplots(), [], "Score"
        names = panel_names(shown, cells)
        for i, label in enumerate(shown):
            (ours, name, clients), (theirs, _, _) = (
                _of_clients(cells[label, side]) for side in ("of", "to")
            )
            gains, metric = ours - theirs, load_metric(name)
            measured, better = metric.title, 1 if metric.better == "higher" else -1
            labels.append(
                f"{names[label]}\n{(better * gains > 0).sum()} better,"
                f" {(better * gains < 0).sum()} worse"
            )
            spread = np.linspace(-0.3, 0.3, len(gains)) if len(gains) > 1 else np.zeros(1)
            ordered = np.sort(gains)
            colours = np.array(["#8A8A8A", COLOURS[0], COLOURS[1]])[
                np.sign(better * ordered).astype(int)
            ]
            axes.scatter(ordered, i + spread, s=9, color=colours, zorder=3)
            for k, place in ((gains.argmin(), "right"), (gains.argmax(), "left")):
                if clients is not None and gains.min() < gains.max():
                    at = (gains[k], i + spread[0 if place == "right" else -1])
                    axes.annotate(f" {clients[k]} ", at, ha=place, va="center", fontsize=5)
            axes.plot(gains.mean(), i, "|", color="black", markersize=14, markeredgewidth=1.5)
        axes.axvline(0, color="#666666", linewidth=0.8)
        axes.set_yticks(range(len(labels)), labels, fontsize="x-small")
        axes.set_ylim(max(1, len(labels)) - 0.4, -0.6)
        minus = f"{measured} after the last round{self.minus and f': {self.minus}'}"
        axes.set_xlabel(f"{minus}\na dot: one client; stroke: mean over clients", fontsize="small")
        axes.tick_params(axis="x", labelsize="small")
        axes.spines[["top", "right"]].set_visible(False)
        return figure


def _of_clients(lines: "pd.DataFrame") -> "tuple[np.ndarray, str, np.ndarray | None]":
    """Return clients' scores ``[K]`` in the last round, means over seeds; metric and names."""
    import numpy as np

    from fedreact.figures.clients import client_records

    records = client_records(lines)
    scores = np.mean([record["score"][-1] for record in records], axis=0)
    return scores, str(records[0]["metric"]), records[0].get("name")


FIGURE = Differences
