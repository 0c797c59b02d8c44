"""M-LSTM: an LSTM per task, a shared layer, outputs per task (dissertation, section 3.1.2).

The shared layer reads the last states of all tasks' LSTMs, side by side (Fig. 3.1); the server has
it. Widths are those of the authors' public code: 576 units are shared, 128 are a task's. With K =
12 tasks of ExtraSensory it has the 2,455,716 weights that the repository of M-Att lists.
"""

from dataclasses import dataclass

from fedreact.kinds.split.algorithms.s_lstm import convolutions, convolved
from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Dense
from fedreact.options import Count


@dataclass(frozen=True)
class Shared(Algorithm):
    """An LSTM a task, on windows or on what convolutions make of them, and a layer for all.

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

    def convolved(self):
        """Filters and lengths of convolutions before the LSTM."""
        return (), ()

    def client(self, task, n_clients):
        """Convolutions, LSTM; behind the shared layer, outputs."""
        filters, lengths = self.convolved()
        return {
            **convolutions(task.channels, filters, lengths),
            "lstm": LSTM([task.channels, *filters][-1], self.hidden),
            "wide": Dense(self.common, self.wide),
            "out": Dense(self.wide, task.outputs),
        }

    def server(self, task, n_clients):
        """The shared layer."""
        return {"common": Dense(self.hidden * n_clients, self.common)}

    def up(self, p, x):
        """Last states ``[K, B, hidden]``."""
        return p.lstm("lstm", self.before(p, x))[:, :, -1]

    def before(self, p, x):
        """What the LSTM reads."""
        return convolved(p, x, self.convolved()[0])

    def between(self, p, h):
        """The shared layer's ``[K, B, common]``, the same for all."""
        return for_each(p.dense("common", together(h)).relu(), len(h))

    def down(self, p, x, h, a):
        """Outputs."""
        return p.dense("out", p.dense("wide", a).relu())


@dataclass(frozen=True)
class MLSTM(Shared):
    """The LSTM reads windows."""


ALGORITHM = MLSTM
