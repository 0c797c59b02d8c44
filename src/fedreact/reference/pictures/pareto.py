"""Accuracy against traffic of all methods of the benchmark, with the Pareto front."""

from fedreact.reference.pictures import marks

TABLE = "grand_all"
NAMED = {"Fed-REACT": marks.OURS, "FedAvg": marks.FEDAVG, "IFCA": marks.IFCA, "Alone": marks.ALONE}


def draw(kept):
    """Draw a mark a method, at its means over all datasets."""
    run = kept.run("grand")
    points = {}
    for column in run.columns(TABLE, run.rows(TABLE)[0]):
        if column not in marks.TRIVIALS:
            points[column] = tuple(_mean(run, column, metric) for metric in ("bytes", "accuracy"))
    front, best = [], 0.0
    for column, (_, accuracy) in sorted(points.items(), key=lambda of: (of[1][0], -of[1][1])):
        if accuracy > best:
            front.append(column)
            best = accuracy
    figure, axes = marks.canvas(
        4.4,
        "Accuracy against traffic of a client",
        f"Benchmark at equal compute, scale {run.scale}; means over {len(run.rows(TABLE))} datasets and all seeds. "
        "Line: the Pareto front; no other method has more accuracy for as little traffic.",
    )
    panel = axes[0, 0]
    least = min(traffic for traffic, _ in points.values() if traffic > 0)
    zero = least / 3  # where no traffic is drawn
    at = {column: (max(traffic, zero), accuracy) for column, (traffic, accuracy) in points.items()}
    steps = [at[column] for column in front] + [(max(x for x, _ in at.values()) * 1.3, best)]
    panel.step(*zip(*steps), where="post", color="#444444", linewidth=1, zorder=1,
               label="Pareto front")
    for column, place in at.items():
        look = NAMED.get(column, marks.OTHER | {"markersize": 5})
        label = column if column in NAMED else "another method"
        panel.plot(*place, linestyle="none", label=label, **{"markersize": 7, "zorder": 3} | look)
    for i, column in enumerate(column for column in front if column not in NAMED):
        panel.annotate(column, at[column], xytext=(6, -11), textcoords="offset points", fontsize=8.5)
    panel.set_xscale("log")
    ticks = [0.01, 0.1, 1, 10]
    panel.set_xticks([zero, *ticks], ["0", *(f"{tick:g}" for tick in ticks)])
    panel.minorticks_off()
    panel.grid(axis="y", color="#EEEEEE", linewidth=0.7)
    panel.set(xlabel="MB between a client and the server in all (logarithmic, 0 at the left edge)",
              ylabel="accuracy, mean over datasets")
    marks.legend(figure, [panel], 6)
    return figure


def _mean(run, column, metric):
    """Mean over the rows of the table."""
    rows = run.rows(TABLE)
    return sum(run.cell(TABLE, row, column, metric)["mean"] for row in rows) / len(rows)
