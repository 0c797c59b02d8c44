"""The effects of the alternatives in a ledger, as a figure."""

import pandas as pd
from matplotlib.figure import Figure

from fedreact.figures import style
from fedreact.metrics.contract import COMPARED
from fedreact.metrics.grammar import load_metric
from fedreact.tables.ledger import INDEX, LEAST


def draw(table: pd.DataFrame, title: str) -> Figure:
    """Draw, for each alternative and setting, the effect on the method that it changes most.

    Effects whose interval contains 0 are left out. Each metric has a panel, sorted by size.

    Parameters
    ----------
    table
        What :func:`fedreact.tables.ledger.effects` gives.
    """
    clear = table[(table["ci_low"] > 0) | (table["ci_high"] < 0)]
    clear = clear[clear["difference"].abs() >= LEAST]
    clear = clear.assign(size=clear["difference"].abs()).sort_values(
        "size", kind="stable", ascending=False
    )
    clear = clear.drop_duplicates([*INDEX, "metric"])
    panels = [part for m in COMPARED if len(part := clear[clear["metric"] == m])]
    heights = [len(part) + 1.5 for part in panels] or [1]
    figure = Figure((8, 0.24 * sum(heights) + 1), layout="constrained")
    figure.suptitle(title, fontsize=9, x=0.01, ha="left")
    axes = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    if not panels:
        axes[0].set_axis_off()
        axes[0].text(0.5, 0.5, "No alternative has a significant effect in this run.", ha="center")
    for axis, part in zip(axes, panels):
        for y, cell in enumerate(part.to_dict("records")):
            axis.plot([cell["ci_low"], cell["ci_high"]], [y, y], color="#0072B2", linewidth=2)
            axis.plot(cell["difference"], y, "o", color="#0072B2", markersize=5)
        texts = part["assumption"] + ": " + part["alternative"].astype(str)
        texts += " (" + part["setting"] + ", " + part["method"] + ")"
        name = load_metric(part["metric"].iloc[0]).title
        style.forest(axis, list(texts), f"{name}: alternative minus default")
    return figure
