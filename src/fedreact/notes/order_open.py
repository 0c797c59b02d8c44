"""The first three methods, if intervals cannot order them.

Trivial methods and those with all data in one place do not count. Methods with equal scores in all
runs have no order.
"""

from itertools import pairwise

from fedreact.notes.contract import Note
from fedreact.notes.scores import Result
from fedreact.notes.words import difference, listed, paired, score

FIRST = 3
NUMBERS = {2: "two", 3: "three"}


def sentences(result: Result) -> list[str]:
    """Name the first methods, and the differences between neighbours."""
    first = result.of("federated", "alone", "simple")[:FIRST]
    if len(first) < 2:
        return []
    metric = result.metric
    gaps = [(a, b, result.difference(a, b)) for a, b in pairwise(first)]
    differ = [(a, b, one) for a, b, one in gaps if dict(a.by_seed) != dict(b.by_seed)]
    open_ = [(a, b, one) for a, b, one in differ if not one.is_better]
    if not open_:
        return []
    words = [f"{a.label} leads {b.label} by {difference(one, metric)}" for a, b, one in open_]
    means = listed([score(method, metric) for method in first])
    return [
        f"The intervals leave an order open among the first {NUMBERS[len(first)]} methods "
        f"({means}): {listed(words)} ({paired([one for *_, one in open_], metric)})."
    ]


NOTE = Note("Order open", 3, sentences)
