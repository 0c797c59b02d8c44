"""M-Att: tasks share their attention over time, not their inputs (dissertation, chapter 3).

Y. Chen, H. Rangwala, "Attention-based Multi-task Learning for Sensor Analytics", IEEE International
Conference on Big Data 2019; chapter 3 of Y. Chen's dissertation (George Mason University, 2021).
With T' = T - length + 1 steps left by the convolution and F filters,

    h^k = relu(conv(x^k))                        [T', F]     client     (3.11)
    f   = flatten(h^1 + ... + h^K side by side)  [T' F K]    server     (3.12)
    a^k = softmax_t(tanh(W^k f + b^k))           [T']        server     (3.13, 3.14)
    l   = last h of LSTM(a^k_t h^k_t)            [hidden]    client     (3.15, 3.16)
    y^k = W l + b                                [M]         client     (3.17)
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Conv, Dense, Layer, Layers
from fedreact.options import Count
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class MAtt(Algorithm):
    """Attention over the steps of convolved windows, of all tasks' convolutions.

    Attributes
    ----------
    filters, length
        Filters and length of the convolution.
    hidden
        States of the LSTM.
    wide
        Units of a ReLU layer before the outputs; ``null``: no layer.
    shared
        Whether all tasks share one attention vector; else each has its own.
    """

    filters: Count = 64
    length: Count = 8
    hidden: Count = 64
    wide: Count | None = None
    shared: bool = False

    def client(self, task: Task, n_clients: int) -> Layers:
        """List convolution, LSTM, outputs."""
        layers: dict[str, Layer] = {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters, self.hidden),
        }
        if self.wide:
            layers["wide"] = Dense(self.hidden, self.wide)
        return layers | {"out": Dense(self.wide or self.hidden, task.outputs)}

    def server(self, task: Task, n_clients: int) -> Layers:
        """List the attention of all tasks."""
        T, vectors = task.steps - self.length + 1, 1 if self.shared else n_clients
        return {"attention": Dense(T * self.filters * n_clients, T * vectors)}

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute h^k by eq. 3.11."""
        return p.conv("conv", x).relu()

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Compute weights ``[K, B, T']`` by eqs. 3.12 to 3.14."""
        return attention(p, h, self.shared)

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs by eqs. 3.15 to 3.17."""
        p.attention["time"] = a.detach()
        last = p.lstm("lstm", a[..., None] * h)[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu() if self.wide else last)

    @classmethod
    def skip(cls, task: Task) -> str | None:
        """Refuse windows that are shorter than the convolution."""
        return None if task.steps >= cls.length else f"windows have less than {cls.length} steps"


def attention(p: "Pass", h: "Tensor", shared: bool) -> "Tensor":
    """Compute weights ``[K, B, T]`` of the steps of ``h [K, B, T, F]``: softmax of tanh of a layer.

    The layer reads the activations of all tasks. Each task has its own, or all share one.
    """
    K, B, T, _ = h.shape
    u = p.dense("attention", together(h).flatten(2)).tanh()
    if shared:
        return for_each(u.softmax(-1), K)
    return u[0].view(B, K, T).softmax(-1).transpose(0, 1)


ALGORITHM = MAtt
