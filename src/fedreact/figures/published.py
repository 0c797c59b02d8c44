"""Rebuilt values of tables against the published ones (in no paper)."""

from dataclasses import dataclass
from typing import Literal

from fedreact.figures.contract import FigureKind


@dataclass(frozen=True)
class Published(FigureKind):
    """A marker a cell that has a published value, with the 95% interval of the rebuilt mean.

    On the diagonal both are equal. Markers are filled where the data is the paper's, so that the
    two can be compared.

    Attributes
    ----------
    tables
        Table of the same paper by title of its panel.
    methods_are
        Where a table has its methods, which the colours stand for.
    """

    tables: dict[str, str]
    methods_are: Literal["rows", "columns"] = "columns"

    def inputs(self, ask):
        """The tables."""
        return [ask.table(name) for name in self.tables.values()]

    def draw(self, title, cells, files):
        """Draw the panels of tables that have published values, two beside each other."""
        import pandas as pd
        from matplotlib.figure import Figure

        from fedreact.figures.looks import looks
        from fedreact.figures.style import balanced, title_and_legend
        from fedreact.metrics.grammar import load_metric

        panels = {}
        for name, table in self.tables.items():
            own = [file for file in files if f"_{file.stem}".endswith(f"_{table}")]
            if not own:
                continue  # its data cannot be had
            file = min(own, key=lambda path: len(path.stem))  # the others' names are longer
            lines = pd.read_csv(file, dtype={"row": str, "column": str})
            own = lines.dropna(subset=["mean", "published"])
            own = own[own["metric"].isin(own["metric"].iloc[:1])]  # one unit an axis
            if len(own):
                panels[name] = own
        by = self.methods_are.removesuffix("s")
        looks_of = looks(label for own in panels.values() for label in own[by])
        columns = max(1, min(2, len(panels)))
        rows = max(1, -(-len(panels) // columns))
        figure = Figure(figsize=(max(4.4, 3.6 * columns), 1.3 + 3.0 * rows), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, (name, own) in zip(grid, panels.items()):
            metric = load_metric(own["metric"].iloc[0])
            for label, lines in own.groupby(by, sort=False):
                _points(axes, lines, label, looks_of[label])
            seen = own[["mean", "ci_low", "ci_high", "published"]]
            low, high = seen.min().min(), seen.max().max()
            room = 0.04 * (high - low or 1)
            limits = (low - room, high + room)
            axes.plot(limits, limits, color="#8A8A8A", linewidth=0.8, zorder=1)
            axes.set(xlim=limits, ylim=limits, aspect="equal")
            axes.set_title(name, fontsize="small")
            axes.set_xlabel("Published", fontsize="small")
            axes.set_ylabel(balanced(f"Rebuilt, {metric.title[:1].lower()}{metric.title[1:]}", 30))
            axes.yaxis.label.set_fontsize("small")
            axes.tick_params(labelsize="small")
            axes.grid(linewidth=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        n, compared = (sum(sizes) for sizes in zip((0, 0), *map(_counts, panels.values())))
        note = f"{n} cells, {compared} of them of the paper's data and compute (filled)"
        title_and_legend(figure, grid[: len(panels)], f"{title}\n{note}", 3)
        return figure


def _counts(table):
    """Cells, and those that can be compared."""
    return len(table), int((table["verdict"] != "not-comparable").sum())


def _points(axes, lines, label, look):
    """Draw the cells of one method."""
    ends = [lines["mean"] - lines["ci_low"], lines["ci_high"] - lines["mean"]]
    axes.errorbar(
        lines["published"],
        lines["mean"],
        yerr=[end.fillna(0) for end in ends],
        linestyle="none",
        color=look.colour,
        elinewidth=0.7,
        zorder=2,
    )
    comparable = lines["verdict"] != "not-comparable"
    for compared, filled in ((False, "white"), (True, look.colour)):
        own = lines[comparable == compared]
        axes.plot(
            own["published"],
            own["mean"],
            look.marker,
            color=look.colour,
            markerfacecolor=filled,
            markersize=5,
            zorder=3,
            label=label if compared == comparable.any() else None,
        )


FIGURE = Published
