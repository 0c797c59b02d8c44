"""What it took until a score was reached, for tables of costs (``reaching`` of a table's entry)."""

from collections.abc import Sequence

import pandas as pd

from fedreact import plugins
from fedreact.errors import UserError
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
    better = plugins.load("metrics", about.reaching, "METRIC").better
    if better is None:
        raise UserError(f"reaching: {about.reaching} is no score; none of its values is better")
    sign = 1 if better == "higher" else -1
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
