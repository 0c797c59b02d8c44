"""Split learning of K tasks: what clients compute, what the server does, and what is sent.

Each client's layers and each server's layers have gradients of their own; between them stand
arrays, as a network would carry them:

    up      h^k        activations of a batch         client -> server
    down    a^k        what the server makes of all   server -> client
    up      dL/da^k                                   client -> server
    down    dL/dh^k                                   server -> client

With one owner of all tasks (``one_owner``) the same layers are one graph, and nothing is sent.

Clients are computed in parts, each of which is one batch of a few clients: how many there are
follows from K alone, so that any number of workers gives the same bits. Workers are threads: in
products of matrices Python's lock is free.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from fedreact.engine.engine import keep_heap
from fedreact.kinds.split.contract import Algorithm
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.models.parts import count
from fedreact.models.passing import Pass, first_weights, unpack
from fedreact.rng import generator
from fedreact.task import Task

PARTS = 4
"""At most so many batches of clients."""

BATCH = 256
"""Windows that are predicted at once."""


class Side:
    """Weights of one or more clients, or of the server, and what trains them.

    Attributes
    ----------
    theta
        ``[k, P]``.
    """

    def __init__(self, theta: torch.Tensor, layers: Any, optimizer: Any, rate: float):
        self.layers = layers
        self.theta = theta.clone().requires_grad_()
        self.optimizer = optimizer([self.theta], rate) if theta.numel() else None
        self.pass_: Pass | None = None

    def step(self) -> None:
        """Follow the gradient."""
        if self.optimizer is not None and self.theta.grad is not None:
            self.optimizer.step()
        self.theta.grad = None


class Federation:
    """K clients and a server, with a model that is divided among them.

    Parameters
    ----------
    X, y
        All windows, steps first, and their targets as the loss takes them; tensors on the device.
    optimizer, rate
        Optimiser and learning rate of clients and server.
    seed
        Seed of first weights and of dropout.
    one_owner
        Whether one has all clients and the server.

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
        X: Any,
        y: torch.Tensor,
        loss: LossOfTasks,
        optimizer: Any,
        rate: float,
        seed: int,
        dropout: tuple[float, float] = (0.0, 0.0),
        rectified: bool = False,
        one_owner: bool = False,
        workers: int = 1,
        device: str = "cpu",
    ):
        torch.set_num_threads(1)
        keep_heap()
        self.algorithm, self.loss, self.seed, self.K = algorithm, loss, seed, n_clients
        self.X, self.y, self.device = X, y, device
        self.dropout, self.rectified, self.one_owner = dropout, rectified, one_owner
        self.sent = np.zeros(2)
        n_parts = 1 if device != "cpu" else min(PARTS, n_clients)
        self.parts = [range(p[0], p[-1] + 1) for p in np.array_split(range(n_clients), n_parts)]
        layers = algorithm.client(task, n_clients)
        first = [first_weights(layers, drawn(seed, "client", k)) for k in range(n_clients)]
        self.clients = [
            Side(torch.stack([first[k] for k in of]).to(device), layers, optimizer, rate)
            for of in self.parts
        ]
        layers = algorithm.server(task, n_clients)
        theta = first_weights(layers, drawn(seed, "server"))[None].to(device)
        self.server = Side(theta, layers, optimizer, rate)
        # Each thread of OpenMP's counts its own threads; with several, sums change their order.
        alone = {"initializer": torch.set_num_threads, "initargs": (1,)}
        several = workers > 1 and n_parts > 1
        self._pool = ThreadPoolExecutor(workers, **alone) if several else None

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _each(self, of_part: Callable[[int], Any]) -> list[Any]:
        """What is found of each part of the clients."""
        numbers = range(len(self.parts))
        if self._pool is None:
            return list(map(of_part, numbers))
        learns = torch.is_grad_enabled()  # of this thread; others have their own

        def one(i):
            with torch.set_grad_enabled(learns):
                return of_part(i)

        return list(self._pool.map(one, numbers))

    def _pass(self, side: Side, of: Sequence[int] | None, t: int | None) -> Pass:
        """A pass of clients in step ``t``, of dropout's draws; of the server ``of`` is ``None``."""
        drops = t is not None and of is not None and max(self.dropout) > 0
        generators = [drawn(self.seed, "dropout", t, k) for k in of] if drops else None
        side.pass_ = Pass(side.theta, side.layers, generators, *self.dropout, self.rectified)
        return side.pass_

    # ---- A step --------------------------------------------------------------------------------

    def gradients(self, at: np.ndarray, t: int) -> np.ndarray:
        """Gradients of the sum of all clients' mean losses ``[K]``, which are returned.

        They lie at the sides' ``theta.grad``.

        Parameters
        ----------
        at
            ``[K, B]``: each client's windows.
        t
            Number of the step, of which dropout's draws are.
        """
        x, y, ups = self._batches(at), [self.y[self._part(at, i)] for i in self._numbers], []
        algorithm = self.algorithm

        def up(i):
            p = self._pass(self.clients[i], self.parts[i], t)
            return None if algorithm.alone else algorithm.up(p, x[i])

        ups = self._each(up)
        a = leaf = None
        if not algorithm.alone:
            h = ups if self.one_owner else [of.detach() for of in ups]
            leaf = torch.cat(h)
            if not self.one_owner:
                leaf.requires_grad_()
                self._count(0, leaf)
            a = algorithm.between(self._pass(self.server, None, t), leaf)
        if self.one_owner:
            losses = [self._loss(i, x, y, ups[i], self._of(a, i)) for i in self._numbers]
            torch.cat(losses).sum().backward()
            self._penalise()
            return torch.cat(losses).detach().cpu().numpy()

        def down(i):
            own = cut(ups[i])
            answer = cut(self._of(a, i))
            losses = self._loss(i, x, y, own, answer)
            losses.sum().backward()
            of_answer = None if answer is None else _gradient(answer)
            return losses.detach(), None if own is None else own.grad, of_answer

        losses, of_own, of_answers = zip(*self._each(down))
        if not algorithm.alone:
            self._count(1, a)
            of_answers = torch.cat(of_answers)
            self._count(0, of_answers)
            a.backward(of_answers)
            of_h = _gradient(leaf)
            self._count(1, of_h)

            def back(i):
                of = self._of(of_h, i)
                ups[i].backward(of if of_own[i] is None else of + of_own[i])

            self._each(back)
        self._penalise()
        return torch.cat(losses).cpu().numpy()

    def step(self, at: np.ndarray, t: int) -> np.ndarray:
        """Follow the gradients of a batch; mean losses ``[K]`` before that."""
        losses = self.gradients(at, t)
        self._each(lambda i: self.clients[i].step())
        self.server.step()
        return losses

    def _loss(self, i, x, y, h, a):
        """Mean losses of a part's clients."""
        z = self.algorithm.down(self.clients[i].pass_, x[i], h, a)
        return self.loss(z, y[i]).mean(1)

    def _penalise(self):
        """Add what the loss has of squares of weights, which is no other side's affair."""
        names, l2 = self.algorithm.penalised(), self.algorithm.l2
        if not l2 or not names:
            return
        for side in self.clients:
            grads = unpack(side.theta.grad, side.layers)
            weights = unpack(side.theta.detach(), side.layers)
            for name in names:
                if name in grads:
                    grads[name].add_(weights[name], alpha=2 * l2)

    # ---- Predictions ---------------------------------------------------------------------------

    @torch.no_grad()
    def outputs(
        self, at: np.ndarray, sent: bool = True
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Outputs ``[K, n, M]`` for windows ``at [K, n]``, and what the model shows of attention.

        The latter is ``[K, n, ...]`` by name. ``sent``: whether what this sends counts.
        """
        found, shown = [], []
        for first in range(0, at.shape[1], BATCH):
            z, seen = self._outputs(at[:, first : first + BATCH], sent)
            found.append(z)
            shown.append(seen)
        names = shown[0] if shown else {}
        return torch.cat(found, 1), {n: torch.cat([of[n] for of in shown], 1) for n in names}

    def _outputs(self, at, sent):
        x, algorithm, a = self._batches(at), self.algorithm, None
        passes = [self._pass(side, of, None) for side, of in zip(self.clients, self.parts)]
        ups = [None] * len(passes)
        if not algorithm.alone:
            ups = self._each(lambda i: algorithm.up(passes[i], x[i]))
            h = torch.cat(ups)
            a = algorithm.between(self._pass(self.server, None, None), h)
            if sent and not self.one_owner:
                self._count(0, h)
                self._count(1, a)
        z = self._each(lambda i: algorithm.down(passes[i], x[i], ups[i], self._of(a, i)))
        names = passes[0].attention
        seen = {n: torch.cat([p.attention[n] for p in passes]) for n in names}
        return torch.cat(z), seen

    def losses(self, at: np.ndarray) -> np.ndarray:
        """Mean losses ``[K]`` of windows ``at [K, n]``, without dropout."""
        z, _ = self.outputs(at)
        y = self.y[torch.from_numpy(at).to(self.device)]
        return self.loss(z, y).mean(1).cpu().numpy()

    # ---- Weights -------------------------------------------------------------------------------

    def weights(self) -> dict[str, np.ndarray]:
        """Weights of clients ``[K, P]`` and server ``[1, P']``."""
        sides = {"clients": self.clients, "server": [self.server]}
        return {
            name: torch.cat([side.theta.detach() for side in of]).cpu().numpy()
            for name, of in sides.items()
        }

    @torch.no_grad()
    def set_weights(self, given: dict[str, np.ndarray]) -> None:
        """Take weights that :meth:`weights` gave."""
        for side, of in zip(self.clients, self.parts):
            side.theta.copy_(torch.from_numpy(given["clients"][of.start : of.stop]))
        self.server.theta.copy_(torch.from_numpy(given["server"]))

    def optimizers(self) -> dict[str, np.ndarray]:
        """What the optimisers keep from step to step, by name."""
        found = {}
        for i, side in enumerate([*self.clients, self.server]):
            if side.optimizer is not None:
                _keep(found, f"{i}", _state(side.optimizer))
        return found

    def set_optimizers(self, given: dict[str, np.ndarray]) -> None:
        """Take what :meth:`optimizers` gave."""
        for i, side in enumerate([*self.clients, self.server]):
            if side.optimizer is not None:
                for name, value in _state(side.optimizer).items():
                    _restore(value, given, f"{i}.{name}", side.theta)

    # ---- Parts ---------------------------------------------------------------------------------

    @property
    def _numbers(self):
        return range(len(self.parts))

    def _part(self, at, i):
        of = self.parts[i]
        return torch.from_numpy(at[of.start : of.stop]).to(self.device)

    def _batches(self, at):
        """Windows ``[k, B, T, D]`` of each part."""
        return self._each(lambda i: self.X[self._part(at, i)])

    def _of(self, a, i):
        """What of all clients' is a part's."""
        return None if a is None else a[self.parts[i].start : self.parts[i].stop]

    def _count(self, way, what):
        self.sent[way] += what.numel() * what.element_size()


def drawn(seed: int, what: str, *keys: int) -> torch.Generator:
    """A generator of torch's, of one piece of work."""
    first = int(generator(seed, f"split {what}", *keys).integers(2**62))
    return torch.Generator().manual_seed(first)


def cut(h: torch.Tensor | None) -> torch.Tensor | None:
    """The same numbers, from where on gradients are another's affair."""
    return None if h is None else h.detach().requires_grad_()


def _gradient(of: torch.Tensor) -> torch.Tensor:
    """Its gradient, 0 where nothing was made of it."""
    return torch.zeros_like(of) if of.grad is None else of.grad


def multiply_adds(algorithm: Algorithm, task: Task, n_clients: int) -> float:
    """Multiply-adds of a client for one window, its share of the server's among them."""
    clients, server = (f(task, n_clients) for f in (algorithm.client, algorithm.server))
    one = Pass(torch.zeros(n_clients, count(clients)), clients)
    x = torch.zeros(n_clients, 1, task.steps, task.channels)
    with torch.no_grad():
        if algorithm.alone:
            algorithm.down(one, x, None, None)
            return one.multiply_adds
        h, other = algorithm.up(one, x), Pass(torch.zeros(1, count(server)), server)
        algorithm.down(one, x, h, algorithm.between(other, h))
    return one.multiply_adds + other.multiply_adds / n_clients


def _state(optimizer):
    """Lists of tensors that an optimiser keeps beside its weights, by name."""
    return {n: v for n, v in vars(optimizer).items() if isinstance(v, list) and n != "weights"}


def _keep(found, name, value):
    """Put tensors of nested lists and mappings into arrays by name; ``None`` is left out."""
    if isinstance(value, torch.Tensor):
        found[name] = value.cpu().numpy()
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            _keep(found, f"{name}.{key}", one)


def _restore(value, given, name, like):
    """Fill nested lists again with what :func:`_keep` found."""
    at = 0
    while any(key == f"{name}.{at}" or key.startswith(f"{name}.{at}.") for key in given):
        if at == len(value):
            value.append([])
        if f"{name}.{at}" in given:
            value[at] = torch.from_numpy(np.array(given[f"{name}.{at}"])).to(like.device)
        else:
            _restore(value[at], given, f"{name}.{at}", like)
        at += 1
