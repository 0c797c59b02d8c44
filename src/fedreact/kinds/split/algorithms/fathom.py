"""FATHOM: attention over a task's features at its client, over time at the server.

Y. Chen, Y. Ning, Z. Chai, H. Rangwala, "Federated Multi-task Learning with Hierarchical Attention
for Sensor Data Analytics", IJCNN 2020; chapter 4 of Y. Chen's dissertation (George Mason
University, 2021), Algorithm 1. Of a window x^k [T, D],

    A^k   = softmax_d(x^k W^k)                    [T, D]      client    (4.8, 4.9)
    phi^k = tanh(x^k * A^k)                       [T, D]      client    (4.10)
    h^k   = LSTM(phi^k)                           [T, hidden] client    (4.11)
    a     = softmax_t(tanh(W f + b)),  f = flatten(h^1 ... h^K)   [T]   server    (4.12, 4.13)
    l     = last h of LSTM(a_t x^k_t)             [hidden]    client    (4.14, 4.15)
    y^k   = V relu(W l + b) + b                   [M]         client    (4.16, 4.17)
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fedreact.kinds.split.algorithms.m_att import attention
from fedreact.kinds.split.contract import Algorithm
from fedreact.models.parts import LSTM, Dense, Layer, Layers
from fedreact.options import Count, NonNegative, Probability
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class Fathom(Algorithm):
    """Both attentions.

    Attributes
    ----------
    hidden
        States of both LSTMs, and units of the layer before the outputs.
    shared
        Whether all tasks share one attention vector over time; else each has its own.
    projection
        Units of a layer without bias between the product of eq. 4.10 and its tanh; ``null``: no
        layer.
    smoothing
        Label smoothing, alpha of eq. 4.1.
    l2
        Weight of the L2 penalty on LSTM weights.
    l2_of
        Penalised weights: ``all`` matrices of both LSTMs, or the ``input`` matrix of the first.
    """

    hidden: Count = 64
    shared: bool = True
    projection: Count | None = None
    smoothing: Probability = 0.3
    l2: NonNegative = 0.001
    l2_of: Literal["all", "input"] = "all"

    def client(self, task: Task, n_clients: int) -> Layers:
        """List attention over features, two LSTMs, outputs."""
        return {**self.of_features(task), **self.of_time(task, n_clients)}

    def of_features(self, task: Task) -> Layers:
        """List the layers before activations are sent."""
        D = task.channels
        layers: dict[str, Layer] = {"features": Dense(D, D, bias=False)}
        if self.projection:
            layers["projection"] = Dense(D, self.projection, bias=False)
        return layers | {"first": LSTM(self.projection or D, self.hidden)}

    def of_time(self, task: Task, n_clients: int) -> Layers:
        """List the layers after the server's answer."""
        return {
            "second": LSTM(task.channels, self.hidden),
            "wide": Dense(self.hidden, self.hidden),
            "out": Dense(self.hidden, task.outputs),
        }

    def server(self, task: Task, n_clients: int) -> Layers:
        """List the attention over time."""
        T, vectors = task.steps, 1 if self.shared else n_clients
        return {"attention": Dense(T * self.hidden * n_clients, T * vectors)}

    def penalised(self) -> tuple[str, ...]:
        """Name the penalised matrices of the LSTMs."""
        if self.l2_of == "input":
            return ("first.input",)
        return ("first.input", "first.recurrent", "second.input", "second.recurrent")

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute h^k by eqs. 4.8 to 4.11."""
        return p.lstm("first", self.weighted(p, x))

    def weighted(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute phi^k by eqs. 4.8 to 4.10."""
        weights = p.dense("features", x).softmax(-1)
        p.attention["features"] = weights.detach().mean(2)
        product = x * weights
        if self.projection:
            product = p.dense("projection", product)
        return product.tanh()

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Compute weights ``[K, B, T]`` by eqs. 4.12 and 4.13."""
        return attention(p, h, self.shared)

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs by eqs. 4.14 to 4.17."""
        p.attention["time"] = a.detach()
        return self.outputs(p, a[..., None] * x)

    def outputs(self, p: "Pass", psi: "Tensor") -> "Tensor":
        """Compute outputs by eqs. 4.15 to 4.17."""
        last = p.lstm("second", psi)[:, :, -1]
        return p.dense("out", p.dense("wide", last).relu())


ALGORITHM = Fathom
