"""Files of scores as runs of an experiment tracker: what exports to trackers share."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedreact.errors import UserError

INDEX = ("setting", "data", "seed", "method")
"""Columns that name a run of a tracker; beside them there are the round and metrics."""


@dataclass(frozen=True)
class TrackedRun:
    """A method on a setting with a seed, as a run of a tracker.

    Attributes
    ----------
    name
        Name of the run.
    parameters
        The columns of :data:`INDEX`.
    scores
        By round: metrics by their names for trackers.
    """

    name: str
    parameters: dict[str, Any]
    scores: dict[int, dict[str, float]]


def tracked(scores: Path) -> Iterator[TrackedRun]:
    """Yield the runs of a csv file of scores (``results/<scale>/runs/.../seed0.csv``).

    Raises
    ------
    UserError
        It is no file of scores.
    """
    import pandas as pd

    try:
        table = pd.read_csv(scores)
    except FileNotFoundError:
        raise UserError(f"{scores}: no such file") from None
    except ValueError as error:
        raise UserError(f"{scores}: not a file of scores ({error})") from None
    if missing := [name for name in (*INDEX, "round") if name not in table.columns]:
        raise UserError(
            f"{scores}: not a file of scores, it lacks the column {missing[0]}; such files are "
            "results/<scale>/runs/.../seed<n>.csv"
        )
    metrics = [name for name in table.columns if name not in (*INDEX, "round")]
    for values, lines in table.groupby(list(INDEX), sort=False):
        parameters = dict(zip(INDEX, values))
        by_round = {
            int(t): {
                metric_name(str(name)): float(value)
                for name, value in zip(metrics, line)
                if pd.notna(value)
            }
            for t, line in zip(lines["round"], lines[metrics].to_numpy())
        }
        name = "{setting}, {method}, seed {seed}".format(**parameters)
        yield TrackedRun(name, parameters, by_round)


def metric_name(name: str) -> str:
    """Return the name of a metric with slashes, since trackers refuse other signs."""
    return name.replace("@", "/").replace(":", "/")
