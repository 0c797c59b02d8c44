"""Claims for readers: Markdown and LaTeX."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fedreact.claims.contrasts import OUTCOMES
from fedreact.claims.judged import BETWEEN, labels
from fedreact.frames import records
from fedreact.metrics.grammar import load_metric
from fedreact.tables.render import tex

HEADER = ["claim", "source", "outcome", "after Holm", "difference", "detectable", "P", "published"]
METHOD = (
    "Differences are positive as claimed, paired by seed, with their 95% interval. The margin is "
    "the smallest difference that matters: a quarter of the published difference, or that of "
    "paper.yaml where none is published. A claim of a difference is negligible if the interval "
    "lies within the margin on both sides of 0; else it holds if the interval lies above 0, and is "
    "reversed if it lies below 0. A claim of equality holds if the interval lies within the "
    "margin, and is reversed if it lies outside. A difference is not testable if the baseline is "
    "not significantly above chance, or if a predictor that learns nothing is ahead of both "
    "methods. Everything else is undecided, and so is a claim "
    "with fewer than three seeds. A claim about every one of several comparisons "
    "holds if each comparison holds, and one counterexample refutes it, after Holm's correction; "
    "its line shows the weakest comparison, whose interval reaches lowest among those with the "
    "worst outcome, and names those that do not hold. Other claims show "
    "the average. After Holm: the outcome corrected for the number of the paper's claims. "
    "Detectable: the smallest difference that this run would have shown with a "
    "probability of 0.8. P: the probability that the difference lies on the claimed side. "
    "Published: the same difference between the paper's values. Lines that begin with *if* judge "
    "the claim under another reading of what the paper leaves open (its ledger), on the settings "
    "where this is measured."
)

TO_A_TARGET = (
    "Claims about what is spent until a score is reached: the target is the lower final score of "
    "the two methods under the same budget, seed by seed, so both reach it. Curves are "
    "interpolated linearly between scored rounds. A method that reaches the target in its first "
    "scored round may have spent anything up to the cost of that round: the interval then covers "
    "this range, its middle stands for the difference, and no P is given."
)

OVER_DATASETS = (
    "Averages are over datasets: rows of one dataset are averaged first, and rows in which a "
    "predictor that learns nothing is ahead do not count (reason: trivial predictor ahead)."
)


def counts(table: pd.DataFrame) -> str:
    """Count claims by outcome, e.g. ``3 claims: 2 hold, 0 are negligible, ...``."""
    outcomes = tally(table)
    parts = [f"{n} {words(name, n)}" for name, n in outcomes.items() if n or name != "not-testable"]
    n = sum(outcomes.values())
    return f"{n} claim{'s' if n != 1 else ''}: {', '.join(parts)}."


def tally(table: pd.DataFrame) -> dict[str, int]:
    """Count claims by outcome, in the order of :data:`fedreact.claims.contrasts.OUTCOMES`."""
    whole = _whole(table)
    outcomes = whole[whole["reading"] == ""]["outcome"]
    return {name: int((outcomes == name).sum()) for name in OUTCOMES}


def words(outcome: str, n: int) -> str:
    """Say an outcome after a number of claims, e.g. ``are undecided``."""
    if outcome == "holds":
        return "holds" if n == 1 else "hold"
    return f"{'is' if n == 1 else 'are'} {outcome.replace('-', ' ')}"


Entries = Mapping[str, Mapping[str, Any]]
"""Entries of ``claims.yaml`` by name."""

Line = Mapping[str, Any]
"""A line of the csv of claims."""


def markdown(
    table: pd.DataFrame, claims: Entries, title: str, scale: str, notes: Sequence[str]
) -> str:
    """Write a line for each claim, its readings below it."""
    data = sorted({name for cell in _whole(table)["data"] for name in cell.split(", ")})
    out = [f"# {title}", "", f"Judged on {', '.join(data)} at scale {scale}. {counts(table)}"]
    out += ["", METHOD, "", row(HEADER), "|---" * len(HEADER) + "|"]
    for line in lines(table, claims):
        of_reading = not line[1]
        out.append(row([f"*{line[0]}*", *line[1:]] if of_reading else line))
    return "\n".join([*out, *(f"\n{note}" for note in notes)]) + "\n"


def latex(
    table: pd.DataFrame, claims: Entries, title: str, scale: str, notes: Sequence[str]
) -> str:
    """Write the same as ``longtable``; it needs the packages booktabs and longtable."""
    header = [name for name in HEADER if name != "source"]
    out = [r"\begin{scriptsize}\setlength{\tabcolsep}{3pt}"]
    out += [r"\begin{longtable}{p{.27\linewidth}llp{.17\linewidth}rrr}"]
    out += [rf"\caption{{{tex(f'{title}, scale {scale}. {counts(table)}')}}}\\", r"\toprule"]
    out += [" & ".join(header) + r" \\", r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
    for statement, source, *rest in lines(table, claims):
        first = f"{statement} ({source})" if source else statement
        out.append(" & ".join(map(tex, [first, *rest])) + r" \\")
    out += [r"\end{longtable}", *(rf"\par {tex(note)}" for note in [METHOD, *notes])]
    return "\n".join([*out, r"\end{scriptsize}"]) + "\n"


def lines(table: pd.DataFrame, claims: Entries) -> list[list[str]]:
    """Return the texts of each claim and reading under :data:`HEADER`."""
    rows = []
    for whole in records(_whole(table)):
        entry, decimals = claims[whole["claim"]], _decimals(whole["metric"])
        contrasts = _contrasts(table, whole)
        shown = decisive(whole, contrasts)
        statement, source = (
            (f"if {whole['reading']}", "")
            if whole["reading"]
            else (entry["claim"], entry["source"])
        )
        difference = numbers(shown)
        if len(contrasts) > 1:
            difference += f", {scope(whole, contrasts)}"
        detectable = _signed(shown["detectable"], decimals).lstrip("+")
        probability: str = "" if pd.isna(shown["probability"]) else f"{shown['probability']:.3f}"
        published = _signed(shown["published"], decimals)
        result = whole["outcome"]
        if result == "not-testable":
            first, *more = whole["reason"].split("; ")
            result += f" ({first}{f' and {len(more)} more' if more else ''})"
        corrected = "" if whole["reading"] else whole["corrected"]
        rows.append(
            [statement, source, result, corrected, difference, detectable, probability, published]
        )
    return rows


def decisive(whole: Line, contrasts: Sequence[Line]) -> Line:
    """Return the line whose difference decides: the average, or a claim's weakest comparison."""
    if whole["over"] == "average":
        return whole
    names = labels([(line["at"], line["right"]) for line in contrasts])
    return contrasts[names.index(whole["weakest"])]


