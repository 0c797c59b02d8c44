"""Scores of a method under each candidate of a search, over its settings and seeds."""

from collections.abc import Mapping, Sequence

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
    index = ["method", "variant", "taken"]
    order, settings = (list(dict.fromkeys(table[key])) for key in ("variant", "setting"))
    wide = table.pivot(index=index, columns="setting", values="score")[settings]
    wide.insert(0, "mean", wide.mean(axis=1))
    by_name = wide.reset_index().set_index("variant", drop=False).loc[order]
    return by_name.sort_values(
        ["method", "mean"], ascending=[True, _lower(metric)], kind="stable", ignore_index=True
    )[[*index, "mean", *settings]]


def best(table: pd.DataFrame, setting: str, metric: str) -> dict[str, str]:
    """Return the variant of each method that is the best on a setting.

    Parameters
    ----------
    table
        What :func:`ranked` gives. Of equal ones, that with the better mean is taken, then that
        which comes first in the grid. A method that cannot run on the setting is left out.
    setting, metric
        A column of the table, and the metric of its scores.
    """
    known = table.dropna(subset=setting)
    first = known.sort_values(setting, ascending=_lower(metric), kind="stable")
    taken = first.drop_duplicates("method")
    return dict(zip(taken["method"], taken["variant"]))


def _lower(metric: str) -> bool:
    return load_metric(metric).better == "lower"


def markdown(
    table: pd.DataFrame,
    title: str,
    data: str,
    scale: str,
    n_seeds: int,
    best_of: Mapping[str, Mapping[str, str]],
) -> str:
    """Write the options of each method, the best first.

    ``best_of`` has the best variant of each method by setting if each dataset takes its own.
    """
    columns = list(table.columns[3:])
    seeds = "one seed" if n_seeds == 1 else f"{n_seeds} seeds"
    rule = "each dataset takes those in bold" if best_of else "those in use are bold"
    out = [
        f"{title} ({data}, scale {scale}, mean over {seeds} that no table uses). The best options "
        f"come first; {rule}.",
        "",
        "| " + " | ".join(["method and options", *columns]) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for row in table.to_dict("records"):
        scores = ["" if pd.isna(row[c]) else f"{row[c]:.4f}" for c in columns]
        bold = [best_of.get(c, {}).get(row["method"]) == row["variant"] for c in columns]
        cells = [f"**{text}**" if mark else text for text, mark in zip(scores, bold)]
        name = f"**{row['variant']}**" if row["taken"] else row["variant"]
        out.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(out) + "\n"
