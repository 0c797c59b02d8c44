"""Claims judged on scores: a line a contrast, and one for each claim and reading."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fedreact.atomic import write_text
from fedreact.claims.contrasts import (
    ALPHA,
    Evidence,
    Outcome,
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
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.claims.testable import why_not
from fedreact.errors import UserError
from fedreact.intervals import summarise
from fedreact.tables.cells import of_cell, per_seed
from fedreact.tables.reached import until_the_worse
from fedreact.tables.sources import ScoreSource
from fedreact.tables.trivial import FLAG, flagged_labels

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
    "averaged",
]
"""Columns of the csv.

``difference`` and ``published`` are positive where they are as claimed (left less right for
equality). Lines without ``at`` are those of whole claims: their numbers are of the average, and
their last columns say how they are judged. ``over`` is whether the claim is about every contrast or
about the average; ``exceptions`` are the contrasts that do not hold by themselves, with their
outcomes, with :data:`BETWEEN` between them; ``weakest`` is the contrast on which a claim about
every one hangs; ``reason`` says why a difference is not testable. ``p`` is the one-sided
p-value of the test behind a whole claim's outcome, and ``corrected`` the outcome after Holm's
correction over the claims of the paper. ``averaged`` says over how many datasets an average is,
where rows of one dataset are averaged first and rows with a flag do not count.
"""


NUMBERS = ["difference", "ci_low", "ci_high", "probability", "detectable", "margin", "published"]
NUMBERS += ["p"]
"""Columns that are numbers, or empty."""


def read(csv: Path) -> pd.DataFrame:
    """Read a csv of claims: NaN only for missing numbers, labels as they are written."""
    missing = {name: [""] for name in NUMBERS}
    texts = ("at", "left", "right", "exceptions", "weakest", "reason", "averaged")
    labels = dict.fromkeys(texts, str)
    return pd.read_csv(csv, keep_default_na=False, na_values=missing, dtype=labels)


def write(table: pd.DataFrame, csv: Path) -> None:
    """Write a csv of claims."""
    write_text(csv, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def judged(
    paper: str,
    readings: Sequence[ClaimReading],
    scores: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Judge claims.

    Parameters
    ----------
    paper
        Its name.
    readings
        Claims under each reading, the default one first.
    scores
        What :func:`fedreact.tables.cells.read_scores` gives.
    tables
        Cells by the name of their table, for claims about the average over datasets.

    Returns
    -------
    pandas.DataFrame
        :data:`COLUMNS`; a line for each claim and reading, followed by one for each contrast.

    Raises
    ------
    UserError
        Scores of a contrast are missing.
    """
    reasons: dict[tuple[str, str, str], str] = {}
    flags = {name: flagged_labels(cells) for name, cells in (tables or {}).items()}
    lines = [
        line
        for reading in readings
        for line in _Judge(paper, reading, scores, reasons, flags).lines()
    ]
    return corrected(pd.DataFrame(lines, columns=COLUMNS))


class _Difference(NamedTuple):
    """The least and the most difference of a contrast by seed, positive as claimed."""

    least: dict[Any, float]
    most: dict[Any, float]


