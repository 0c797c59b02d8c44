"""Words and numbers of notes."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedreact.intervals import FEWEST
from fedreact.kinds.contract import Role
from fedreact.metrics.contract import Metric
from fedreact.notes.scores import Difference, MethodScores, Result

MOST = 5
"""Methods or names that a sentence lists."""
ABOUT: dict[Role, str] = {
    "federated": "a federated method",
    "alone": "each client alone",
    "trivial": "it learns nothing",
    "simple": "a simple model of each client alone",
    "pooled": "all data in one place",
}
"""What a method is, by its part in a comparison."""


def number(value: float, decimals: int, sign: str = "") -> str:
    """Write a number."""
    return f"{value:{sign},.{decimals}f}".replace("-", "−")


def counted(number: int, word: str) -> str:
    """Write a number with its noun: ``1 step``, ``1,200 steps``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def difference(one: Difference, metric: Metric) -> str:
    """Write a difference with its interval: ``+0.012 (+0.004 to +0.020)``."""
    d = metric.decimals
    mean = number(one.mean, d, "+")
    if not one.is_judged:
        return mean
    return f"{mean} ({number(one.low, d, '+')} to {number(one.high, d, '+')})"


def score(method: MethodScores, metric: Metric) -> str:
    """Write the label and the mean of a method: ``Ditto 0.858``."""
    return f"{method.label} {number(method.mean, metric.decimals)}"


def paired(differences: Iterable[Difference], metric: Metric) -> str:
    """Say what differences are paired by: ``95% intervals over 3 seeds``."""
    judged = [one for one in differences if one.is_judged]
    if not judged:
        return "fewer than three seeds and clients, so no interval"
    by = dict.fromkeys(f"{one.n} {one.units}" for one in judged)
    text = f"95% intervals over {' or '.join(by)}"
    if any(one.units == "clients" for one in judged):
        text += ", for these seeds"
    return text if metric.better == "higher" else f"{text}; positive is better"


def listed(texts: Sequence[str], most: int = MOST) -> str:
    """List texts, at most so many; semicolons part them if one has a comma."""
    texts = list(texts)
    if len(texts) > most:
        texts = [*texts[:most], f"{len(texts) - most} more"]
    mark = "; " if any("," in text for text in texts) else ", "
    return " and ".join([mark.join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def name_of(metric: Metric) -> str:
    """Write the title of a metric within a sentence; abbreviations keep their capitals."""
    title = metric.title
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def corrected(compared: Sequence[tuple[MethodScores, Difference, bool]]) -> str:
    """Explain differences whose interval excludes 0 although they are not significant."""
    names = [method.label for method, one, better in compared if one.is_better and not better]
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return (
        f" Each interval is of one comparison: {listed(names)} {verb} not significantly better "
        f"after Holm's correction for all {len(compared)}."
    )


def of_clients(result: Result, first: MethodScores, second: MethodScores) -> str:
    """Count the clients for whom the first method is better, and those for whom it is worse.

    For example, ``20 of 33 clients and worse for 11 (median +1.3)``.

    Empty if scores of clients are not known, or of fewer than three.
    """
    a, b = first.of_clients, second.of_clients
    if not len(a) or len(a) != len(b):
        return ""
    gaps = result.sign * (a - b)
    gaps = gaps[~np.isnan(gaps)]
    if len(gaps) < FEWEST:
        return ""
    median = number(float(np.median(gaps)), result.metric.decimals, "+")
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    return f"{better} of {len(gaps)} clients and worse for {worse} (median {median})"
