"""Clients without whom the first two methods have the other order.

Trivial methods and those with all data in one place do not count.
"""

import numpy as np

from fedreact.notes.contract import Note
from fedreact.notes.scores import Result
from fedreact.notes.words import listed, number


def sentences(result: Result) -> list[str]:
    """Name the clients; nothing if the metric is not a mean over clients, or not known of each."""
    compared = result.of("federated", "alone", "simple")
    if len(compared) < 2:
        return []
    first, second = compared[:2]
    a, b = first.of_clients, second.of_clients
    if len(a) < 3 or len(a) != len(b) or np.isnan(a).any() or np.isnan(b).any():
        return []
    gaps = result.sign * (a - b)
    without = (gaps.sum() - gaps) / (len(gaps) - 1)
    deciding = np.flatnonzero(without < 0)
    if gaps.mean() < 0 or not len(deciding):
        return []
    names = [result.names[k] for k in deciding[np.argsort(without[deciding])]]
    k, d = int(np.argmin(without)), result.metric.decimals
    means = [(one.sum() - one[k]) / (len(one) - 1) for one in (a, b)]
    several = f"Without clients {listed(names)}, each left out"
    who = f"Without client {names[0]}" if len(names) == 1 else several
    which = "" if len(names) == 1 else f" (without {names[0]})"
    decides = "One client decides" if len(names) == 1 else "Single clients decide"
    return [
        f"{decides} the order of the first two methods, {first.label} and {second.label}. "
        f"{who}, {second.label} is ahead: {number(means[1], d)} against {number(means[0], d)}"
        f"{which}."
    ]


NOTE = Note("Decided by single clients", 4, sentences)
