"""S-LSTM: an LSTM of each task alone (dissertation, sections 3.2.2 and 4.2.1).

"A single LSTM layer for single-task prediction"; by the authors' public code 64 units with
rectifiers stand between it and the outputs. With two convolutions before the LSTM it is the
single-task model whose 198,387 weights the authors' repository of M-Att lists.
"""

from dataclasses import dataclass

from fedreact.errors import UserError
from fedreact.kinds.split.contract import Algorithm
from fedreact.models.parts import LSTM, Conv, Dense
from fedreact.options import Count


@dataclass(frozen=True)
class SLSTM(Algorithm):
    """An LSTM on windows, and on what convolutions make of them.

    Attributes
    ----------
    hidden
        States of the LSTM.
    wide
        Units of a ReLU layer before the outputs; ``null``: no layer.
    filters, lengths
        Filters and lengths of successive convolutions with ReLU before the LSTM; empty: no
        convolution.
    """

    hidden: Count = 64
    wide: Count | None = 64
    filters: tuple[Count, ...] = ()
    lengths: tuple[Count, ...] = ()

    def __post_init__(self):
        if len(self.filters) != len(self.lengths):
            raise UserError("filters and lengths: give the same number of each")

    @property
    def alone(self):
        """Nothing is sent."""
        return True

    def client(self, task, n_clients):
        """Convolutions, LSTM, outputs."""
        return {
            **convolutions(task.channels, self.filters, self.lengths),
            "lstm": LSTM([task.channels, *self.filters][-1], self.hidden),
            **({"wide": Dense(self.hidden, self.wide)} if self.wide else {}),
            "out": Dense(self.wide or self.hidden, task.outputs),
        }

    def down(self, p, x, h, a):
        """Last states to outputs."""
        last = p.lstm("lstm", convolved(p, x, self.filters))[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu() if self.wide else last)


def convolutions(channels, filters, lengths):
    """Layers ``conv0``, ``conv1``, ... that read each other."""
    into = [channels, *filters]
    return {f"conv{i}": Conv(*of) for i, of in enumerate(zip(into, filters, lengths, strict=False))}


def convolved(p, x, filters):
    """Series through all convolutions, each with rectifiers."""
    for i in range(len(filters)):
        x = p.conv(f"conv{i}", x).relu()
    return x


ALGORITHM = SLSTM
