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
those who compute. What costs no steps of gradients has ``fit`` instead (see :class:`Fitted`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from fedreact.models.parts import Layers
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import numpy as np
    import torch

    from fedreact.models.passing import Pass


@dataclass(frozen=True)
class Algorithm:
    """What most divided models need not say themselves: a model of each client alone.

    ``l2`` is of no option's name where an algorithm has none: squares of the weights of these
    layers, times so much, are added to a client's loss.
    """

    l2: ClassVar[float] = 0.0
    smoothing: ClassVar[float] = 0.0

    def client(self, task: Task, n_clients: int) -> Layers:
        """Layers of each client."""
        raise NotImplementedError

    def server(self, task: Task, n_clients: int) -> Layers:
        """Layers of the server; none where clients are alone."""
        return {}

    def penalised(self) -> tuple[str, ...]:
        """Names ``<layer>.<weight>`` of what ``l2`` is of."""
        return ()

    @property
    def alone(self) -> bool:
        """Whether nothing is sent."""
        return False

    def up(self, p: "Pass", x: "torch.Tensor") -> "torch.Tensor":
        """What clients send ``[K, B, ...]`` of their series ``x [K, B, T, D]``."""
        raise NotImplementedError

    def between(self, p: "Pass", h: "torch.Tensor") -> "torch.Tensor":
        """What the server sends back ``[K, B, ...]`` for ``h [K, B, ...]`` of all clients."""
        raise NotImplementedError

    def down(
        self, p: "Pass", x: "torch.Tensor", h: "torch.Tensor", a: "torch.Tensor"
    ) -> "torch.Tensor":
        """Outputs ``[K, B, M]``; alone, ``h`` and ``a`` are ``None``."""
        raise NotImplementedError

    @classmethod
    def skip(cls, task: Task) -> str | None:
        """Why it cannot run on a task; ``None`` if it can."""
        return None


@dataclass(frozen=True)
class Fitted(Algorithm):
    """What each client fits alone in closed form."""

    alone: ClassVar[bool] = True

    def fit(
        self, train: Any, y: "np.ndarray", held: Any, y_held: "np.ndarray"
    ) -> tuple[Any, float]:
        """A function from windows ``[n, T, D]`` to outputs ``[n, M]``, and the GFLOPs it took.

        Parameters
        ----------
        train, held
            Windows to fit and to choose by, float32 ``[n, T, D]``.
        y, y_held
            Their scaled targets ``[n, M]``, or 1 for labels that are true and -1 for others.
        """
        raise NotImplementedError

    def gflops(self, task: Task, n_train: int) -> float:
        """What :meth:`fit` takes of a client with so many windows."""
        raise NotImplementedError


def together(h: "torch.Tensor") -> "torch.Tensor":
    """What clients sent ``[K, B, ..., F]``, side by side at the server ``[1, B, ..., K F]``."""
    return h.movedim(0, -2).flatten(-2)[None]


def for_each(a: "torch.Tensor", n_clients: int) -> "torch.Tensor":
    """The same ``[1, B, ...]`` for each client ``[K, B, ...]``."""
    return a.expand(n_clients, *a.shape[1:])
