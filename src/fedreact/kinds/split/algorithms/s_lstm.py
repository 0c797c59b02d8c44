"""S-LSTM: an LSTM of each task alone (dissertation, sections 3.2.2 and 4.2.1).

"A single LSTM layer for single-task prediction"; by the authors' public code 64 units with
rectifiers stand between it and the outputs. With two convolutions before the LSTM it is the
single-task model whose 198,387 weights the authors' repository of M-Att lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedreact.errors import UserError
from fedreact.kinds.split.contract import Algorithm
from fedreact.models.parts import LSTM, Conv, Dense, Layer, Layers
from fedreact.options import Count
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class SLSTM(Algorithm):
    """An LSTM on windows, or on their convolutions.

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

    alone: ClassVar[bool] = True
    hidden: Count = 64
    wide: Count | None = 64
    filters: tuple[Count, ...] = ()
    lengths: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        if len(self.filters) != len(self.lengths):
            raise UserError("filters and lengths: give the same number of each")

    def client(self, task: Task, n_clients: int) -> Layers:
        """List convolutions, LSTM, outputs."""
        layers: dict[str, Layer] = {
            **convolutions(task.channels, self.filters, self.lengths),
            "lstm": LSTM([task.channels, *self.filters][-1], self.hidden),
        }
        if self.wide:
            layers["wide"] = Dense(self.hidden, self.wide)
        return layers | {"out": Dense(self.wide or self.hidden, task.outputs)}

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs from the LSTM's last state."""
        last = p.lstm("lstm", convolved(p, x, len(self.filters)))[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu() if self.wide else last)


def convolutions(channels: int, filters: Sequence[int], lengths: Sequence[int]) -> Layers:
    """List layers ``conv0``, ``conv1``, ..., each of which reads the one before."""
    inputs = [channels, *filters]
    sizes = zip(inputs, filters, lengths, strict=False)
    return {f"conv{i}": Conv(into, out, length) for i, (into, out, length) in enumerate(sizes)}


def convolved(p: "Pass", x: "Tensor", n: int) -> "Tensor":
    """Pass series through ``n`` convolutions, each with rectifiers."""
    for i in range(n):
        x = p.conv(f"conv{i}", x).relu()
    return x


ALGORITHM = SLSTM
