"""Claims judged again from the csv of an earlier judgement, without the scores.

A line of the csv has the mean difference, its 95% interval, the number of seeds and the detectable
difference. By Student's t, these give the standard error, and so the p-values of all tests. Where
only a least and a most difference are known (:func:`fedreact.claims.contrasts.weigh_between`), the
four numbers give both means and both standard errors.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fedreact.claims.contract import Claim
from fedreact.claims.contrasts import (
    ALPHA,
    POWER,
    Evidence,
    Spread,
    judge_each,
    weigh_spread,
    weigh_spreads,
)
from fedreact.claims.judged import COLUMNS, judgement
from fedreact.errors import UserError

ROUNDING = 5e-6
"""Of the csv, whose numbers have six digits."""


def rejudged(
    table: pd.DataFrame, claims: Mapping[str, Claim], margins: Mapping[str, float]
) -> pd.DataFrame:
    """Judge the claims of a paper again.

    Parameters
    ----------
    table
        An earlier judgement, with at least the columns up to ``published`` of
        :data:`fedreact.claims.judged.COLUMNS`; labels are texts.
    claims
        Entries of ``claims.yaml`` by their names.
    margins
        Those of ``paper.yaml``: by metric, for claims without a margin of their own.

    Returns
    -------
    pandas.DataFrame
        The same lines with today's margins, outcomes and columns.

    Raises
    ------
    UserError
        A claim of the table is not in ``claims``, or has no margin.
    """
    lines: list[dict[str, Any]] = []
    for (name, _), group in table.groupby(["claim", "reading"], sort=False):
        if name not in claims:
            raise UserError(f"claims.yaml has no {name}, which was judged; judge on scores again")
        whole, *contrasts = group.to_dict("records")
        margin = claims[name].margin or margins.get(whole["metric"])
        if margin is None:
            raise UserError(f"{name}: there is no margin of {whole['metric']} in paper.yaml")
        of_whole, *each = [recovered(line, margin) for line in (whole, *contrasts)]
        names = [(line["at"], line["right"]) for line in contrasts]
        now = {"margin": margin}
        lines.append(whole | now | judgement(claims[name].over, of_whole, each, names))
        lines += [
            line | now | {"outcome": said, "reason": one.untestable}
            for line, one, said in zip(contrasts, each, judge_each(each))
        ]
    return pd.DataFrame(lines, columns=COLUMNS)


def recovered(line: Mapping[str, Any], margin: float) -> Evidence:
    """Weigh the difference of a line of the csv by a margin.

    Parameters
    ----------
    line
        ``difference, ci_low, ci_high, n_seeds, probability, detectable`` (NaN where there is
        none), ``relation`` and ``reason``.
    margin
        The smallest difference that matters.

    Returns
    -------
    Evidence
        As if weighed on scores, up to the digits of the csv.
    """
    mean, low, high, n = (line[key] for key in ("difference", "ci_low", "ci_high", "n_seeds"))
    reason = line.get("reason") or ""
    if n < 2:
        nan = (np.nan, np.nan)
        return Evidence(mean, nan, int(n), np.nan, np.nan, 1.0, 1.0, 1.0, reason)
    t = float(stdtrit(n - 1, 1 - ALPHA))
    apart = 0.0
    if pd.isna(line["probability"]):
        # Both ends lie `apart / 2` farther out than half the width of their own interval, and the
        # detectable difference is that of the wider one plus `apart`.
        per_half_width = 1 + float(stdtrit(n - 1, POWER)) / t
        farther = max(mean - low, high - mean)
        apart = (line["detectable"] - per_half_width * farther) / (1 - per_half_width / 2)
    half_widths = [abs(end - mean) - apart / 2 for end in (low, high)]
    if apart:  # what is left of two equal numbers is rounding
        half_widths = [w if w > ROUNDING * max(apart, abs(mean)) else 0.0 for w in half_widths]
    least, most = (
        Spread(mean + side * apart / 2, half_width / t, int(n))
        for side, half_width in zip((-1, 1), half_widths)
    )
    if apart:
        found = weigh_spreads(least, most, margin)
    else:
        found = weigh_spread(least, margin, line["relation"] == "equal")
    return Evidence(**vars(found) | {"untestable": reason})
