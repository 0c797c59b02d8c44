"""Accuracy against traffic of all methods of the benchmark, with the Pareto front."""

from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRun, KeptRuns

TABLE = "grand_all"
NAMED = {
    "Fed-REACT": marks.OURS,
    "FedAvg": marks.FEDAVG,
    "IFCA": marks.IFCA,
    "FLSC": marks.FLSC,
    "FLACC": marks.FLACC,
}
ALONE = "Alone"
TEXTS = ("FedST", "FedAT", "ASO-Fed", "FedProto")
"""Methods that are named beside their marks, as those of the front are."""


def draw(runs: KeptRuns) -> Figure:
    """Draw a mark a method, at its means over all datasets."""
    run = runs.run("grand")
    points = {
        column: (_mean(run, column, "bytes"), _mean(run, column, "accuracy"))
        for column in run.columns(TABLE, run.rows(TABLE)[0])
    }
    points = {column: point for column, point in points.items() if point[0] > 0}
    front, best = [], 0.0
    for column in sorted(points, key=lambda column: (points[column][0], -points[column][1])):
        accuracy = points[column][1]
        if accuracy > best:
            front.append(column)
            best = accuracy
    n = len(run.rows(TABLE))
    figure, axes = marks.canvas(
        4.6,
        "Accuracy of the federated methods against their traffic",
        f"Benchmark at equal compute, scale {run.scale}; means over {n} datasets. "
        "Ring: no method has more accuracy for as little traffic.",
        legend_rows=2,
    )
    panel = axes[0, 0]
    panel.axhline(
        _mean(run, ALONE, "accuracy"),
        color="black",
        linewidth=1,
        linestyle=(0, (4, 3)),
        label="training alone (no traffic)",
    )
    panel.plot(
        [points[column][0] for column in front],
        [points[column][1] for column in front],
        linestyle="none",
        label="on the Pareto front",
        marker="o",
        markersize=12,
        markerfacecolor="none",
        color="black",
    )
    for column, (traffic, accuracy) in points.items():
        look = NAMED.get(column, marks.OTHER | {"markersize": 5})
        label = column if column in NAMED else "another method"
        size = {"markersize": 7, "zorder": 4 if column in NAMED else 2}
        marks.point(panel, traffic, accuracy, label, size | look)
    for column in dict.fromkeys([*front, *TEXTS]):
        if column not in NAMED:
            beside = (8, 5) if column in front else (6, -11)
            panel.annotate(
                column, points[column], xytext=beside, textcoords="offset points", fontsize=8.5
            )
    panel.set_xscale("log")
    ticks = [0.02, 0.1, 1, 10]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.grid(axis="y", color="#EEEEEE", linewidth=0.7)
    panel.set(
        xlabel="MB between a client and the server in all (logarithmic)",
        ylabel="accuracy, mean over datasets",
    )
    marks.legend(figure, [panel], 4)
    return figure


def _mean(run: KeptRun, column: str, metric: str) -> float:
    """Return the mean of a column over the rows of the table."""
    rows = run.rows(TABLE)
    return sum(run.line(TABLE, row, column, metric)["mean"] for row in rows) / len(rows)
