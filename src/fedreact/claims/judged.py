"""Claims judged on scores: a line a contrast, and one for each claim and reading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from fedreact.atomic import write_text
from fedreact.claims.contrasts import (
    ALPHA,
    Evidence,
    average,
    exceptions,
    holm,
    judge_each,
    judge_every,
    outcome,
    p_of_every,
    p_of_one,
    weakest,
    weigh,
    weigh_between,
)
from fedreact.claims.testable import why_not
from fedreact.errors import UserError
from fedreact.intervals import summarise
from fedreact.tables.cells import Place, of_cell, per_seed
from fedreact.tables.reached import until_the_worse

COLUMNS = [
    "paper",
    "claim",
    "reading",
    "at",
    "left",
    "right",
    "relation",
    "metric",
    "data",
    "difference",
    "ci_low",
    "ci_high",
    "n_seeds",
    "probability",
    "detectable",
    "margin",
    "published",
    "outcome",
    "p",
    "corrected",
    "over",
    "exceptions",
    "weakest",
    "reason",
]
"""Of the csv.

``difference`` and ``published`` are positive where they are as claimed (left less right for
equality). Lines without ``at`` are those of whole claims: their numbers are of the average, and
their last columns say how they are judged. ``over`` is whether the claim is about every contrast or
about the average; ``exceptions`` are the contrasts that do not hold by themselves, with their
outcomes, with :data:`BETWEEN` between them; ``weakest`` is the contrast on which a claim about
every one hangs; ``reason`` says why a difference is not testable. ``p`` is the one-sided
p-value of the test behind a whole claim's outcome, and ``corrected`` the outcome after Holm's
correction over the claims of the paper.
"""


NUMBERS = ["difference", "ci_low", "ci_high", "probability", "detectable", "margin", "published"]
NUMBERS += ["p"]
"""Columns that are numbers, or empty where there are none."""


def read(csv: Path) -> pd.DataFrame:
    """Read a csv of claims: NaN only for missing numbers, labels as they are written."""
    missing = {name: [""] for name in NUMBERS}
    labels = dict.fromkeys(("at", "left", "right", "exceptions", "weakest", "reason"), str)
    return pd.read_csv(csv, keep_default_na=False, na_values=missing, dtype=labels)


def write(table: pd.DataFrame, csv: Path) -> None:
    """Write a csv of claims."""
    write_text(csv, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


@dataclass(frozen=True)
class Contrast:
    """One comparison of a claim.

    Attributes
    ----------
    at, left, right
        Labels.
    ours, theirs
        Folder and method of the scores that are compared; ``theirs`` is a number where a claim is
        about one.
    published
        Difference of the published values, as claimed positive; ``None`` where one is missing.
    margin
        The smallest difference that matters here; that of the claim, if none is given.
    chance
        Score of a random guess, if there is one.
    trivial
        Folder and method of predictors that learn nothing, by label.
    """

    at: str
    left: str
    right: str
    ours: Sequence[str]
    theirs: Sequence[str] | float
    published: float | None = None
    margin: float | None = None
    chance: float | None = None
    trivial: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A claim under one reading, as the workflow asks for it.

    Attributes
    ----------
    reading
        Entry of the ledger and alternative; empty for what is taken.
    sign
        1 where higher is claimed of left, -1 where lower; 0 for equality.
    better
        Better direction of the metric, ``higher`` or ``lower``.
    margin
        The margin of the average over the contrasts, and of contrasts without one of their own.
    last
        Whether scores are those of the last round.
    reaching
        Score at which the metric, a cost, is taken: see
        :func:`fedreact.tables.reached.until_the_worse`.
    """

    claim: str
    reading: str
    relation: str
    sign: int
    metric: str
    margin: float
    over: str
    last: bool
    contrasts: Sequence[Contrast]
    reaching: str | None = None
    better: str = "higher"

    @classmethod
    def of(cls, given: Mapping) -> "Asked":
        """Read what JSON holds."""
        contrasts = [Contrast(**record) for record in given["contrasts"]]
        return cls(**{**given, "contrasts": contrasts})


def judged(paper: str, asked: Sequence[Asked], scores: pd.DataFrame) -> pd.DataFrame:
    """Judge claims.

    Parameters
    ----------
    paper
        Its name.
    asked
        Claims and readings.
    scores
        What :func:`fedreact.tables.cells.read_scores` gives.
    """
    reasons: dict[tuple[str, str, str], str] = {}
    lines = [line for one in asked for line in _lines(paper, one, scores, reasons)]
    return corrected(pd.DataFrame(lines, columns=COLUMNS))


