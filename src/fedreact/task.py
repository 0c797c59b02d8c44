"""Tasks: the targets and the shape of series that algorithms and models must know beforehand."""

from dataclasses import dataclass
from typing import Literal

from fedreact.options import Count

Kind = Literal["classification", "multi-label", "regression"]


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes
    ----------
    kind
        ``classification`` (one of several labels), ``multi-label`` (each of several labels is true
        or not), or ``regression`` (one or more numbers).
    outputs
        Number of labels, or of predicted numbers.
    channels, steps
        Channels and steps of each series.
    """

    kind: Kind
    outputs: Count
    channels: Count
    steps: Count
