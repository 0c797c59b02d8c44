"""Cells of the tables: what was rebuilt, what was published, and how the two compare."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fedreact.errors import UserError
from fedreact.paper.layout import cells_of, untuned

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


UNLABELLED = "Published, label lost,"

BOUNDS = {
    "accuracy": (0.0, 1.0),
    "rand": (0.0, 1.0),
    "worst_cluster": (0.0, 1.0),
    "rmse": (0.0, np.inf),
}


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
    t = float(stdtrit(n - 1, 0.975))
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


def check_published(published: dict, where: str) -> None:
    """Check the content of a file of ``config/published/``.

    Raises
    ------
    UserError
        One line: which file, which key or row, what is wrong.
    """
    kinds = {"source": str, "data": str, "metric": str, "columns": list, "rows": dict}
    kinds |= {"unstated": dict}
    if not isinstance(published, dict):
        raise UserError(f"{where}: holds no keys; wanted {', '.join(kinds)}")
    more = ["data_of", "metric_of", "unlabelled", "unsure"]
    if unknown := sorted(set(map(str, published)) - {*kinds, *more}):
        raise UserError(f"{where}: unknown key {unknown[0]}; known: {', '.join([*kinds, *more])}")
    for key, kind in kinds.items():
        if not isinstance(published.get(key), kind):
            raise UserError(f"{where}: {key} must be a {kind.__name__}")
    n = len(published["columns"])
    for name, row in published["rows"].items():
        if not isinstance(row, list) or len(row) != n:
            found = len(row) if isinstance(row, list) else "no"
            raise UserError(f"{where}: row {name!r} has {found} values for {n} columns")
        if wrong := [value for value in row if not isinstance(value, int | float | None)]:
            raise UserError(f"{where}: row {name!r} holds {wrong[0]!r}, which is no number")


def build(
    table: str, spec: dict, published: dict, scores: pd.DataFrame, differences: list[str]
) -> pd.DataFrame:
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
        A line a round: ``setting, data, seed, method, round``, and a column for each metric, which
        is empty where a metric is not defined.
    differences
        What this scale does otherwise than the paper.

    Returns
    -------
    pandas.DataFrame
        :data:`COLUMNS`, a line a cell. Cells that the paper has no value for are not comparable,
        nor are published rows whose label is lost: they stand alone, with no seeds.
    """
    means = per_seed(spec, scores)
    places = [(row, column) for row in spec["rows"] for column in spec["columns"]]
    lines = []
    metric_of = published.get("metric_of", {})
    for metric in spec["metrics"]:
        for (row, column), (setting, method) in zip(places, cells_of(spec)):
            known = {}
            if metric == metric_of.get(row, published["metric"]):
                known = dict(zip(published["columns"], published["rows"].get(row, [])))
            chosen = of_cell(means, setting, method)
            if chosen.empty:
                raise UserError(f"{table}: no scores of {method} in {setting}")
            if metric not in chosen or chosen[metric].isna().all():
                continue  # no Rand score for a method of soft clusters, no accuracy of a regression
            data = chosen["data"].iloc[0]
            s = summarise(chosen[metric].to_numpy(), BOUNDS.get(metric, (-np.inf, np.inf)))
            value, difference, verdict = known.get(column), None, "not-comparable"
            if value is not None:
                difference = s.mean - value
                doubt = published.get("unsure", {}).get(row, {}).get(column)
                if not (doubt or why_not(row, data, s.n, published, differences)):
                    verdict = judge(s, value, decimals_of(value, published["rows"][row]))
            cell = [table, row, column, metric, data, s.mean, *s.ci, s.n]
            lines.append([*cell, value, difference, verdict])
    for i, row in enumerate(published.get("unlabelled", []), start=1):
        for column, value in zip(published["columns"], row):
            cell = [table, f"{UNLABELLED} {i}", column, published["metric"], published["data"]]
            lines.append([*cell, None, None, None, 0, value, None, "not-comparable"])
    return pd.DataFrame(lines, columns=COLUMNS)


def per_seed(spec: dict, scores: pd.DataFrame, by_file: bool = False) -> pd.DataFrame:
    """Average scores over rounds, or take those of the last one: a line a setting, method and seed.

    ``spec`` and ``scores`` are those of :func:`build`; ``by_file`` keeps the column ``file``.
    """
    if spec.get("score") == "last":
        last = scores.groupby(["setting", "method", "seed"])["round"].transform("max")
        scores = scores[scores["round"] == last]
    by = ["setting", "data", "method", "seed", *(["file"] if by_file else [])]
    metrics = [m for m in spec["metrics"] if m in scores]
    return scores.groupby(by, sort=True)[metrics].mean().reset_index()


def of_cell(means: pd.DataFrame, setting: str, method: str) -> pd.DataFrame:
    """Lines of a setting and method; those of the untuned one where tuning changes nothing."""
    chosen = means[(means["setting"] == setting) & (means["method"] == method)]
    if chosen.empty:
        chosen = means[(means["setting"] == untuned(setting)) & (means["method"] == method)]
    return chosen


def decimals_of(value: float, row: list[float]) -> int:
    """Decimals that a published value is rounded to.

    YAML drops trailing zeros (0.750): it has those of most values of its row, or its own if more.
    """
    counts = [len(str(v).split(".")[-1]) for v in row]
    usual = max(set(counts), key=counts.count)
    return max(usual, len(str(value).split(".")[-1]))


def why_not(
    row: str, data: str, n_seeds: int, published: dict, differences: list[str]
) -> list[str]:
    """Say why the cells of a row cannot be compared with the published ones; empty if they can."""
    why = list(differences)
    if row.startswith(UNLABELLED):
        return ["our copy of the paper lacks the labels of these rows"]
    theirs = published.get("data_of", {}).get(row, published["data"])
    if data != theirs:
        why.insert(0, f"the data is {data}, the paper's is {theirs}")
    if row in published["unstated"]:
        why.append(published["unstated"][row])
    if n_seeds < 2:
        why.append("one seed has no interval")
    return why


def reasons(cells: pd.DataFrame, published: dict, differences: list[str]) -> dict[str, list[str]]:
    """Collect :func:`why_not` for each row that has a published value and cannot be compared."""
    rows = cells.dropna(subset="published").drop_duplicates("row")
    found = {
        row: why_not(row, data, n, published, differences)
        for row, data, n in zip(rows["row"], rows["data"], rows["n_seeds"])
    }
    for row, columns in published.get("unsure", {}).items():
        for column, doubt in columns.items():
            found[f"{row}, {column}"] = [doubt]
    return {row: why for row, why in found.items() if why}
