"""Effects of the alternatives in a ledger: paired differences to the default, by seed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fedreact.frames import records
from fedreact.intervals import summarise
from fedreact.metrics.contract import COMPARED
from fedreact.metrics.grammar import load_metric
from fedreact.tables.cells import read_scores

if TYPE_CHECKING:
    pass


def effects(measured: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Compare the scores of each alternative with those of what is taken.

    Parameters
    ----------
    measured
        An entry for each alternative and setting: ``assumption``, ``taken``, ``alternative``,
        ``setting``, and files of scores by seed: ``with_taken``, ``with_alternative``.

    Returns
    -------
    pandas.DataFrame
        A line for each method and metric: alternative minus default, mean over seeds and interval.
    """
    return pd.DataFrame(line for pair in measured for line in _lines(pair))


def _lines(pair: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    before, after = (
        _means([Path(path) for path in pair[key]]) for key in ("with_taken", "with_alternative")
    )
    difference = after - before
    for method, by_seed in difference.groupby("method", sort=False):
        for metric in difference:
            if by_seed[metric].isna().any():
                continue  # no accuracy of a regression, no Rand score of soft clusters
            s = summarise(by_seed[metric].to_numpy())
            yield {
                **{
                    key: str(pair[key]) for key in ("assumption", "taken", "alternative", "setting")
                },
                "method": method,
                "metric": metric,
                "difference": s.mean,
                "ci_low": s.ci[0],
                "ci_high": s.ci[1],
                "n_seeds": s.n,
            }


def _means(paths: Sequence[Path]) -> pd.DataFrame:
    scores = read_scores(paths)
    metrics = [metric for metric in COMPARED if metric in scores]
    return scores.groupby(["method", "seed"])[metrics].mean()


def signed(value: float) -> str:
    """Write a number with three decimals and a sign; zero has no sign."""
    return f"{round(value, 3) + 0.0:+.3f}".replace("+0.000", "0.000")


INDEX = ["assumption", "taken", "alternative", "setting"]
HEADS = ["assumption", "default", "alternative", "setting"]


def markdown(table: pd.DataFrame, data: str, scale: str) -> str:
    """Write a line for each alternative and setting that changes something, largest effects first.

    Methods that nothing changes have no column; what changes nothing is named below.
    """
    lines = [
        f"Effects of the alternatives in the assumption ledger ({data}, scale {scale}): score "
        "under the alternative minus score under the default, mean over seeds of the paired "
        "difference with its 95% interval, the largest effects first.",
    ]
    for metric in COMPARED:
        part = table[table["metric"] == metric]
        if part.empty:
            continue
        part = part.assign(text=[_text(line) for line in records(part)])
        title = load_metric(metric).title
        lines += ["", f"**Difference: {title}**", ""]
        moved = part[part["difference"].abs() >= LEAST]
        largest = moved["difference"].abs().groupby([moved[key] for key in INDEX]).max()
        order = largest.sort_values(ascending=False, kind="stable").index
        if len(order):
            wide = part.pivot(index=INDEX, columns="method", values="text").loc[order]
            columns = [m for m in dict.fromkeys(part["method"]) if m in set(moved["method"])]
            lines += ["| " + " | ".join([*HEADS, *columns]) + " |"]
            lines += ["|---" * (len(INDEX) + len(columns)) + "|"]
            for key, row in zip(wide.index, wide[columns].fillna("").to_numpy()):
                lines.append("| " + " | ".join(map(str, [*key, *row])) + " |")
        still = part.set_index(INDEX).index.unique().difference(order, sort=False)
        if len(still):
            names = [f"{name}: {other} ({setting})" for name, _, other, setting in still]
            lines += ["", f"Unchanged to three decimals: {'; '.join(names)}."]
    return "\n".join(lines) + "\n"


LEAST = 0.0005
"""Smaller effects are 0.000."""


def _text(line: Mapping[str, Any]) -> str:
    difference = signed(line["difference"])
    if line["n_seeds"] > 1:
        return f"{difference} ({signed(line['ci_low'])} to {signed(line['ci_high'])})"
    return f"{difference} (one seed)"
