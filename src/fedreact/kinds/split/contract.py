"""The contract of a divided model: a file here that defines ``ALGORITHM``.

Split learning of K tasks. Each client is a task and keeps its data, its targets and its layers; a
server has the layers between, if there are any. In a step

    client k    h^k = up(x^k)                  h^k goes to the server
    server      a^1 ... a^K = server(h^1 ... h^K)     a^k goes to client k
    client k    y^k = down(x^k, h^k, a^k), its loss, dL/da^k goes to the server
    server      dL/dh^1 ... dL/dh^K            go to the clients

No weights are sent, and nothing is averaged. What is summed is the loss over clients, so each
client's layers follow its own loss and those of the others through the server (chapters 3 and 4 of
Y. Chen's dissertation; :mod:`fedreact.kinds.split.engine` does it).

An algorithm is a frozen dataclass below :class:`Algorithm`, whose fields are its options. It is
written once for any number of clients: tensors begin with K, and layers are named
(:mod:`fedreact.models.parts`); ``p`` is a :class:`fedreact.models.passing.Pass` with the weights of
those who compute. An algorithm without gradient steps is a :class:`Fitted`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedreact.models.parts import Layers
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import numpy as np
    from torch import Tensor

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class Algorithm:
    """Base class of divided models; ``l2`` and ``smoothing`` may be options of an algorithm."""

    @property
    def l2(self) -> float:
        """Factor of the squares of :meth:`penalised` weights in a client's loss."""
        return 0.0

    @property
    def smoothing(self) -> float:
        """Label smoothing of the loss."""
        return 0.0

    def client(self, task: Task, n_clients: int) -> Layers:
        """List the layers of each client."""
        raise NotImplementedError

    def server(self, task: Task, n_clients: int) -> Layers:
        """List the layers of the server; none if clients are alone."""
        return {}

    def penalised(self) -> tuple[str, ...]:
        """Name the weights with a penalty of ``l2``, as ``<layer>.<weight>``."""
        return ()

    @property
    def alone(self) -> bool:
        """Whether nothing is sent."""
        return False

    def up(self, p: "Pass", x: "Tensor") -> "Tensor":
        """Compute activations to send ``[K, B, ...]`` from series ``x [K, B, T, D]``."""
        raise NotImplementedError

    def between(self, p: "Pass", h: "Tensor") -> "Tensor":
        """Compute the server's answers ``[K, B, ...]`` to ``h [K, B, ...]`` of all clients."""
        raise NotImplementedError

    def down(self, p: "Pass", x: "Tensor", h: "Tensor", a: "Tensor") -> "Tensor":
        """Compute outputs ``[K, B, M]``; if clients are alone, ``h`` and ``a`` are empty."""
        raise NotImplementedError

    @classmethod
    def skip(cls, task: Task) -> str | None:
        """Say why it cannot run on a task; ``None`` if it can."""
        return None


@dataclass(frozen=True)
class Fitted(Algorithm):
    """Base class of models that each client fits alone in closed form."""

    alone: ClassVar[bool] = True

    def fit(
        self, train: "np.ndarray", y: "np.ndarray", held: "np.ndarray", y_held: "np.ndarray"
    ) -> "Callable[[np.ndarray], np.ndarray]":
        """Return a predictor: a function from windows ``[n, T, D]`` to outputs ``[n, M]``.

        Parameters
        ----------
        train, held
            Windows to fit and to choose by, float32 ``[n, T, D]``.
        y, y_held
            Their scaled targets ``[n, M]``, or 1 for labels that are true and -1 for others.
        """
        raise NotImplementedError

    def gflops(self, task: Task, n_train: int) -> float:
        """Count the GFLOPs of :meth:`fit` for a client with so many windows."""
        raise NotImplementedError


def together(h: "Tensor") -> "Tensor":
    """Put clients' activations ``[K, B, ..., F]`` side by side, ``[1, B, ..., K F]``."""
    return h.movedim(0, -2).flatten(-2)[None]


def for_each(a: "Tensor", n_clients: int) -> "Tensor":
    """Repeat an answer ``[1, B, ...]`` for each client, ``[K, B, ...]``."""
    return a.expand(n_clients, *a.shape[1:])
