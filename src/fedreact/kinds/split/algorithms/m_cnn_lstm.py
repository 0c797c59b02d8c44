"""M-CNN/LSTM: convolutions and an LSTM per task, on all tasks' outputs (section 3.1.3).

    h^k = relu(conv(x^k))                 [T', F]     client    (3.8)
    s   = h^1 ... h^K side by side        [T', K F]   server    (3.9)
    l   = last h of LSTM(s)               [hidden]    client    (3.10)

and a fully connected layer. The server has no weights: it passes on what all have sent.
"""

from dataclasses import dataclass

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Conv, Dense
from fedreact.options import Count


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

    def client(self, task, n_clients):
        """Convolution, LSTM, outputs."""
        return {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters * n_clients, self.hidden),
            "out": Dense(self.hidden, task.outputs),
        }

    def up(self, p, x):
        """Eq. 3.8."""
        return p.conv("conv", x).relu()

    def between(self, p, h):
        """Eq. 3.9."""
        return for_each(together(h), len(h))

    def down(self, p, x, h, a):
        """Eq. 3.10, and outputs."""
        return p.dense("out", p.lstm("lstm", a)[:, :, -1])

    @classmethod
    def skip(cls, task):
        """The convolution needs its length."""
        return None if task.steps >= cls.length else f"windows have less than {cls.length} steps"


ALGORITHM = MCNNLSTM
