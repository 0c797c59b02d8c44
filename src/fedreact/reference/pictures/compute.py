"""Accuracy of Fed-REACT and the supervised baselines at each kept budget of compute.

A scale whose compute cannot train the baselines has Fed-REACT alone.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRun, KeptRuns

TABLE, ROW = "table01", "RTD 10 clients (acc)"
ARCHITECTURES = {
    "Causal CNN": {"color": "#882255", "marker": "s"},
    "PatchTST": {"color": "#999933", "marker": "^"},
    "TimesNet": {"color": "#44AA99", "marker": "v"},
    "LSTM": {"color": "#7F7F7F", "marker": "P"},
}
PUBLISHED_AT = 200
"""Place of published values on the axis, since their compute is unknown."""
BARS: marks.Look = {"markersize": 5.5, "elinewidth": 1, "linewidth": 1.4}
OURS = {
    "Fed-REACT": ("Fed-REACT", marks.OURS),
    "Untrained encoder": ("Fed-REACT, untrained", marks.OURS | {"markerfacecolor": "white"}),
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel an algorithm of the baselines, with a line an architecture."""
    by_compute = sorted(
        (runs.at_scale(scale) for scale in runs.scales("fed_react")),
        key=lambda run: run.line(TABLE, ROW, "Fed-REACT", "gflops")["mean"],
    )
    scales = " and ".join(run.scale for run in by_compute)
    figure, axes = marks.canvas(
        3.6,
        "Accuracy of Fed-REACT and of supervised baselines by compute",
        f"Digits (pendigits), 10 clients, Table 1, scales {scales}, 95% intervals over "
        "seeds. Open diamonds are published values, of the paper's data and of unknown compute.",
        ncols=2,
        sharey=True,
        legend_rows=2,
    )
    for panel, algorithm in zip(axes.flat, ("FedAvg", "Ditto")):
        baselines = {f"{name} {algorithm}": (name, look) for name, look in ARCHITECTURES.items()}
        for i, (column, (label, look)) in enumerate((OURS | baselines).items()):
            _line(panel, by_compute, column, label, look, PUBLISHED_AT * 1.035**i)
        marks.name(panel, f"baselines under {algorithm}")
        panel.set_xscale("log")
        ticks = {40: "40", 60: "60", 100: "100", 150: "150", PUBLISHED_AT * 1.1: "published"}
        panel.set_xticks(list(ticks), list(ticks.values()))
        panel.minorticks_off()
        panel.set(xlabel="GFLOPs of a client (logarithmic)")
        panel.axhline(
            0.1,
            color=marks.TRIVIAL["color"],
            linewidth=1,
            linestyle=(0, (4, 3)),
            label="chance level",
        )
    axes[0, 0].set_ylabel("accuracy")
    marks.legend(figure, axes.flat, 4)
    return figure


def _line(
    panel: Axes, runs: list[KeptRun], column: str, label: str, look: marks.Look, right: float
) -> None:
    """Draw a method's accuracy over its GFLOPs, and its published value at the right."""
    runs = [run for run in runs if column in run.columns(TABLE, ROW)]
    x = [run.line(TABLE, ROW, column, "gflops")["mean"] for run in runs]
    cells = [run.line(TABLE, ROW, column, "accuracy") for run in runs]
    panel.errorbar(
        x,
        [cell["mean"] for cell in cells],
        yerr=marks.reach(cells),
        label=label,
        **(BARS | look),
    )
    if isinstance(cells[-1]["published"], float):
        panel.plot(right, cells[-1]["published"], color=look["color"], **marks.PUBLISHED)
