"""M-CNN/LSTM: convolutions and an LSTM per task, on all tasks' outputs (section 3.1.3).

    h^k = relu(conv(x^k))                 [T', F]     client    (3.8)
    s   = h^1 ... h^K side by side        [T', K F]   server    (3.9)
    l   = last h of LSTM(s)               [hidden]    client    (3.10)

and a fully connected layer. The server has no weights: it passes on the activations of all.
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
class MCNNLSTM(Algorithm):
    """Each task's LSTM reads all tasks' convolutions.

    Attributes
    ----------
    filters, length
        Filters and length of the convolution.
    hidden
        States of the LSTM.
    """

    filters: Count = 64
    length: Count = 8
    hidden: Count = 64

    def client(self, task: Task, n_clients: int) -> Layers:
        """List convolution, LSTM, outputs."""
        return {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters * n_clients, self.hidden),
            "out": Dense(self.hidden, task.outputs),
        }

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute h^k by eq. 3.8."""
        return p.conv("conv", x).relu()

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Compute s by eq. 3.9."""
        return for_each(together(h), len(h))

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute l by eq. 3.10, and outputs."""
        return p.dense("out", p.lstm("lstm", a)[:, :, -1])

    @classmethod
    def skip(cls, task: Task) -> str | None:
        """Refuse windows that are shorter than the convolution."""
        return None if task.steps >= cls.length else f"windows have less than {cls.length} steps"


ALGORITHM = MCNNLSTM
