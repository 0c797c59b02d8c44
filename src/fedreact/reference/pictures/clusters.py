"""How well clusters are found (Rand score) against accuracy, by setting."""

from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

SETTINGS = {
    "10 clients, stationary": ("table05", "RTD - 10 clients (Stationary)"),
    "100 clients, stationary": ("table05", "RTD - 100 clients (Stationary)"),
    "100 clients, Strategy 3": ("table05", "RTD - 100 clients (Non-Stationary: Strategy 3)"),
    "10 clients, Strategy 1": ("table02", "RTD - 10 clients (Strategy 1)"),
    "100 clients, Strategy 1": ("table02", "RTD - 100 clients (Strategy 1)"),
    "100 clients, Strategy 2": ("table02", "RTD - 100 clients (Strategy 2)"),
}
METHODS = {
    "Fed-REACT w/ A1": ("Fed-REACT (A1)", marks.OURS),
    "IFCA": ("IFCA", marks.IFCA),
    "FLACC": ("FLACC", marks.FLACC),
    "Oracle w/ A1": ("true clusters (A1)", marks.TRUE_CLUSTERS),
    "FedAvg": ("one model of all (FedAvg)", marks.FEDAVG),
    "Local": ("training alone, no memory", marks.ALONE),
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel a setting and a mark a method."""
    run = runs.run("fed_react")
    figure, axes = marks.canvas(
        5.0,
        "Accuracy by how well the clusters are found",
        f"Digits (pendigits), scale {run.scale}, mean over rounds, 95% intervals over seeds. "
        "A Rand score of 1 means the true clusters. FLSC has none: its clients are in several.",
        nrows=2,
        ncols=3,
        sharex=True,
        sharey=True,
        legend_rows=2,
    )
    for panel, (setting, (table, row)) in zip(axes.flat, SETTINGS.items()):
        for column, (label, look) in METHODS.items():
            x, y = (run.line(table, row, column, metric) for metric in ("rand", "accuracy"))
            panel.errorbar(
                x["mean"],
                y["mean"],
                xerr=marks.reach([x]),
                yerr=marks.reach([y]),
                label=label,
                linestyle="none",
                **({"markersize": 6, "elinewidth": 1} | look),
            )
        marks.name(panel, setting)
        panel.grid(color="#EEEEEE", linewidth=0.7)
        panel.set_axisbelow(True)
    for panel in axes[-1]:
        panel.set_xlabel("Rand score")
    for panel in axes[:, 0]:
        panel.set_ylabel("accuracy")
    marks.legend(figure, axes.flat, 3)
    return figure
