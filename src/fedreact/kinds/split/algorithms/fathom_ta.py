"""FATHOM-ta: without the attention over features (dissertation, section 4.2.1).

The first LSTM reads the windows as they are; all else is as in FATHOM.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.models.parts import LSTM, Layers
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class FathomTA(Fathom):
    """Attention over time alone."""

    def of_features(self, task: Task) -> Layers:
        """List the first LSTM."""
        return {"first": LSTM(task.channels, self.hidden)}

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute h^k by eq. 4.11 from x."""
        return p.lstm("first", x)


ALGORITHM = FathomTA
