"""Accuracy minus that of clients that train alone, by dataset, for all methods of the benchmark."""

from matplotlib.figure import Figure

from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

TABLE, METRIC = "grand_all", "accuracy"
NAMED = {"Fed-REACT": marks.OURS, "FedAvg": marks.FEDAVG}
BEST = {"color": "#333333", "marker": "^"}
HEIGHTS = (-0.24, 0.0, 0.24)


def draw(runs: KeptRuns) -> Figure:
    """Draw a line of dots a dataset."""
    run = runs.run("grand")
    lines = run.lines(f"tables/{TABLE}.csv", metric=METRIC)
    datasets = list(dict.fromkeys(line["row"] for line in lines))
    by_method: dict[str, dict[str, Row]] = {}
    for line in lines:
        by_method.setdefault(line["column"], {})[line["row"]] = line
    alone = by_method.pop("Alone")
    federated = {name: row for name, row in by_method.items() if name not in marks.TRIVIALS}
    flagged = run.flagged(TABLE)
    best = max(federated, key=lambda name: run.average(TABLE, name))
    figure, axes = marks.canvas(
        4.3,
        "Accuracy of each method minus that of clients that train alone",
        f"Benchmark at equal compute, scale {run.scale}. A mark is a method, mean over "
        f"{lines[0]['n_seeds']:.0f} seeds. Bracket: 95% interval of training alone.",
    )
    panel = axes[0, 0]
    named = NAMED | {best: BEST}
    shown_as = {best: f"{best} (best on average over datasets)"}
    for y, dataset in enumerate(datasets):
        zero = alone[dataset]["mean"]
        low, high = alone[dataset]["ci_low"] - zero, alone[dataset]["ci_high"] - zero
        panel.plot(
            [low, high],
            [y + 0.4] * 2,
            label="interval of training alone",
            color="black",
            linewidth=1.2,
            marker="|",
            markersize=6,
        )
        for name, cells in federated.items():
            if dataset not in cells:
                continue
            look = named.get(name, marks.OTHER | {"alpha": 0.55, "markersize": 4.5})
            label = shown_as.get(name, name) if name in named else "another method"
            height = y + dict(zip(named, HEIGHTS)).get(name, 0)
            size = {"markersize": 6.5, "zorder": 4 if name in named else 2, "markeredgewidth": 0.6}
            marks.point(panel, cells[dataset]["mean"] - zero, height, label, size | look)
    panel.axvline(0, color="black", linewidth=1, zorder=1)
    flags = dict.fromkeys(flagged, "\ntrivial predictor ahead")
    labels = [f"{name} ({alone[name]['mean']:.3f}){flags.get(name, '')}" for name in datasets]
    marks.rows(panel, labels)
    panel.set_xlabel(
        "difference in accuracy; right of 0: better than training alone "
        "(accuracy alone in brackets)"
    )
    marks.legend(figure, [panel], 5)
    return figure
