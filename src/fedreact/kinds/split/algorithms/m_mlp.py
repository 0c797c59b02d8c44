"""M-MLP(16,16): two layers of 16, the first of each task, the second on all tasks' first.

Y. Vaizman, N. Weibel, G. Lanckriet (2018), "Context Recognition In-the-Wild", ACM IMWUT 1(4):168,
as the authors of M-Att take it (dissertation, section 3.2.2): layers are applied to each step of a
window, and the second's activations at all steps are flattened.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import Dense, Layers
from fedreact.options import Count
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class MMLP(Algorithm):
    """Two hidden layers with rectifiers.

    Attributes
    ----------
    width
        Units of each layer.
    """

    width: Count = 16

    def client(self, task: Task, n_clients: int) -> Layers:
        """List both layers, and outputs."""
        return {
            "first": Dense(task.channels, self.width),
            "second": Dense(self.width * n_clients, self.width),
            "out": Dense(self.width * task.steps, task.outputs),
        }

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Apply the first layer at each step, ``[K, B, T, width]``."""
        return p.dense("first", x).relu()

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Put all tasks' activations side by side."""
        return for_each(together(h), len(h))

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Apply the second layer at each step, and compute outputs from all steps."""
        return p.dense("out", p.dense("second", a).relu().flatten(2))


ALGORITHM = MMLP
