"""TimesNet with the Time-Series-Library's first inception block, as its own classifier has it.

The other sizes that count 89,130 weights, see :mod:`fedreact.models.architectures.timesnet`.
"""

from dataclasses import dataclass

from fedreact.models.architectures.timesnet import TimesNet


@dataclass(frozen=True)
class TimesNetV1(TimesNet):
    """TimesNet of width 40 and feed-forward 12, with square kernels of sides 1 and 3."""

    width: int = 40
    feed_forward: int = 12
    inception: int = 1


ARCHITECTURE = TimesNetV1
