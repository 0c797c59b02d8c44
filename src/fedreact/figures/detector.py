"""The study of FedConD's test of drift: how often it finds a fall of accuracy."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

from fedreact.figures.contract import Drawing, FigureKind, Scores

LINES: dict[str, Literal["--", "-"]] = {"printed": "--", "with samples": "-"}


@dataclass(frozen=True)
class Detector(FigureKind):
    """Shares of clients whose fall is found, by its size, over seeds with 95% intervals."""

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw lines ``seed, test, delta, samples, fall, first, within`` of the study."""
        import pandas as pd
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D

        from fedreact.figures.style import COLOURS, heading, interval, with_seeds

        table = pd.concat([pd.read_csv(path) for path in files])
        deltas, sizes = (sorted(table[name].unique()) for name in ("delta", "samples"))
        rows = len(deltas)
        figure = Figure(figsize=(7.5, 1.0 + 2.6 * rows), layout="constrained")
        panels = figure.subplots(rows, 2, sharey=True, sharex=True, squeeze=False)
        columns = {"first": "in the round after it", "within": "in any of the rounds after it"}
        for (i, delta), (j, column) in product(enumerate(deltas), enumerate(columns)):
            axes, of_delta = panels[i, j], table[table["delta"] == delta]
            for (test, n), lines in of_delta.groupby(["test", "samples"]):
                values = lines.pivot(index="fall", columns="seed", values=column)
                mean, half_width = interval(values)
                axes.errorbar(
                    mean.index,
                    mean,
                    half_width.fillna(0),
                    color=COLOURS[sizes.index(n)],
                    linestyle=LINES[test],
                    marker="o",
                    markersize=3,
                    capsize=2,
                    linewidth=1.3,
                )
            axes.axhline(0.05, color="#666666", linestyle=":", linewidth=1)
            axes.set(ylim=(-0.03, 1.03))
            needed = f", where the score fell by {delta:g}" if delta else ""
            axes.set_title(f"Detected {columns[column]}{needed}", fontsize="small", loc="left")
            axes.spines[["top", "right"]].set_visible(False)
        for axes in panels[-1]:
            axes.set_xlabel("Fall of the accuracy")
        for axes in panels[:, 0]:
            axes.set_ylabel("Share of the clients")
        handles = [
            Line2D([], [], color=COLOURS[i], label=f"{n} samples a round")
            for i, n in enumerate(sizes)
        ]
        names = {"printed": "eq. 6.4 as printed", "with samples": "with the numbers of samples"}
        handles += [
            Line2D([], [], color="black", linestyle=LINES[test], label=name)
            for test, name in names.items()
        ]
        handles.append(
            Line2D([], [], color="#666666", linestyle=":", label="significance level, 0.05")
        )
        heading(figure, with_seeds(title, table["seed"].nunique()))
        figure.legend(
            handles=handles, frameon=False, ncols=3, loc="outside lower center", fontsize="small"
        )
        return figure


FIGURE = Detector
