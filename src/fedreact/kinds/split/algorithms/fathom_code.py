"""FATHOM on ExtraSensory as in its authors' public code, which differs from the text.

``mobile_sensor/FATHOM.py`` (YuChenZh/FATHOM_IJCNN, commit 846c7d3) builds the first LSTM, but does
not use it: what goes to the server is phi of eq. 4.10, after a layer. Each task has its own
attention over time. The L2 penalty applies to the unused LSTM, so it is left out. LSTMs have
rectifiers (``cell: relu``, an option of the run).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.models.parts import Dense, Layers
from fedreact.options import Count, NonNegative
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class FathomCode(Fathom):
    """FATHOM without the first LSTM."""

    shared: bool = False
    projection: Count = 128
    l2: NonNegative = 0.0

    def of_features(self, task: Task) -> Layers:
        """List attention over features and the layer after it."""
        layers = super().of_features(task)
        return {name: layers[name] for name in ("features", "projection")}

    def server(self, task: Task, n_clients: int) -> Layers:
        """List the attention over time, of the weighted features of all tasks."""
        T, vectors = task.steps, 1 if self.shared else n_clients
        return {"attention": Dense(T * self.projection * n_clients, T * vectors)}

    def penalised(self) -> tuple[str, ...]:
        """Name the matrix of the LSTM."""
        return ("second.input",)

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute phi^k, which is sent in place of states."""
        return self.weighted(p, x)


ALGORITHM = FathomCode
