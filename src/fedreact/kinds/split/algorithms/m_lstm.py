"""M-LSTM: an LSTM per task, a shared layer, outputs per task (dissertation, section 3.1.2).

The shared layer reads the last states of all tasks' LSTMs, side by side (Fig. 3.1); the server has
it. Widths are those of the authors' public code: 576 units are shared, 128 are a task's. With K =
12 tasks of ExtraSensory it has the 2,455,716 weights that the repository of M-Att lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.algorithms.s_lstm import convolutions, convolved
from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Dense, Layers
from fedreact.options import Count
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class SharedLayer(Algorithm):
    """An LSTM a task, on windows or on their convolutions, and a layer for all.

    Attributes
    ----------
    hidden
        States of a task's LSTM.
    common
        Units of the shared layer.
    wide
        Units of a task's ReLU layer before its outputs.
    """

    hidden: Count = 64
    common: Count = 576
    wide: Count = 128

    def convolutions(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return filters and lengths of convolutions before the LSTM: none."""
        return (), ()

    def client(self, task: Task, n_clients: int) -> Layers:
        """List convolutions and LSTM, and, behind the shared layer, outputs."""
        filters, lengths = self.convolutions()
        return {
            **convolutions(task.channels, filters, lengths),
            "lstm": LSTM([task.channels, *filters][-1], self.hidden),
            "wide": Dense(self.common, self.wide),
            "out": Dense(self.wide, task.outputs),
        }

    def server(self, task: Task, n_clients: int) -> Layers:
        """List the shared layer."""
        return {"common": Dense(self.hidden * n_clients, self.common)}

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute the LSTM's last states ``[K, B, hidden]``."""
        filters, _ = self.convolutions()
        return p.lstm("lstm", convolved(p, x, len(filters)))[:, :, -1]

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Compute the shared layer's activations ``[K, B, common]``, the same for all."""
        return for_each(p.dense("common", together(h)).relu(), len(h))

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs from the shared layer's activations."""
        return p.dense("out", p.dense("wide", a).relu())


@dataclass(frozen=True)
class MLSTM(SharedLayer):
    """The LSTM reads windows."""


ALGORITHM = MLSTM
