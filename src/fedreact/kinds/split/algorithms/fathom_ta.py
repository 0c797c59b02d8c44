"""FATHOM-ta: without the attention over features (dissertation, section 4.2.1).

The first LSTM reads the windows as they are; all else is as in FATHOM.
"""

from dataclasses import dataclass

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.models.parts import LSTM


@dataclass(frozen=True)
class FathomTA(Fathom):
    """Attention over time alone."""

    def of_features(self, task):
        """An LSTM."""
        return {"first": LSTM(task.channels, self.hidden)}

    def up(self, p, x):
        """Eq. 4.11 on x."""
        return p.lstm("first", x)


ALGORITHM = FathomTA
