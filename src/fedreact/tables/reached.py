"""Costs until a score is reached, for tables of costs (``reaching`` of a table's entry) and
for claims about them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from fedreact.errors import UserError
from fedreact.metrics.grammar import load_metric
from fedreact.tables.cells import CellRules, of_cell, per_seed
from fedreact.tables.sources import CellSource


def reached(layout: Sequence[CellSource], rules: CellRules, scores: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of scores at which methods first reach a target, if there is one.

    The target is the final score of the worst method, as a mean over seeds. So each method reaches
    it on average, and none is cut off by a target that suits others. A seed that never reaches it
    has no line, and a method without lines has an empty cell.

    Parameters
    ----------
    layout
        Cells of the table.
    rules
        Rules of the table; ``reaching`` is the metric of the target. Without one, all lines are
        returned.
    scores
        A line a scored round, as :func:`fedreact.tables.cells.read_scores` gives them.

    Raises
    ------
    UserError
        That metric has no better values.
    """
    metric = rules.reaching
    if metric is None:
        return scores
    sign = _sign(metric)
    groups: dict[str, list[CellSource]] = {}
    for source in layout:
        if not source.skipped:
            group = source.column if rules.methods_are == "row" else source.row
            groups.setdefault(group, []).append(source)
    parts = []
    for sources in groups.values():
        by_method = [of_cell(scores, source) for source in sources]
        ends = [per_seed([metric], lines, last=True)[metric].mean() for lines in by_method]
        target = min(sign * end for end in ends)
        for lines in by_method:
            past = lines[sign * lines[metric] >= target]
            parts.append(past.sort_values("round").drop_duplicates("seed"))
    return pd.concat(parts).drop_duplicates()


def until_the_worse(
    ours: pd.DataFrame, theirs: pd.DataFrame, score: str, cost: str
) -> tuple[pd.Series, pd.Series]:
    """Return the cost of one method less that of another until both reach a target, by seed.

    A seed's target is the lower of both final scores in this seed. So both methods reach it, and
    neither is favoured: the method that ends ahead was there earlier. Between two scored rounds,
    curves of scores over costs are straight. Before the first one nothing is known: a method that
    has the target by then may have spent anything up to the cost of that round. So there is a least
    and a most. A seed in which a score is missing, e.g. since its training diverged, is left out.

    Parameters
    ----------
    ours, theirs
        Lines of scores, a line a scored round, as :func:`fedreact.tables.cells.read_scores` gives
        them.
    score, cost
        Metrics of the target and of the cost.

    Returns
    -------
    least, most
        ``ours`` less ``theirs``, by seed, of the seeds that both have. They are the same where
        neither has the target by the first scored round.

    Raises
    ------
    UserError
        None of the score's values is better.
    """
    sign = _sign(score)
    our_curves, their_curves = (_curves(lines, score, cost, sign) for lines in (ours, theirs))
    least, most = {}, {}
    for seed in sorted(set(our_curves) & set(their_curves)):
        our, their = our_curves[seed], their_curves[seed]
        target = min(our.scores[-1], their.scores[-1])
        our_least, our_most = our.cost_until(target)
        their_least, their_most = their.cost_until(target)
        least[seed], most[seed] = our_least - their_most, our_most - their_least
    return pd.Series(least, dtype=float), pd.Series(most, dtype=float)


class _Curve(NamedTuple):
    """Scores, higher is better, and costs over the scored rounds of a seed."""

    scores: npt.NDArray[np.float64]
    costs: npt.NDArray[np.float64]

    def cost_until(self, target: float) -> tuple[float, float]:
        """Return the least and most cost until the curve first is at a target, which it reaches."""
        scores, costs = self
        i = int(np.argmax(scores >= target))
        if i == 0:
            return 0.0, float(costs[0])
        share = (target - scores[i - 1]) / (scores[i] - scores[i - 1])
        cost = float(costs[i - 1] + share * (costs[i] - costs[i - 1]))
        return cost, cost


def _curves(lines: pd.DataFrame, score: str, cost: str, sign: int) -> dict[int, _Curve]:
    """Return the curve of each seed in which no score is missing."""
    curves = {}
    by_round = lines.sort_values("round")
    for seed in by_round["seed"].unique():
        of_seed = by_round[by_round["seed"] == seed]
        if of_seed[[score, cost]].notna().all(axis=None):
            curves[int(seed)] = _Curve(sign * of_seed[score].to_numpy(), of_seed[cost].to_numpy())
    return curves


def _sign(score: str) -> int:
    """Return 1 if higher scores are better, -1 if lower."""
    better = load_metric(score).better
    if better is None:
        raise UserError(f"reaching: {score} is no score; none of its values is better")
    return 1 if better == "higher" else -1
