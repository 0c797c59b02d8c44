"""Accuracy minus that of clients that train alone, by dataset, for all methods of the benchmark."""

from typing import Any

from fedreact.reference.pictures import marks

TABLE, METRIC = "grand_all", "accuracy"
NAMED = {"Fed-REACT": marks.OURS, "FedAvg": marks.FEDAVG}
BEST = {"color": "#333333", "marker": "^"}
HEIGHTS = (-0.24, 0.0, 0.24)


def draw(kept):
    """Draw a line of dots a dataset."""
    run = kept.run("grand")
    lines = run.lines(f"tables/{TABLE}.csv", metric=METRIC)
    datasets = list(dict.fromkeys(line["row"] for line in lines))
    by_method: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        by_method.setdefault(line["column"], {})[line["row"]] = line
    alone = by_method.pop("Alone")
    federated = {name: of for name, of in by_method.items() if name not in marks.TRIVIALS}
    best = max(federated, key=lambda name: sum(line["mean"] for line in federated[name].values()))
    figure, axes = marks.canvas(
        4.3,
        "Accuracy of each method minus that of clients that train alone",
        f"Benchmark at equal compute, scale {run.scale}. A mark is a method, mean over "
        f"{lines[0]['n_seeds']:.0f} seeds. Bracket: 95% interval of training alone.",
    )
    panel = axes[0, 0]
    named = NAMED | {best: BEST}
    shown_as = {best: f"{best} (best on average)"}
    for y, dataset in enumerate(datasets):
        zero = alone[dataset]["mean"]
        low, high = alone[dataset]["ci_low"] - zero, alone[dataset]["ci_high"] - zero
        bar = {"color": "black", "linewidth": 1.2, "marker": "|", "markersize": 6}
        panel.plot([low, high], [y + 0.4] * 2, label="interval of training alone", **bar)
        for name, of in federated.items():
            if dataset not in of:
                continue
            look = named.get(name, marks.OTHER | {"alpha": 0.55, "markersize": 4.5})
            label = shown_as.get(name, name) if name in named else "another method"
            height = y + dict(zip(named, HEIGHTS)).get(name, 0)
            panel.plot(
                of[dataset]["mean"] - zero,
                height,
                linestyle="none",
                label=label,
                **{"markersize": 6.5, "zorder": 4 if name in named else 2, "markeredgewidth": 0.6}
                | look,
            )
    panel.axvline(0, color="black", linewidth=1, zorder=1)
    marks.rows(panel, [f"{name} ({alone[name]['mean']:.3f})" for name in datasets])
    panel.set_xlabel(
        "difference in accuracy; right of 0: better than training alone "
        "(accuracy alone in brackets)"
    )
    marks.legend(figure, [panel], 5)
    return figure
