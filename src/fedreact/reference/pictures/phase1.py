"""Accuracy by the budget of Phase 1, untrained included, with and without feature scaling."""

from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

TABLE = "phase1"
PANELS = {
    "Digits, all labels": (
        "All labels, features as they come",
        "All labels, features of unit spread",
    ),
    "Digits, 10 clients (A1)": (
        "10 clients w/ A1, features as they come",
        "10 clients w/ A1, features of unit spread",
    ),
    "EEG, 10 clients": ("EEG", "EEG, features of unit spread"),
}
LINES = {
    "features as they come": {"linestyle": "-", "markerfacecolor": "#0072B2"},
    "features scaled to unit spread": {"linestyle": "--", "markerfacecolor": "white"},
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel a task and a line a scaling."""
    run = runs.run("fed_react")
    figure, axes = marks.canvas(
        3.5,
        "Accuracy by the training budget of the encoder (Phase 1)",
        f"Fed-REACT, scale {run.scale}, 95% intervals over clients' samples: one encoder serves "
        "all seeds. The axes of accuracy differ.",
        ncols=3,
    )
    budgets = run.rows(TABLE)
    shown = ["none", *budgets[1:-1], "default"]  # they grow from the untrained encoder on
    for panel, (task, columns) in zip(axes.flat, PANELS.items()):
        for shift, column, (label, look) in zip((-0.05, 0.05), columns, LINES.items()):
            cells = [run.line(TABLE, budget, column, "accuracy") for budget in budgets]
            panel.errorbar(
                [i + shift for i in range(len(budgets))],
                [cell["mean"] for cell in cells],
                yerr=marks.reach(cells),
                label=label,
                color=marks.OURS["color"],
                marker="o",
                markersize=5.5,
                elinewidth=1.2,
                **look,
            )
        marks.name(panel, task)
        panel.set_xticks(range(len(budgets)), shown)
        panel.set(xlabel="training of the encoder", xlim=(-0.4, len(budgets) - 0.6))
    axes[0, 0].set_ylabel("accuracy")
    marks.legend(figure, axes.flat, 2)
    return figure
