"""Which options suit a method best: its score under each, over the settings and seeds searched."""

from collections.abc import Sequence

import pandas as pd

from fedreact.metrics.grammar import load_metric
from fedreact.tables.cells import Place, of_cell, per_seed


def ranked(
    layout: Sequence[Place], metric: str, scores: pd.DataFrame, taken: set[str], last: bool
) -> pd.DataFrame:
    """Mean over seeds, a line for each variant of a method, the best first; a column a setting.

    Parameters
    ----------
    layout
        Rows are settings, columns the variants of methods.
    metric
        That is compared.
    scores
        What :func:`fedreact.tables.cells.read_scores` gives.
    taken
        Variants that the configuration takes.
    last
        Whether scores are those of the last round.
    """
    means = per_seed([metric], scores, last)
    lines = [
        {
            "method": place.column.split("+")[0],
            "variant": place.column,
            "taken": place.column in taken,
            "setting": place.row,
            "score": of_cell(means, place)[metric].mean(),
        }
        for place in layout
    ]
    table = pd.DataFrame(lines)
    index, settings = ["method", "variant", "taken"], list(dict.fromkeys(table["setting"]))
    wide = table.pivot(index=index, columns="setting", values="score")[settings]
    wide.insert(0, "mean", wide.mean(axis=1))
    lower = load_metric(metric).better == "lower"
    return wide.reset_index().sort_values(
        ["method", "mean"], ascending=[True, lower], kind="stable"
    )


def markdown(table: pd.DataFrame, title: str, data: str, scale: str, n_seeds: int) -> str:
    """The options of each method, the best first."""
    columns = list(table.columns[3:])
    seeds = "one seed" if n_seeds == 1 else f"{n_seeds} seeds"
    out = [
        f"{title} ({data}, scale {scale}, mean over {seeds} that no table uses). The best options "
        "come first; those in use are bold.",
        "",
        "| " + " | ".join(["method and options", *columns]) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for row in table.to_dict("records"):
        name = f"**{row['variant']}**" if row["taken"] else row["variant"]
        out.append("| " + " | ".join([name, *(f"{row[c]:.4f}" for c in columns)]) + " |")
    return "\n".join(out) + "\n"
