"""Published values against rebuilt ones, cell by cell, by paper."""

from matplotlib.figure import Figure

from fedreact.metrics.grammar import load_metric, parse
from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns, praised

UNIT = (0.0, 1.0)


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel a paper, with a mark a cell whose metric lies between 0 and 1."""
    shown = {}
    for paper in runs.papers():
        run = runs.run(paper)
        lines = [
            line
            for table in run.tables(paper)
            for line in run.lines(f"tables/{table}.csv")
            if _shown(line)
        ]
        if lines:
            shown[paper] = run, lines
    scales = ", ".join(sorted({run.scale for run, _ in shown.values()}))
    columns = 4
    down = -(-len(shown) // columns)
    figure, axes = marks.canvas(
        0.95 + 2.4 * down,
        "Published values against rebuilt ones, by paper",
        f"Scale {scales}. A mark is a cell whose "
        "metric lies between 0 and 1; on the line, both are equal. Triangles are errors, of which "
        "less is better. Data and compute differ from the papers', so no verdict follows.",
        nrows=down,
        ncols=columns,
        sharex=True,
        sharey=True,
    )
    for panel, (paper, (run, lines)) in zip(axes.flat, shown.items()):
        ours = praised(run.lines(f"claims/{paper}.csv"))
        panel.plot(UNIT, UNIT, color="#888888", linewidth=0.9, zorder=1)
        for line in sorted(lines, key=lambda line: _is(line, ours)):
            error = load_metric(line["metric"]).better == "lower"
            look = marks.OURS if _is(line, ours) else marks.OTHER
            method = "method of the paper" if _is(line, ours) else "baseline"
            panel.plot(
                line["published"],
                line["mean"],
                linestyle="none",
                markersize=4.2,
                alpha=0.75,
                markeredgewidth=0.4,
                markeredgecolor="white",
                label=f"{method}, {'error' if error else 'score'}",
                color=look["color"],
                marker="^" if error else "o",
            )
        marks.name(panel, f"{ours} ({len(lines)} cells)")
        panel.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
        panel.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        panel.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        panel.tick_params(labelbottom=True)
    for panel in axes[:, 0]:
        panel.set_ylabel("rebuilt")
    for panel in axes.flat[max(0, len(shown) - columns) : len(shown)]:  # the lowest of each column
        panel.set_xlabel("published")
    for panel in axes.flat[len(shown) :]:
        panel.set_visible(False)
    marks.legend(figure, axes.flat, 4)
    return figure


def _shown(line: Row) -> bool:
    """Return whether a cell has both values of a metric that is a share."""
    both = isinstance(line["published"], float) and isinstance(line["mean"], float)
    metric = parse(line["metric"])
    if not both or metric.reducer is not None:
        return False
    if metric.base == "smape":
        return line["published"] <= 1
    return load_metric(line["metric"]).bounds == UNIT


def _is(line: Row, ours: str) -> bool:
    """Return whether a cell is of this method or one of its variants."""
    return any(str(line[key]).split(" w/")[0].split(" (")[0] == ours for key in ("column", "row"))
