"""FedST against the other methods and training alone, by dataset and kind of test."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

PANELS = {
    "Tested on own samples (Table 2)": ("fedst_table02", "accuracy"),
    "Tested on another client's samples (Table 4)": ("fedst_table04", "accuracy@another_client"),
}
OURS, ALONE, TRIVIAL = "FedST", "Alone", "Most frequent label"


def draw(runs: KeptRuns) -> Figure:
    """Draw a panel a kind of test and a line a dataset with a number of clients."""
    run = runs.run("fedst")
    rows = run.rows(next(iter(PANELS.values()))[0])
    n = run.line("fedst_table02", rows[0], OURS, "accuracy")["n_seeds"]
    figure, axes = marks.canvas(
        4.6,
        "Accuracy of FedST, the other methods and training alone, by dataset and clients",
        f"Scale {run.scale}, mean over {n:.0f} seeds, 95% interval of FedST. Open diamonds "
        "are published values of FedST; the paper lacks Watch.",
        ncols=2,
        sharey=True,
    )
    for panel, (title, (table, metric)) in zip(axes.flat, PANELS.items()):
        for y, row in enumerate(rows):
            for line in run.lines(f"tables/{table}.csv", row=row, metric=metric):
                _draw_cell(panel, y, line)
        marks.rows(panel, [_shown(row) for row in rows])
        panel.set_xlabel("accuracy")
        marks.name(panel, title)
    marks.legend(figure, axes.flat, 5)
    return figure


def _draw_cell(panel: Axes, y: float, line: Row) -> None:
    """Mark a cell on the line of its row, by its method."""
    name, mean = line["column"], line["mean"]
    if name == OURS:
        marks.across(panel, y - 0.2, line, label=OURS, zorder=4, **marks.OURS)
        if isinstance(line["published"], float):
            look = marks.PUBLISHED | {"color": marks.OURS["color"]}
            marks.point(panel, line["published"], y - 0.2, "FedST, published", look)
    elif name == ALONE:
        look = marks.ALONE | {"zorder": 3, "markersize": 6}
        marks.point(panel, mean, y + 0.22, "training alone", look)
    elif name == TRIVIAL:
        look = marks.TRIVIAL | {"markersize": 13, "markeredgewidth": 2}
        marks.point(panel, mean, y, "most frequent label", look)
    elif ", " not in name:
        look = marks.OTHER | {"alpha": 0.5, "markersize": 4.5}
        marks.point(panel, mean, y + 0.22, "another method", look)


def _shown(row: str) -> str:
    """Name a row by its dataset and number of clients."""
    dataset, n = row.rsplit(" ", 1)
    return f"{dataset}, {n} clients"