class _Judge:
    """Judges a claim under one reading.

    ``reasons`` are why contrasts are not testable, by claim, ``at`` and ``right``. A reading of the
    ledger is as testable as the default, which is judged first and adds the reasons.
    """

    def __init__(
        self,
        paper: str,
        reading: ClaimReading,
        scores: pd.DataFrame,
        reasons: dict[tuple[str, str, str], str],
        flags: Mapping[str, set[tuple[str, str]]],
    ):
        self.paper, self.reading, self.scores, self.reasons = paper, reading, scores, reasons
        self.means = per_seed([reading.metric], scores, reading.last)
        flagged = flags[reading.table] if reading.table else set()
        self.groups = self._groups(flagged)
        self.data: set[str] = set()
        for contrast in reading.contrasts:
            if (contrast.at, reading.metric) in flagged:
                self.reasons.setdefault(self._key(contrast), FLAG)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the line of the claim, then those of its contrasts."""
        reading = self.reading
        differences = [self._difference(contrast) for contrast in reading.contrasts]
        margins = [reading.margin if c.margin is None else c.margin for c in reading.contrasts]
        evidence = [
            replace(
                self._weigh(list(by_seed.least.values()), list(by_seed.most.values()), margin),
                untestable=self.reasons.get(self._key(contrast), ""),
            )
            for by_seed, margin, contrast in zip(differences, margins, reading.contrasts)
        ]
        whole = self._weigh(
            self._average([by_seed.least for by_seed in differences]),
            self._average([by_seed.most for by_seed in differences]),
            reading.margin,
        )
        about = {"paper": self.paper, "claim": reading.claim, "reading": reading.reading}
        about |= {"relation": reading.relation, "metric": reading.metric}
        names = [(c.at, c.right) for c in reading.contrasts]
        known = [c.published for c in reading.contrasts if c.published is not None]
        published = np.mean(known) if known else None
        shown = {"published": published, "margin": reading.margin}
        n = len(self.groups)
        about |= {"averaged": f"{n} dataset{'s' * (n > 1)}" if reading.table else ""}
        judged_as = judgement(reading.over, whole, evidence, names)
        data = {"data": ", ".join(sorted(self.data))}
        yield {**about, **data, **shown, **judged_as, **_numbers(whole)}
        about |= {"averaged": ""}
        each = zip(reading.contrasts, evidence, judge_each(evidence), margins)
        for contrast, one, outcome_of_one, margin in each:
            labels = {"at": contrast.at, "left": contrast.left, "right": contrast.right}
            judged_as = {"outcome": outcome_of_one, "reason": one.untestable}
            shown = {"published": contrast.published, "margin": margin}
            yield {**about, **labels, **shown, **judged_as, **_numbers(one)}

    def _groups(self, flagged: set[tuple[str, str]]) -> list[list[int]]:
        """Group the contrasts that count to the average, by their places: those of one dataset.

        Every contrast is a group of its own where the average is not over datasets. If no contrast
        counts, the claim is not testable, and all are shown.
        """
        reading = self.reading
        places = range(len(reading.contrasts))
        if not reading.table:
            return [[i] for i in places]
        metric, of_data = reading.metric, dict[str, list[int]]()
        counted = [i for i in places if (reading.contrasts[i].at, metric) not in flagged]
        for i in counted or places:
            data = of_cell(self.means, reading.contrasts[i].ours)["data"]
            of_data.setdefault(data.iloc[0].split("+")[0], []).append(i)
        return list(of_data.values())

    def _average(self, by_seed: Sequence[Mapping[Any, float]]) -> list[float]:
        """Average differences by seed, within each group and then over groups."""
        by_group = [average([by_seed[i] for i in group]) for group in self.groups]
        return list(average(by_group).values())

    def _difference(self, contrast: Contrast) -> _Difference:
        """Compare the scores of a contrast by seed; notes its data, and why it is not testable."""
        reading = self.reading
        counts = any(reading.contrasts[i] is contrast for group in self.groups for i in group)
        ours = self._values(contrast.ours, note=counts)
        if isinstance(contrast.theirs, ScoreSource):
            theirs = self._values(contrast.theirs, note=counts)
            if self._key(contrast) not in self.reasons:
                self.reasons[self._key(contrast)] = self._untestable(contrast, ours, theirs)
            least = most = ours - theirs
            if reading.reaching:
                least, most = until_the_worse(
                    of_cell(self.scores, contrast.ours),
                    of_cell(self.scores, contrast.theirs),
                    score=reading.reaching,
                    cost=reading.metric,
                )
        else:
            least = most = ours - contrast.theirs
        if reading.sign < 0:
            least, most = -most, -least
        return _Difference(least.dropna().to_dict(), most.dropna().to_dict())

    def _weigh(self, least: Sequence[float], most: Sequence[float], margin: float) -> Evidence:
        if self.reading.reaching:
            return weigh_between(least, most, margin)
        return weigh(least, margin, self.reading.sign == 0)

    def _key(self, contrast: Contrast) -> tuple[str, str, str]:
        return self.reading.claim, contrast.at, contrast.right

    def _untestable(self, contrast: Contrast, ours: pd.Series, theirs: pd.Series) -> str:
        """Say why a contrast is not testable, by its scores and those of trivial predictors."""
        return why_not(
            names=(contrast.left, contrast.right),
            means=(float(ours.mean()), float(theirs.mean())),
            baseline_low=summarise(theirs.to_numpy()).ci[0],
            chance=contrast.chance,
            trivial={
                label: float(self._values(source).mean())
                for label, source in contrast.trivial.items()
            },
            better=self.reading.better,
        )

    def _values(self, source: ScoreSource, note: bool = False) -> pd.Series:
        """Return the scores of a source by seed; ``note`` their data."""
        lines, metric = of_cell(self.means, source), self.reading.metric
        if metric not in lines or lines[metric].isna().all():
            raise UserError(f"there is no {metric} of {source.method} in {source.folder}")
        if note:
            self.data.update(lines["data"])
        return lines.set_index("seed")[metric]


def judgement(
    over: str, whole: Evidence, each: Sequence[Evidence], names: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Judge a whole claim.

    Parameters
    ----------
    over
        ``every`` or ``average``.
    whole
        Evidence on the average of its contrasts.
    each, names
        Evidence on each contrast, and its labels ``at`` and ``right``.

    Returns
    -------
    dict
        The columns ``outcome``, ``p``, ``over``, ``exceptions``, ``weakest``, ``reason`` of its
        line. An average is not testable if none of its contrasts is.
    """
    line = {"over": over, "exceptions": "", "weakest": ""}
    line["reason"] = "; ".join(dict.fromkeys(one.untestable for one in each if one.untestable))
    if over == "average":
        untestable = bool(each) and all(one.untestable for one in each)
        result: Outcome = "not-testable" if untestable else outcome(whole)
        return {**line, "outcome": result, "p": p_of_one(whole, result)}
    shown, outcomes = labels(names), judge_each(each)
    failed = [f"{shown[i]} ({outcomes[i]})" for i in exceptions(each)]
    line |= {"exceptions": BETWEEN.join(failed), "weakest": shown[weakest(each)]}
    result = judge_every(each)
    return {**line, "outcome": result, "p": p_of_every(each, result)}


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Fill the column ``corrected``: outcomes after Holm's correction over a paper's claims.

    Claims count under the default reading only. A claim whose p-value is not significant after the
    correction is undecided. Claims that are not testable, or that have no p-value, do not count.
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
"""Separator of contrasts in one column of the csv."""


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


def _numbers(evidence: Evidence) -> dict[str, float]:
    return {
        "difference": evidence.difference,
        "ci_low": evidence.ci[0],
        "ci_high": evidence.ci[1],
        "n_seeds": evidence.n,
        "probability": evidence.probability,
        "detectable": evidence.detectable,
    }
