"""Split learning of K tasks: computations of clients and server, and bytes between them.

Each client's layers and each server's layers have gradients of their own; between them stand
arrays, as a network would carry them:

    up      h^k        activations of a batch         client -> server
    down    a^k        the server's answer to all     server -> client
    up      dL/da^k                                   client -> server
    down    dL/dh^k                                   server -> client

With one owner of all tasks (``one_owner``) the same layers are one graph, and nothing is sent.

Clients are computed in parts, each of which is one batch of a few clients: their number follows
from K alone, so that any number of workers gives the same bits. Workers are threads: in
products of matrices Python's lock is free.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch

from fedreact.engine.engine import keep_heap
from fedreact.engine.local_training import Optimizer
from fedreact.kinds.split.contract import Algorithm
from fedreact.losses.objective import Data
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.models.parts import Layers, count
from fedreact.models.passing import Pass, first_weights, unpack
from fedreact.rng import generator
from fedreact.task import Task

PARTS = 4
"""Largest number of batches of clients."""

BATCH = 256
"""Windows that are predicted at once."""

UP, DOWN = 0, 1
"""Places of bytes to the server and to clients in :attr:`Federation.sent`."""

T = TypeVar("T")


@dataclass(frozen=True)
class Learning:
    """How the layers of clients and server are trained.

    Attributes
    ----------
    loss
        Loss of a client's outputs.
    optimizer, rate
        Optimiser and learning rate of clients and server.
    dropout
        Dropped shares of an LSTM's inputs, and of its states between rows.
    rectified
        Whether LSTM cells have rectifiers.
    one_owner
        Whether one owner has all clients and the server.
    """

    loss: LossOfTasks
    optimizer: Callable[..., Optimizer]
    rate: float
    dropout: tuple[float, float] = (0.0, 0.0)
    rectified: bool = False
    one_owner: bool = False


class Side:
    """Weights of one or more clients, or of the server, and their optimiser.

    Attributes
    ----------
    theta
        ``[k, P]``.
    """

    def __init__(self, theta: torch.Tensor, layers: Layers, learning: Learning):
        self.layers = layers
        self.theta = theta.clone().requires_grad_()
        self.optimizer: Optimizer | None = None
        if theta.numel():
            self.optimizer = learning.optimizer([self.theta], learning.rate)

    def step(self) -> None:
        """Follow the gradient."""
        if self.optimizer is not None and self.theta.grad is not None:
            self.optimizer.step()
        self.theta.grad = None


class Batch(NamedTuple):
    """A batch of a part's clients.

    Attributes
    ----------
    indices, x
        Windows ``[k, B]``, and their series ``[k, B, T, D]``.
    p
        The clients' pass.
    h
        Activations that they send ``[k, B, ...]``; empty if clients are alone.
    """

    indices: torch.Tensor
    x: torch.Tensor
    p: Pass
    h: torch.Tensor


class Federation:
    """K clients and a server, with a model that is divided among them.

    Parameters
    ----------
    data
        All windows, steps first, and their targets as the loss takes them; tensors on the device.
    seed
        Seed of first weights and of dropout.

    Attributes
    ----------
    sent
        Bytes up and down until now, of all clients together.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        task: Task,
        n_clients: int,
        data: Data,
        learning: Learning,
        seed: int,
        workers: int = 1,
        device: str = "cpu",
    ):
        torch.set_num_threads(1)
        keep_heap()
        self.algorithm, self.learning, self.seed, self.K = algorithm, learning, seed, n_clients
        self.data, self.device = data, device
        self.sent = np.zeros(2)
        n_parts = 1 if device != "cpu" else min(PARTS, n_clients)
        self.parts = [range(p[0], p[-1] + 1) for p in np.array_split(range(n_clients), n_parts)]
        layers = algorithm.client(task, n_clients)
        first = [first_weights(layers, drawn(seed, "client", k)) for k in range(n_clients)]
        self.clients = [
            Side(torch.stack([first[k] for k in part]).to(device), layers, learning)
            for part in self.parts
        ]
        layers = algorithm.server(task, n_clients)
        theta = first_weights(layers, drawn(seed, "server"))[None].to(device)
        self.server = Side(theta, layers, learning)
        self._pool: ThreadPoolExecutor | None = None
        if workers > 1 and n_parts > 1:
            # Each thread of OpenMP's counts its own threads; with several, sums change their order.
            self._pool = ThreadPoolExecutor(
                workers, initializer=torch.set_num_threads, initargs=(1,)
            )

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _each(self, of_part: Callable[[int], T]) -> list[T]:
        """Compute something of each part of the clients, on all threads."""
        numbers = range(len(self.parts))
        if self._pool is None:
            return list(map(of_part, numbers))
        learns = torch.is_grad_enabled()  # of this thread; others have their own

        def on_thread(i: int) -> T:
            with torch.set_grad_enabled(learns):
                return of_part(i)

        return list(self._pool.map(on_thread, numbers))

    def _pass(self, i: int, t: int | None) -> Pass:
        """Make a pass of a part's clients; in step ``t`` it draws dropout."""
        generators, side = None, self.clients[i]
        if t is not None and max(self.learning.dropout) > 0:
            generators = [drawn(self.seed, "dropout", t, k) for k in self.parts[i]]
        inputs, states = self.learning.dropout
        return Pass(side.theta, side.layers, generators, inputs, states, self.learning.rectified)

    def _batch(self, windows: np.ndarray, i: int, t: int | None) -> Batch:
        """Compute what a part's clients send for windows ``[K, B]``."""
        indices = self._indices(windows, i)
        x, p = self.data.X[indices], self._pass(i, t)
        h = x.new_empty(0) if self.algorithm.alone else self.algorithm.up(p, x)
        return Batch(indices, x, p, h)

    def _between(self, h: torch.Tensor) -> torch.Tensor:
        """Compute the server's answers to ``h [K, B, ...]``; empty if clients are alone."""
        if self.algorithm.alone:
            return h
        side, rectified = self.server, self.learning.rectified
        return self.algorithm.between(Pass(side.theta, side.layers, rectified=rectified), h)

    # ---- A step --------------------------------------------------------------------------------

    def gradients(self, windows: np.ndarray, t: int) -> np.ndarray:
        """Compute gradients of the sum of all clients' mean losses ``[K]``, and return these.

        Gradients lie at the sides' ``theta.grad``.

        Parameters
        ----------
        windows
            ``[K, B]``: each client's windows.
        t
            Number of the step, which keys dropout's draws.
        """
        batches = self._each(lambda i: self._batch(windows, i, t))
        if self.learning.one_owner:
            losses = self._joint(batches)
        elif self.algorithm.alone:
            losses = self._each(lambda i: self._descend(batches[i], batches[i].h, batches[i].h))
        else:
            losses = self._divided(batches)
        self._penalise()
        return torch.cat(losses).cpu().numpy()

    def _joint(self, batches: list[Batch]) -> list[torch.Tensor]:
        """Compute losses and gradients of one graph."""
        a = self._between(torch.cat([batch.h for batch in batches]))
        losses = [
            self._losses(batch, batch.h, self._of_part(a, i)) for i, batch in enumerate(batches)
        ]
        torch.autograd.backward(torch.cat(losses).sum())
        return [of_part.detach() for of_part in losses]

    def _divided(self, batches: list[Batch]) -> list[torch.Tensor]:
        """Compute losses and gradients of clients and server, between whom arrays are sent."""
        h = torch.cat([batch.h.detach() for batch in batches]).requires_grad_()
        self._count(UP, h)
        a = self._between(h)
        own = [cut(batch.h) for batch in batches]
        answers = [cut(self._of_part(a, i)) for i in range(len(batches))]
        losses = self._each(lambda i: self._descend(batches[i], own[i], answers[i]))
        self._count(DOWN, a)
        of_answers = torch.cat([_gradient(answer) for answer in answers])
        self._count(UP, of_answers)
        torch.autograd.backward(a, of_answers)
        of_h = _gradient(h)
        self._count(DOWN, of_h)

        def back(i: int) -> None:
            received, itself = self._of_part(of_h, i), own[i].grad
            torch.autograd.backward(batches[i].h, received if itself is None else received + itself)

        self._each(back)
        return losses

    def _descend(self, batch: Batch, h: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        """Return mean losses ``[k]`` of a part's clients, and leave their gradients."""
        losses = self._losses(batch, h, a)
        torch.autograd.backward(losses.sum())
        return losses.detach()

    def _losses(self, batch: Batch, h: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        """Compute mean losses ``[k]`` of a part's clients."""
        z = self.algorithm.down(batch.p, batch.x, h, a)
        return self.learning.loss(z, self.data.targets(batch.indices)).mean(1)

    def step(self, windows: np.ndarray, t: int) -> np.ndarray:
        """Follow the gradients of a batch, and return mean losses ``[K]`` before that."""
        losses = self.gradients(windows, t)
        self._each(lambda i: self.clients[i].step())
        self.server.step()
        return losses

    def _penalise(self) -> None:
        """Add the gradients of the penalty, which involves the clients' own weights alone."""
        names, l2 = self.algorithm.penalised(), self.algorithm.l2
        if not l2 or not names:
            return
        for side in self.clients:
            if side.theta.grad is None:
                continue
            grads = unpack(side.theta.grad, side.layers)
            weights = unpack(side.theta.detach(), side.layers)
            for name in names:
                if name in grads:
                    grads[name].add_(weights[name], alpha=2 * l2)

    # ---- Predictions ---------------------------------------------------------------------------

    @torch.no_grad()
    def outputs(
        self, windows: np.ndarray, sent: bool = True
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Compute outputs ``[K, n, M]`` for windows ``[K, n]``, and the attention in them.

        Attention is ``[K, n, ...]`` by name. ``sent``: whether the bytes of this count.
        """
        outputs, attention = [], []
        for first in range(0, windows.shape[1], BATCH):
            z, of_batch = self._outputs(windows[:, first : first + BATCH], sent)
            outputs.append(z)
            attention.append(of_batch)
        return torch.cat(outputs, 1), _side_by_side(attention, 1)

    def _outputs(
        self, windows: np.ndarray, sent: bool
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Compute what :meth:`outputs` does, for windows of one batch."""
        batches = self._each(lambda i: self._batch(windows, i, None))
        h = torch.cat([batch.h for batch in batches])
        a = self._between(h)
        if sent and not self.algorithm.alone and not self.learning.one_owner:
            self._count(UP, h)
            self._count(DOWN, a)

        def down(i: int) -> torch.Tensor:
            _, x, p, h = batches[i]
            return self.algorithm.down(p, x, h, self._of_part(a, i))

        z = self._each(down)
        return torch.cat(z), _side_by_side([batch.p.attention for batch in batches], 0)

    def losses(self, windows: np.ndarray) -> np.ndarray:
        """Compute mean losses ``[K]`` of windows ``[K, n]``, without dropout."""
        z, _ = self.outputs(windows)
        y = self.data.targets(torch.from_numpy(windows).to(self.device))
        return self.learning.loss(z, y).mean(1).cpu().numpy()

    # ---- Weights -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights of clients ``[K, P]`` and server ``[1, P']``."""
        owners = {"clients": self.clients, "server": [self.server]}
        return {
            name: torch.cat([side.theta.detach() for side in sides]).cpu().numpy()
            for name, sides in owners.items()
        }

    @torch.no_grad()
    def set_weights(self, weights: Mapping[str, np.ndarray]) -> None:
        """Take weights that :meth:`weights` returned."""
        for side, part in zip(self.clients, self.parts):
            side.theta.copy_(torch.from_numpy(weights["clients"][part.start : part.stop]))
        self.server.theta.copy_(torch.from_numpy(weights["server"]))

    def optimizers(self) -> dict[str, np.ndarray]:
        """Return the state of the optimisers, by name."""
        arrays: dict[str, np.ndarray] = {}
        for i, side in enumerate([*self.clients, self.server]):
            if side.optimizer is not None:
                _keep(arrays, f"{i}", _state(side.optimizer))
        return arrays

    def set_optimizers(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take a state that :meth:`optimizers` returned."""
        for i, side in enumerate([*self.clients, self.server]):
            if side.optimizer is not None:
                for name, value in _state(side.optimizer).items():
                    _restore(value, arrays, f"{i}.{name}", self.device)

    # ---- Parts ---------------------------------------------------------------------------------

    def _indices(self, windows: np.ndarray, i: int) -> torch.Tensor:
        """Return a part's windows ``[k, B]`` of all ``[K, B]``."""
        part = self.parts[i]
        return torch.from_numpy(windows[part.start : part.stop]).to(self.device)

    def _of_part(self, a: torch.Tensor, i: int) -> torch.Tensor:
        """Return the rows ``[k, ...]`` of a part of all clients' ``[K, ...]``."""
        return a[self.parts[i].start : self.parts[i].stop]

    def _count(self, way: int, tensor: torch.Tensor) -> None:
        """Count the bytes of a tensor that is sent."""
        self.sent[way] += tensor.numel() * tensor.element_size()


def _side_by_side(parts: list[dict[str, torch.Tensor]], dim: int) -> dict[str, torch.Tensor]:
    """Concatenate tensors by name."""
    names = parts[0] if parts else {}
    return {name: torch.cat([part[name] for part in parts], dim) for name in names}


def drawn(seed: int, what: str, *keys: int) -> torch.Generator:
    """Return torch's generator of one piece of work."""
    first = int(generator(seed, f"split {what}", *keys).integers(2**62))
    return torch.Generator().manual_seed(first)


def cut(h: torch.Tensor) -> torch.Tensor:
    """Return the same numbers as the start of a graph of their own."""
    return h.detach().requires_grad_()


def _gradient(tensor: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a tensor, 0 if nothing was computed from it."""
    return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad


def multiply_adds(algorithm: Algorithm, task: Task, n_clients: int) -> float:
    """Count multiply-adds of a client for one window, including its share of the server's."""
    clients, server = (layers(task, n_clients) for layers in (algorithm.client, algorithm.server))
    client = Pass(torch.zeros(n_clients, count(clients)), clients)
    x = torch.zeros(n_clients, 1, task.steps, task.channels)
    with torch.no_grad():
        if algorithm.alone:
            algorithm.down(client, x, x.new_empty(0), x.new_empty(0))
            return client.multiply_adds
        h, shared = algorithm.up(client, x), Pass(torch.zeros(1, count(server)), server)
        algorithm.down(client, x, h, algorithm.between(shared, h))
    return client.multiply_adds + shared.multiply_adds / n_clients


def _state(optimizer: Optimizer) -> dict[str, list[Any]]:
    """Return lists of tensors that an optimiser keeps beside its weights, by name."""
    return {n: v for n, v in vars(optimizer).items() if isinstance(v, list) and n != "weights"}


def _keep(arrays: dict[str, np.ndarray], name: str, value: Any) -> None:
    """Put tensors of nested lists and mappings into arrays by name; ``None`` is left out."""
    if isinstance(value, torch.Tensor):
        arrays[name] = value.cpu().numpy()
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            _keep(arrays, f"{name}.{key}", part)


def _restore(value: list[Any], arrays: Mapping[str, np.ndarray], name: str, device: str) -> None:
    """Fill nested lists from arrays that :func:`_keep` named."""
    i = 0
    while any(key == f"{name}.{i}" or key.startswith(f"{name}.{i}.") for key in arrays):
        if i == len(value):
            value.append([])
        if f"{name}.{i}" in arrays:
            value[i] = torch.from_numpy(np.array(arrays[f"{name}.{i}"])).to(device)
        else:
            _restore(value[i], arrays, f"{name}.{i}", device)
        i += 1
