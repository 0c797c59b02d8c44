"""FedST against the other methods and training alone, by dataset and kind of test."""

from fedreact.reference.pictures import marks

PANELS = {
    "Tested on own samples (Table 2)": ("fedst_table02", "accuracy"),
    "Tested on another client's samples (Table 4)": ("fedst_table04", "accuracy@another_client"),
}
OURS, ALONE, TRIVIAL = "FedST", "Alone", "Most frequent label"


def draw(kept):
    """Draw a panel a kind of test and a line a dataset with a number of clients."""
    run = kept.run("fedst")
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
                name = line["column"]
                if name == OURS:
                    marks.across(panel, y - 0.2, line, label=OURS, zorder=4, **marks.OURS)
                    if isinstance(line["published"], float):
                        panel.plot(
                            line["published"],
                            y - 0.2,
                            color=marks.OURS["color"],
                            label="FedST, published",
                            **marks.PUBLISHED,
                        )
                elif name == ALONE:
                    panel.plot(
                        line["mean"],
                        y + 0.22,
                        linestyle="none",
                        label="training alone",
                        zorder=3,
                        markersize=6,
                        **marks.ALONE,
                    )
                elif name == TRIVIAL:
                    panel.plot(
                        line["mean"],
                        y,
                        linestyle="none",
                        label="most frequent label",
                        markersize=13,
                        markeredgewidth=2,
                        **marks.TRIVIAL,
                    )
                elif ", " not in name:
                    panel.plot(
                        line["mean"],
                        y + 0.22,
                        linestyle="none",
                        label="another method",
                        alpha=0.5,
                        markersize=4.5,
                        **marks.OTHER,
                    )
        marks.rows(panel, [_shown(row) for row in rows])
        panel.set_xlabel("accuracy")
        marks.name(panel, title)
    marks.legend(figure, axes.flat, 5)
    return figure


def _shown(row):
    """Name a row by its dataset and number of clients."""
    dataset, n = row.rsplit(" ", 1)
    return f"{dataset}, {n} clients"
