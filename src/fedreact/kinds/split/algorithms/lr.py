"""LR: a linear model of each task alone (dissertation, section 4.2.1).

"Logistic Regression", a label at a time; in a regression its outputs are numbers. By the authors'
public code it reads the features of the row whose labels it tells, which no forecast has; here it
reads the last row of the window, or all of it.
"""

from dataclasses import dataclass
from typing import Literal

from fedreact.kinds.split.contract import Algorithm
from fedreact.models.parts import Dense


@dataclass(frozen=True)
class LR(Algorithm):
    """One layer.

    Attributes
    ----------
    reads
        Input: the last row of a window, or the whole window.
    """

    reads: Literal["last", "window"] = "last"

    @property
    def alone(self):
        """Nothing is sent."""
        return True

    def client(self, task, n_clients):
        """Outputs."""
        rows = task.steps if self.reads == "window" else 1
        return {"out": Dense(task.channels * rows, task.outputs)}

    def down(self, p, x, h, a):
        """Of the last row, or of all rows."""
        return p.dense("out", x.flatten(2) if self.reads == "window" else x[:, :, -1])


ALGORITHM = LR
