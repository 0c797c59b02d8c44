"""CRNN: convolutions and an LSTM per task, on all tasks' outputs (dissertation, section 4.2.1).

G. Lai, W. Chang, Y. Yang, H. Liu (2018), "Modeling Long- and Short-Term Temporal Patterns with Deep
Neural Networks", SIGIR, as the authors' public code of FATHOM takes it for its regressions: a
convolution and the largest of each three steps; what all tasks have sent goes into an LSTM of each.
Its code for ExtraSensory has the LSTM before the server, as M-LSTM has.
"""

from dataclasses import dataclass

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Conv, Dense
from fedreact.options import Count


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

    def client(self, task, n_clients):
        """Convolution, LSTM, outputs."""
        return {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters * n_clients, self.hidden),
            "wide": Dense(self.hidden, self.hidden),
            "out": Dense(self.hidden, task.outputs),
        }

    def up(self, p, x):
        """Convolve, and take the largest of some steps."""
        h = p.conv("conv", x).relu()
        steps = h.shape[2] // self.pooled * self.pooled
        return h[:, :, :steps].unflatten(2, (-1, self.pooled)).amax(3)

    def between(self, p, h):
        """All tasks' side by side."""
        return for_each(together(h), len(h))

    def down(self, p, x, h, a):
        """LSTM, and outputs."""
        last = p.lstm("lstm", a)[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu())

    @classmethod
    def skip(cls, task):
        """The convolution and the largest of some steps need as many."""
        least = cls.length + cls.pooled - 1
        return None if task.steps >= least else f"windows have less than {least} steps"


ALGORITHM = CRNN
