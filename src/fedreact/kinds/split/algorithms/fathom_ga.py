"""FATHOM-ga: without the attention over time (dissertation, section 4.2.1).

The paper does not state the input of the second LSTM in place of the windows weighted over time. In
the authors' public code it is the states of all tasks' first LSTMs, side by side, which the server
passes on.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.kinds.split.contract import for_each, together
from fedreact.models.parts import LSTM, Layers
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class FathomGA(Fathom):
    """Attention over features alone.

    Attributes
    ----------
    reads
        States that the second LSTM reads: those of all tasks, or its own task's alone (then nothing
        is sent).
    """

    reads: Literal["all", "own"] = "all"

    def of_time(self, task: Task, n_clients: int) -> Layers:
        """List the layers, of which the second LSTM reads states."""
        tasks = n_clients if self.reads == "all" else 1
        second = LSTM(self.hidden * tasks, self.hidden)
        return {**super().of_time(task, n_clients), "second": second}

    def server(self, task: Task, n_clients: int) -> Layers:
        """List no layers: the server puts states side by side."""
        return {}

    @property
    def alone(self) -> bool:
        """Whether nothing is sent."""
        return self.reads == "own"

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Put all states side by side, ``[K, B, T, K hidden]``."""
        return for_each(together(h), len(h))

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs by eqs. 4.15 to 4.17 from states."""
        return self.outputs(p, self.up(p, x) if self.reads == "own" else a)


ALGORITHM = FathomGA
