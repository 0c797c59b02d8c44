"""Fed-REACT (A1) minus IFCA, FLSC and FLACC by setting, beside the published differences."""

from matplotlib.figure import Figure

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

OURS = "Fed-REACT w/ A1"
SETTINGS = {
    "10 clients, stationary": ("table05", "RTD - 10 clients (Stationary)"),
    "100 clients, stationary": ("table05", "RTD - 100 clients (Stationary)"),
    "10 clients, Strategy 1": ("table02", "RTD - 10 clients (Strategy 1)"),
    "100 clients, Strategy 1": ("table02", "RTD - 100 clients (Strategy 1)"),
    "100 clients, Strategy 2": ("table02", "RTD - 100 clients (Strategy 2)"),
    "100 clients, Strategy 3": ("table05", "RTD - 100 clients (Non-Stationary: Strategy 3)"),
    "EEG, 10 clients": ("table02", "EEG - 10 clients"),
}


def draw(runs: KeptRuns) -> Figure:
    """Draw a line a setting and a mark a baseline, of all and of small differences."""
    run = runs.run("fed_react")
    margin = next(
        line["margin"]
        for line in run.lines("claims/fed_react.csv", metric="accuracy")
        if isinstance(line["margin"], float)
    )
    table, row = next(iter(SETTINGS.values()))
    n = run.line(table, row, OURS, "accuracy")["n_seeds"]
    figure, axes = marks.canvas(
        4.5,
        "Accuracy of Fed-REACT (A1) minus that of IFCA, FLSC and FLACC, by setting",
        f"Digits (pendigits; the paper: RTD) and EEG, scale {run.scale}, paired by seed, "
        f"{n:.0f} seeds, 95% interval. Band: differences below the margin of {margin:g}. "
        "Open diamonds: published.",
    )
    panel, published = axes[0, 0], marks.PUBLISHED | {"markersize": 5.5}
    for y, (table, row) in enumerate(SETTINGS.values()):
        for shift, (name, look) in zip((-0.26, 0, 0.26), marks.CLUSTERED.items()):
            line = run.line(table, row, name, "accuracy")
            gap = {"mean": -line["gap"], "ci_low": -line["gap_high"], "ci_high": -line["gap_low"]}
            marks.across(panel, y + shift, gap, label=f"minus {name}", zorder=3, **look)
            if isinstance(line["gap_published"], float):
                colour, label = {"color": look["color"]}, f"{name}, published"
                marks.point(panel, -line["gap_published"], y + shift, label, published | colour)
    panel.axvspan(-margin, margin, color="#000000", alpha=0.13, linewidth=0, zorder=1)
    panel.axvline(0, color="black", linewidth=0.8, zorder=1)
    marks.rows(panel, list(SETTINGS))
    panel.set_xlabel("difference in accuracy; right of 0: Fed-REACT ahead")
    marks.legend(figure, [panel], 6)
    return figure
