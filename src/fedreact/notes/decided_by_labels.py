"""Frequent labels without whose weight the first two methods have the other order.

The accuracy counts each series alike, the balanced accuracy each label. Trivial methods and those
with all data in one place do not count.
"""

from fedreact.notes.contract import Note
from fedreact.notes.scores import Result
from fedreact.notes.words import number

BALANCED = "balanced_accuracy"


def sentences(result: Result) -> list[str]:
    """Name the two methods; nothing unless the table has accuracy and balanced accuracy."""
    compared = result.of("federated", "alone", "simple")
    if result.metric_name != "accuracy" or len(compared) < 2:
        return []
    first, second = compared[:2]
    a, b = first.mean_by(BALANCED), second.mean_by(BALANCED)
    if a is None or b is None or b - a <= result.margin:
        return []
    d = result.metric.decimals
    return [
        f"Frequent labels decide the order of the first two methods, {first.label} and "
        f"{second.label}. If each label counts alike (balanced accuracy), {second.label} is ahead: "
        f"{number(b, d)} against {number(a, d)}."
    ]


NOTE = Note("Decided by frequent labels", 5, sentences)
