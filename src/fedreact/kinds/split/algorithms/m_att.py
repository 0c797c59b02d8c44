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

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import LSTM, Conv, Dense
from fedreact.options import Count


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

    def client(self, task, n_clients):
        """Convolution, LSTM, outputs."""
        of_outputs = {"out": Dense(self.wide or self.hidden, task.outputs)}
        if self.wide:
            of_outputs = {"wide": Dense(self.hidden, self.wide), **of_outputs}
        return {
            "conv": Conv(task.channels, self.filters, self.length),
            "lstm": LSTM(self.filters, self.hidden),
            **of_outputs,
        }

    def server(self, task, n_clients):
        """The attention of all tasks."""
        T, vectors = task.steps - self.length + 1, 1 if self.shared else n_clients
        return {"attention": Dense(T * self.filters * n_clients, T * vectors)}

    def up(self, p, x):
        """Eq. 3.11."""
        return p.conv("conv", x).relu()

    def between(self, p, h):
        """Eqs. 3.12 to 3.14: weights ``[K, B, T']``."""
        return attention(p, h, self.shared)

    def down(self, p, x, h, a):
        """Eqs. 3.15 to 3.17."""
        p.attention["time"] = a.detach()
        last = p.lstm("lstm", a[..., None] * h)[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu() if self.wide else last)

    @classmethod
    def skip(cls, task):
        """The convolution needs its length."""
        return None if task.steps >= cls.length else f"windows have less than {cls.length} steps"


def attention(p, h, shared: bool):
    """Weights ``[K, B, T]`` over the steps of ``h [K, B, T, F]``: softmax of tanh of one layer.

    One layer of each task's own on what all have sent, or one for all tasks.
    """
    K, B, T, _ = h.shape
    u = p.dense("attention", together(h).flatten(2)).tanh()
    if shared:
        return for_each(u.softmax(-1), K)
    return u[0].view(B, K, T).softmax(-1).transpose(0, 1)


ALGORITHM = MAtt
