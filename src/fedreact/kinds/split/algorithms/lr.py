"""LR: a linear model of each task alone (dissertation, section 4.2.1).

With the run's option ``labels: binary``, a logistic regression of each label, without a penalty:

    p_m = sigmoid(w_m x + b_m),   minimise  -mean_m (y_m log p_m + (1 - y_m) log(1 - p_m))

In a regression its outputs are numbers. In the authors' public code it reads the features of the
row whose labels it predicts, which no forecast has. Here x is the last row of the window, or all
rows.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from fedreact.kinds.split.contract import Algorithm
from fedreact.models.parts import Dense, Layers
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class LR(Algorithm):
    """One layer.

    Attributes
    ----------
    reads
        Input: the last row of a window, or the whole window.
    """

    alone: ClassVar[bool] = True
    reads: Literal["last", "window"] = "last"

    def client(self, task: Task, n_clients: int) -> Layers:
        """List the layer of outputs."""
        rows = task.steps if self.reads == "window" else 1
        return {"out": Dense(task.channels * rows, task.outputs)}

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs from the last row, or from all rows."""
        return p.dense("out", x.flatten(2) if self.reads == "window" else x[:, :, -1])


ALGORITHM = LR
