"""Cells of the tables: what was rebuilt, what was published, and how the two compare."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

COLUMNS = [
    "table",
    "row",
    "column",
    "metric",
    "data",
    "mean",
    "ci_low",
    "ci_high",
    "n_seeds",
    "published",
    "difference",
    "verdict",
]

BOUNDS = {"accuracy": (0.0, 1.0), "rand": (0.0, 1.0)}


@dataclass(frozen=True)
class Summary:
    """Mean over seeds, its 95% interval, and the 95% interval of one further seed."""

    mean: float
    ci: tuple[float, float]
    prediction: tuple[float, float]
    n: int


def summarise(values: np.ndarray, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Summary:
    """Summarise one value a seed by Student's t; of a single seed all intervals are NaN.

    ``bounds`` are those of the score, beyond which no interval reaches.
    """
    values = np.asarray(values, dtype=float)
    n, mean = len(values), float(values.mean())
    if n < 2:
        return Summary(mean, (np.nan, np.nan), (np.nan, np.nan), n)
    sd = float(values.std(ddof=1))
    t = float(stats.t.ppf(0.975, n - 1))
    half, wide = t * sd * n**-0.5, t * sd * (1 + 1 / n) ** 0.5
    low, high = bounds

    def interval(width):
        return max(low, mean - width), min(high, mean + width)

    return Summary(mean, interval(half), interval(wide), n)


def judge(summary: Summary, published: float, decimals: int) -> str:
    """Compare a published value, taken as one more run, with the rebuilt ones.

    Returns
    -------
    str
        ``reproduced`` if the published value, rounded to ``decimals`` as it is, lies in the 95%
        prediction interval of one further seed, else ``differs``.
    """
    low, high = summary.prediction
    rounding = 0.5 * 10.0**-decimals
    return "reproduced" if low - rounding <= published <= high + rounding else "differs"


def build(table: str, spec: dict, published: dict, scores: pd.DataFrame, differences: list[str]):
    """Make the cells of a table.

    Parameters
    ----------
    table
        Its name, e.g. ``"table05"``.
    spec
        Its entry in ``config/outputs.yaml``.
    published
        The content of ``config/published/<table>.yaml``.
    scores
        A line a round: ``setting, data, seed, method, round, accuracy, rand``.
    differences
        What this scale does otherwise than the paper.

    Returns
    -------
    cells, reasons
        A data frame with :data:`COLUMNS`, a line a cell, and why cells are not comparable: texts
        by row label.
    """
    means = scores.groupby(["setting", "data", "method", "seed"], sort=True)
    means = means[["accuracy", "rand"]].mean().reset_index()
    # YAML drops trailing zeros (0.750), so a value's decimals are those of its table.
    decimals = max(len(str(v).split(".")[-1]) for row in published["rows"].values() for v in row)
    lines, reasons = [], {}
    for metric in spec["metrics"]:
        for row, setting in spec["rows"].items():
            for column, method in spec["columns"].items():
                chosen = means[(means.setting == setting) & (means.method == method)]
                data = chosen.data.iloc[0]
                summary = summarise(chosen[metric].to_numpy(), BOUNDS[metric])
                line = [table, row, column, metric, data, summary.mean, *summary.ci, summary.n]
                value = None
                if metric == published["metric"]:
                    value = dict(zip(published["columns"], published["rows"].get(row, []))).get(
                        column
                    )
                if value is None:
                    lines.append([*line, None, None, "not-comparable"])
                    continue
                why = [f"the data is {data}, the paper's is {published['data']}"]
                why = [*(why if data != published["data"] else []), *differences]
                if row in published["unstated"]:
                    why.append(f"the paper does not state {published['unstated'][row]}")
                if summary.n < 2:
                    why.append("one seed has no interval")
                reasons[row] = why
                verdict = "not-comparable" if why else judge(summary, value, decimals)
                lines.append([*line, value, summary.mean - value, verdict])
    return pd.DataFrame(lines, columns=COLUMNS), {row: why for row, why in reasons.items() if why}
