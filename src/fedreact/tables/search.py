"""Scores of a method under each candidate of a search, over its settings and seeds."""

from collections.abc import Sequence

import pandas as pd

from fedreact.metrics.grammar import load_metric
from fedreact.tables.cells import of_cell, per_seed
from fedreact.tables.sources import CellSource


def ranked(
    layout: Sequence[CellSource], metric: str, scores: pd.DataFrame, used: set[str], last: bool
) -> pd.DataFrame:
    """Average over seeds: a line for each variant of a method, the best first, a column a setting.

    Parameters
    ----------
    layout
        Rows are settings, columns the variants of methods.
    metric
        Metric that is compared.
    scores
        What :func:`fedreact.tables.cells.read_scores` gives.
    used
        Variants that the configuration uses.
    last
        Whether scores are those of the last round.
    """
    means = per_seed([metric], scores, last)
    lines = [
        {
            "method": source.column.split("+")[0],
            "variant": source.column,
            "taken": source.column in used,
            "setting": source.row,
            "score": of_cell(means, source)[metric].mean(),
        }
        for source in layout
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
    """Write the options of each method, the best first."""
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