def _lines(paper, asked, scores, reasons):
    """Lines of a claim under one reading; ``reasons`` are why contrasts are not testable.

    A reading of the ledger is as testable as what is taken, which is judged first.
    """
    by_seed, data = [], []
    means = per_seed([asked.metric], scores, asked.last)
    for contrast in asked.contrasts:
        ours, theirs = _values(means, contrast.ours, asked.metric, data), contrast.theirs
        if not isinstance(theirs, (int, float)):
            theirs = _values(means, theirs, asked.metric, data)
            key = (asked.claim, contrast.at, contrast.right)
            if key not in reasons:
                reasons[key] = _untestable(means, asked, contrast, ours, theirs)
        least = most = ours - theirs
        if asked.reaching:
            lines = [_of(scores, place) for place in (contrast.ours, contrast.theirs)]
            least, most = until_the_worse(*lines, asked.reaching, asked.metric)
        if asked.sign < 0:
            least, most = -most, -least
        by_seed.append([of.dropna().to_dict() for of in (least, most)])

    def weighed(least, most, margin):
        if asked.reaching:
            return weigh_between(least, most, margin)
        return weigh(least, margin, asked.sign == 0)

    margins = [asked.margin if c.margin is None else c.margin for c in asked.contrasts]
    evidence = [
        replace(
            weighed(*(list(of.values()) for of in both), margin),
            untestable=reasons.get((asked.claim, c.at, c.right), ""),
        )
        for both, margin, c in zip(by_seed, margins, asked.contrasts)
    ]
    about = {"paper": paper, "claim": asked.claim, "reading": asked.reading}
    about |= {"relation": asked.relation, "metric": asked.metric}
    names = [(c.at, c.right) for c in asked.contrasts]
    whole = weighed(*(average(of) for of in zip(*by_seed)), asked.margin)
    known = [c.published for c in asked.contrasts if c.published is not None]
    shown = {"published": np.mean(known) if known else None, "margin": asked.margin}
    shown |= judgement(asked.over, whole, evidence, names)
    yield about | {"data": ", ".join(sorted(set(data)))} | shown | _numbers(whole)
    each = zip(asked.contrasts, evidence, judge_each(evidence), margins)
    for contrast, one, outcome_of_one, margin in each:
        labels = {"at": contrast.at, "left": contrast.left, "right": contrast.right}
        shown = {"published": contrast.published, "outcome": outcome_of_one, "margin": margin}
        yield about | labels | shown | {"reason": one.untestable} | _numbers(one)


def _untestable(means, asked, contrast, ours, theirs):
    """Why a contrast is not testable, by its scores and those of trivial predictors."""
    trivial = {
        label: float(_values(means, place, asked.metric, []).mean())
        for label, place in contrast.trivial.items()
    }
    return why_not(
        (contrast.left, contrast.right),
        (float(ours.mean()), float(theirs.mean())),
        summarise(theirs.to_numpy()).ci[0],
        contrast.chance,
        trivial,
        asked.better,
    )


def judgement(
    over: str, whole: Evidence, each: Sequence[Evidence], names: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """Judge a whole claim.

    Parameters
    ----------
    over
        ``every`` or ``average``.
    whole
        What is said about the average of its contrasts.
    each, names
        What is said about each contrast, and its labels ``at`` and ``right``.

    Returns
    -------
    dict of str
        The columns ``outcome``, ``p``, ``over``, ``exceptions``, ``weakest``, ``reason`` of its
        line. An average is not testable if none of its contrasts is.
    """
    outcomes = judge_each(each)
    found = {"over": over, "exceptions": "", "weakest": ""}
    found["reason"] = "; ".join(dict.fromkeys(one.untestable for one in each if one.untestable))
    if over == "average":
        untestable = bool(each) and all(one.untestable for one in each)
        said = "not-testable" if untestable else outcome(whole)
        return found | {"outcome": said, "p": p_of_one(whole, said)}
    shown = labels(names)
    told = [f"{shown[i]} ({outcomes[i]})" for i in exceptions(each)]
    found |= {"exceptions": BETWEEN.join(told), "weakest": shown[weakest(each)]}
    said = judge_every(each)
    return found | {"outcome": said, "p": p_of_every(each, said)}


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Fill the column ``corrected``: outcomes after Holm's correction over a paper's claims.

    Claims count as they are taken, without readings. One whose p-value is not significant after
    the correction is undecided. Those that are not testable, or that have no p-value, count for
    nothing.
    """
    table = table.assign(corrected="")
    whole = (table["at"].isna() | (table["at"] == "")) & (table["reading"] == "")
    table.loc[whole, "corrected"] = table.loc[whole, "outcome"]
    tested = whole & table["p"].notna()
    for _, p in table.loc[tested].groupby("paper")["p"]:
        weak = p.index[holm(p.to_numpy(dtype=float)) > ALPHA]
        table.loc[weak, "corrected"] = "undecided"
    return table


BETWEEN = " | "
"""Between contrasts in one column of the csv."""


def labels(names: Sequence[tuple[str, str]]) -> list[str]:
    """Name the contrasts of a claim by what they differ in.

    Parameters
    ----------
    names
        Labels ``at`` and ``right`` of each.

    Returns
    -------
    list of str
        E.g. ``10 clients: IFCA``; only ``at`` or only ``right`` where the other never varies.
    """
    at, right = (len({name[i] for name in names}) > 1 for i in (0, 1))
    if at and right:
        return [f"{where}: {other}" for where, other in names]
    return [where if at else other for where, other in names]


def _values(means, place, metric, data):
    """Scores of a cell by seed; notes its data."""
    lines = _of(means, place)
    if metric not in lines or lines[metric].isna().all():
        raise UserError(f"there is no {metric} of {place[1]} in {place[0]}")
    data += lines["data"].tolist()
    return lines.set_index("seed")[metric]


def _of(lines, place):
    folder, method = place
    return of_cell(lines, Place("", "", folder, method))


def _numbers(evidence: Evidence):
    return {
        "difference": evidence.difference,
        "ci_low": evidence.ci[0],
        "ci_high": evidence.ci[1],
        "n_seeds": evidence.n,
        "probability": evidence.probability,
        "detectable": evidence.detectable,
    }
