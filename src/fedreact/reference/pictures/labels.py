"""Accuracy by the number of labels that each person has in a round (the table ``people``)."""

from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

TABLE = "people"
METHODS = {
    "Fed-REACT w/ A1": ("Fed-REACT (A1: clusters and memory)", marks.OURS | {"linewidth": 2.2}),
    "Local w/ A1": ("alone with memory (A1)", marks.ALONE | {"linewidth": 1.8}),
    "Local": ("alone without memory", marks.ALONE | {"linewidth": 1.2, "linestyle": ":"}),
    "IFCA": ("IFCA", marks.IFCA | {"linewidth": 1}),
    "FLSC": ("FLSC", marks.FLSC | {"linewidth": 1}),
    "FLACC": ("FLACC", marks.FLACC | {"linewidth": 1}),
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a curve a method."""
    run = runs.run("fed_react")
    rows = run.rows(TABLE)
    labels = [int(row.split()[0]) for row in rows]
    n = run.line(TABLE, rows[0], "Local", "n_clusters")["mean"]
    figure, axes = marks.canvas(
        4.0,
        "Accuracy by the number of labels that each person has in a round",
        f"Digits of {n:.0f} people, each a client (pendigits), scale {run.scale}; 95% intervals "
        "over seeds. Memory (A1) averages a client's models over time.",
        legend_rows=2,
    )
    panel = axes[0, 0]
    for i, (column, (label, look)) in enumerate(METHODS.items()):
        cells = [run.line(TABLE, row, column, "accuracy") for row in rows]
        panel.errorbar(
            [count * 1.02 ** (i - 2.5) for count in labels],  # beside each other
            [cell["mean"] for cell in cells],
            yerr=marks.reach(cells),
            label=label,
            **({"markersize": 5.5, "elinewidth": 1} | look),
        )
    panel.set_xscale("log", base=2)
    panel.set_xticks(labels, [str(count) for count in labels])
    panel.minorticks_off()
    panel.grid(axis="y", color="#EEEEEE", linewidth=0.7)
    panel.set(xlabel="labels of a person in a round", ylabel="accuracy")
    marks.legend(figure, [panel], 3)
    return figure
