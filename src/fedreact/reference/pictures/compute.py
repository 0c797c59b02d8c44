"""Accuracy of Fed-REACT and the supervised baselines of Table 1 at both kept budgets of compute."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRun, KeptRuns

BUDGETS = (("table01_short", "10 clients, little compute"), ("table01", "RTD 10 clients (acc)"))
"""Table and row of each budget, the smaller one first."""
ARCHITECTURES = {
    "Causal CNN": {"color": "#882255", "marker": "s"},
    "PatchTST": {"color": "#999933", "marker": "^"},
    "TimesNet": {"color": "#44AA99", "marker": "v"},
    "LSTM": {"color": "#7F7F7F", "marker": "P"},
}
ALGORITHMS = ("FedAvg", "FedProx", "Ditto", "APFL")
APART = 1.035
"""Factor between neighbouring marks at the same compute, so that intervals can be seen."""
BARS: marks.Look = {"markersize": 5.5, "elinewidth": 1, "linewidth": 1.4}
OURS = {
    "Fed-REACT": ("Fed-REACT", marks.OURS),
    "Untrained encoder": ("Fed-REACT, untrained", marks.OURS | {"markerfacecolor": "white"}),
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel an algorithm of the baselines, with a line an architecture."""
    run = runs.at_scale("overnight")
    figure, axes = marks.canvas(
        5.4,
        "Accuracy of Fed-REACT and of supervised baselines by compute",
        f"Digits (pendigits), 10 clients, Table 1 and its form with little compute, scale "
        f"{run.scale}, 95% intervals over seeds. Marks of one budget are moved apart. Open "
        "diamonds are published values, of the paper's data and of unknown compute.",
        nrows=2,
        ncols=2,
        sharex=True,
        sharey=True,
        legend_rows=2,
    )
    most = run.line(*BUDGETS[-1], "Fed-REACT", "gflops")["mean"]
    for panel, algorithm in zip(axes.flat, ALGORITHMS):
        baselines = {f"{name} {algorithm}": (name, look) for name, look in ARCHITECTURES.items()}
        for i, (column, (label, look)) in enumerate((OURS | baselines).items()):
            _line(panel, run, column, label, look, APART**i, 1.8 * most)
        marks.name(panel, f"baselines under {algorithm}")
        panel.axhline(
            0.1,
            color=marks.TRIVIAL["color"],
            linewidth=1,
            linestyle=(0, (4, 3)),
            label="chance level",
        )
    axes[0, 0].set_xscale("log")
    ticks = {x: f"{x}" for x in (50, 75, 100, 150, 200, 300, 600, 1200) if x < 1.3 * most}
    axes[0, 0].set_xticks([*ticks, 2 * most], [*ticks.values(), "published"])
    axes[0, 0].minorticks_off()
    for panel in axes[1]:
        panel.set(xlabel="GFLOPs of a client (logarithmic)")
    for panel in axes[:, 0]:
        panel.set_ylabel("accuracy")
    marks.legend(figure, axes.flat, 4)
    return figure


def _line(
    panel: Axes,
    run: KeptRun,
    column: str,
    label: str,
    look: marks.Look,
    aside: float,
    right: float,
) -> None:
    """Draw a method's accuracy over its GFLOPs, and its published value at the right."""
    # An untrained encoder has one cost, whatever the budget.
    budgets = BUDGETS[-1:] if column == "Untrained encoder" else BUDGETS
    x = [run.line(*where, column, "gflops")["mean"] * aside for where in budgets]
    cells = [run.line(*where, column, "accuracy") for where in budgets]
    panel.errorbar(
        x,
        [cell["mean"] for cell in cells],
        yerr=marks.reach(cells),
        label=label,
        **(BARS | look),
    )
    if isinstance(cells[-1]["published"], float):
        panel.plot(right * aside, cells[-1]["published"], color=look["color"], **marks.PUBLISHED)