MOST_NAMED = 3
"""Comparisons of an outcome that a cell names at most; the csv has them all."""


def scope(whole: Line, contrasts: Sequence[Line]) -> str:
    """Say which difference is shown: the average, or the weakest comparison."""
    n = len(contrasts)
    if whole["over"] == "average":
        return f"average of {whole.get('averaged') or n}"
    text = f"weakest of {n}: {whole['weakest']}"
    by_outcome: dict[str, list[str]] = {}
    for name, outcome in exceptions(whole):
        by_outcome.setdefault(outcome, []).append(name)
    if not by_outcome:
        return text
    n_hold = n - sum(map(len, by_outcome.values()))
    parts = [text, f"{n_hold or 'none'} of {n} {'hold' if n_hold > 1 else 'holds'}"]
    for outcome in (name for name in OUTCOMES if name in by_outcome):
        names = by_outcome[outcome]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        parts.append(f"{outcome}: {', '.join(names[:MOST_NAMED])}{more}")
    return "; ".join(parts)


def exceptions(whole: Line) -> list[tuple[str, str]]:
    """Return the comparisons that do not hold, each with its outcome."""
    texts = whole["exceptions"].split(BETWEEN) if whole["exceptions"] else []
    parts = [text.removesuffix(")").rpartition(" (") for text in texts]
    return [(name, outcome) for name, _, outcome in parts]


def notes_of(markdown: str) -> list[str]:
    """Return the notes below the table of a text that :func:`markdown` made."""
    *_, below = markdown.rpartition("\n| ")
    _, _, notes = below.partition("\n\n")
    return [note.strip() for note in notes.split("\n\n") if note.strip()]


def _contrasts(table: pd.DataFrame, whole: Line) -> list[dict[str, Any]]:
    """Return the lines of the comparisons of a claim under one reading."""
    same = (table["claim"] == whole["claim"]) & (table["reading"] == whole["reading"])
    return records(table[same & ~_is_whole(table)])


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of whole claims, with those of their readings."""
    return table[_is_whole(table)]


def _is_whole(table: pd.DataFrame) -> pd.Series:
    return table["at"].isna() | (table["at"] == "")


def numbers(line: Line) -> str:
    """Write the difference of a line with its interval."""
    d = _decimals(line["metric"])
    difference, low, high = (_signed(line[key], d) for key in ("difference", "ci_low", "ci_high"))
    return f"{difference} ({low} to {high})" if low else difference


def signed(difference: float, metric: str) -> str:
    """Write a difference of a metric with its sign."""
    return _signed(difference, _decimals(metric))


def _decimals(metric: str) -> int:
    return load_metric(metric).decimals + 1


def _signed(value: float | None, decimals: int) -> str:
    return "" if value is None or pd.isna(value) else f"{value:+.{decimals}f}"


def row(texts: Sequence[str]) -> str:
    """Write a line of a Markdown table."""
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"
