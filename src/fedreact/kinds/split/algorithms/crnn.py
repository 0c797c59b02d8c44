"""CRNN: convolutions and an LSTM per task, on all tasks' outputs (dissertation, section 4.2.1).

G. Lai, W. Chang, Y. Yang, H. Liu (2018), "Modeling Long- and Short-Term Temporal Patterns with Deep
Neural Networks", SIGIR, as the authors' public code of FATHOM takes it for its regressions: a
convolution and the maximum of each three steps; each task's LSTM reads all tasks' activations. Its
code for ExtraSensory has the LSTM before the server, as M-LSTM has.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Conv, Dense, Layers
from fedreact.options import Count
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class CRNN(Algorithm):
    """Each task's LSTM reads all tasks' convolutions.

    Attributes
    ----------
    filters, length
        Filters and length of the convolution.
    pooled
        Steps per max pooling.
    hidden
        States of the LSTM, and units of the layer before the outputs.
    """

    filters: Count = 128
    length: Count = 3
    pooled: Count = 3
    hidden: Count = 64

    def client(self, task: Task, n_clients: int) -> Layers:
        """List convolution, LSTM, outputs."""
        return {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters * n_clients, self.hidden),
            "wide": Dense(self.hidden, self.hidden),
            "out": Dense(self.hidden, task.outputs),
        }

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Convolve, and take the maximum of each few steps."""
        h = p.conv("conv", x).relu()
        steps = h.shape[2] // self.pooled * self.pooled
        whole = h[:, :, :steps]
        return whole.view(*h.shape[:2], -1, self.pooled, self.filters).amax(3)

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Put all tasks' activations side by side."""
        return for_each(together(h), len(h))

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Run the LSTM, and compute outputs from its last state."""
        last = p.lstm("lstm", a)[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu())

    @classmethod
    def skip(cls, task: Task) -> str | None:
        """Refuse windows that are shorter than convolution and pooling."""
        least = cls.length + cls.pooled - 1
        return None if task.steps >= least else f"windows have less than {least} steps"


ALGORITHM = CRNN
