"""What it took until a score was reached, for tables of costs (``reaching`` of a table's entry) and
for claims about them.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fedreact.errors import UserError
from fedreact.metrics.grammar import load_metric
from fedreact.tables.cells import About, Place, of_cell, per_seed


def reached(layout: Sequence[Place], about: About, scores: pd.DataFrame) -> pd.DataFrame:
    """Lines of scores at which methods first reach a target, if there is one.

    The target is what the worst of them has in the end, as a mean over seeds: so each of them
    reaches it on average, and none is cut off by a target that suits others. A seed that never
    does has no line, and a method without lines has an empty cell.

    Parameters
    ----------
    layout
        Cells of the table.
    about
        Its entry, of which ``reaching`` is the metric of the target; if it has none, all lines are
        returned.
    scores
        A line a scored round, as :func:`fedreact.tables.cells.read_scores` gives them.

    Raises
    ------
    UserError
        That metric has no better values.
    """
    if about.reaching is None:
        return scores
    sign = _sign(about.reaching)
    beside: dict[str, list[Place]] = {}
    for place in layout:
        if not place.skipped:
            group = place.column if about.methods_are == "row" else place.row
            beside.setdefault(group, []).append(place)
    parts = []
    for places in beside.values():
        of = [of_cell(scores, place) for place in places]
        ends = [per_seed([about.reaching], lines, last=True)[about.reaching].mean() for lines in of]
        target = min(sign * end for end in ends)
        for lines in of:
            there = lines[sign * lines[about.reaching] >= target]
            parts.append(there.sort_values("round").drop_duplicates("seed"))
    return pd.concat(parts).drop_duplicates()


def until_the_worse(
    ours: pd.DataFrame, theirs: pd.DataFrame, score: str, cost: str
) -> tuple[pd.Series, pd.Series]:
    """What one method spends beyond another until both have what the worse has in the end, by seed.

    So a seed's target is its own, both reach it, and neither is favoured: who ends ahead was there
    earlier. Between two scored rounds, curves of scores over costs are straight. Before the first
    nothing is known: who has the target by then may have spent anything up to what that round
    costs. So there is a least and a most. A seed in which a score is missing, as of a training
    that diverged, is left out.

    Parameters
    ----------
    ours, theirs
        Lines of scores, a line a scored round, as :func:`fedreact.tables.cells.read_scores` gives
        them.
    score, cost
        Metric of the target, and what is counted.

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
    curves = [_curves(lines, score, cost, sign) for lines in (ours, theirs)]
    least, most = {}, {}
    for seed in sorted(set(curves[0]) & set(curves[1])):
        target = min(of[seed][0][-1] for of in curves)
        mine, other = (_first(*of[seed], target) for of in curves)
        least[seed], most[seed] = mine[0] - other[1], mine[1] - other[0]
    return pd.Series(least, dtype=float), pd.Series(most, dtype=float)


def _curves(lines, score, cost, sign):
    """Scores, higher is better, and costs over the rounds, by seed."""
    found = {}
    for seed, of in lines.sort_values("round").groupby("seed"):
        if of[[score, cost]].notna().all(axis=None):
            found[seed] = sign * of[score].to_numpy(), of[cost].to_numpy()
    return found


def _first(scores, costs, target):
    """Least and most that it costs until a curve first is at a target, which it has at its end."""
    i = int(np.argmax(scores >= target))
    if i == 0:
        return 0.0, float(costs[0])
    share = (target - scores[i - 1]) / (scores[i] - scores[i - 1])
    cost = float(costs[i - 1] + share * (costs[i] - costs[i - 1]))
    return cost, cost


def _sign(score):
    better = load_metric(score).better
    if better is None:
        raise UserError(f"reaching: {score} is no score; none of its values is better")
    return 1 if better == "higher" else -1
