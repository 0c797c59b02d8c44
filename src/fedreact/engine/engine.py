"""The engine: runs the local work of clients, on CPU workers or on one device.

The two ways do the same work:

* :class:`Workers` (CPU): one single-threaded process a core, the clients spread over them, since
  for models this small processes beat threads.
* :class:`Stacked` (GPU, or a single core): the weights of several clients as one stacked tensor,
  trained together.

On a GPU all clients of a round are stacked; on a core as many as the training says, which pays
where steps are mostly calls of small kernels (``python benchmarks/stacked.py``).

A client's update depends on what it is sent, what it keeps, its data and the generator keyed by
(seed, round, client) alone, up to rounding, which depends on the clients that it is stacked with.
These follow from the job, so neither the number of workers nor the order of work changes a bit.
"""

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Generic, Literal, Protocol, Self, TypeVar

import numpy as np
import torch
import torch.multiprocessing

from fedreact.data.windows import Windows
from fedreact.engine.local_training import LocalTraining, OnStep, Work
from fedreact.engine.predicting import Request, predict
from fedreact.errors import UserError
from fedreact.losses.objective import Data, Objective
from fedreact.rng import generator

Arrays = dict[str, np.ndarray]
Tensors = dict[str, torch.Tensor]


class LocalAlgorithm(Protocol):
    """What of an algorithm runs at clients (:mod:`fedreact.kinds.synchronous.contract`)."""

    def local(
        self, training: LocalTraining, sent: Tensors, state: Tensors, work: Work
    ) -> tuple[Tensors, Tensors]:
        """Train K clients; return their uploads and what they keep, each ``[K, ...]``."""

    def adapt(self, objective: Objective, state: Tensors, x: torch.Tensor) -> torch.Tensor:
        """Compute outputs ``[n, c]`` for a client's unlabelled test series."""


A = TypeVar("A", bound=LocalAlgorithm, covariant=True)

OnProgress = Callable[[int, float], None]
"""Called with the local steps done in this round and their mean loss."""

share_memory: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.share_memory_
"""Moves a tensor into memory that all processes see; torch leaves it without types."""


def ignore_progress(steps: int, loss: float) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class TrainingJob(Generic[A]):
    """The work of a federation's clients in every round, with the data of all of them.

    Attributes
    ----------
    training, algorithm
        How a client trains, and in which federated algorithm.
    X, y
        ``float32 [N, T, channels]``, all series (time before channels), and targets ``[N]`` or
        ``[N, M]``.
    clients
        K integer arrays, the series of each client.
    seed
        Seed of the generators, keyed by (seed, purpose, round, client).
    per_round
        Clients that take part in a round, drawn anew in each; ``None``: all.
    members
        Clients that ever take part, sorted; ``None``: all.
    """

    training: LocalTraining
    algorithm: A
    X: np.ndarray | Windows
    clients: list[np.ndarray]
    seed: int
    y: np.ndarray | None = None
    per_round: int | None = None
    members: np.ndarray | None = None

    @property
    def n_members(self) -> int:
        """Number of clients that ever take part."""
        return len(self.clients) if self.members is None else len(self.members)

    @property
    def sizes(self) -> list[int]:
        """Train samples of each member."""
        members = range(len(self.clients)) if self.members is None else self.members
        return [len(self.clients[k]) for k in members]

    @property
    def share(self) -> float:
        """Share of the members that take part in a round."""
        M = self.n_members
        return 1.0 if self.per_round is None else min(self.per_round, M) / M

    def participants(self, t: int) -> np.ndarray | None:
        """Draw the clients that take part in round t, in order; ``None``: all."""
        M = self.n_members
        if self.per_round is None or self.per_round >= M:
            return self.members
        rng = generator(self.seed, "participants", t)
        drawn = np.sort(rng.choice(M, self.per_round, replace=False))
        return drawn if self.members is None else self.members[drawn]

    def work(
        self,
        data: Data,
        clients: Sequence[int],
        samples: Iterable[np.ndarray],
        t: int,
        on_step: OnStep,
    ) -> Work:
        """Make the work of some clients in round t, on these samples of theirs."""

        def generators(purpose: str) -> list[np.random.Generator]:
            return [generator(self.seed, purpose, t, k) for k in clients]

        return Work(data, list(samples), generators, on_step)

    def data(self, place: Callable[[torch.Tensor], torch.Tensor]) -> Data:
        """Return series and targets as tensors; ``place`` moves each to its device."""
        y = None if self.y is None else place(torch.from_numpy(self.y))
        if isinstance(self.X, Windows):
            return Data(self.X.tensors(place), y)
        return Data(place(torch.from_numpy(self.X)), y)


def parts(n: int, most: int) -> list[slice]:
    """Split n clients into as few parts as have at most ``most`` each, of about equal size."""
    number = ceil(n / most)
    ends = [i * n // number for i in range(number + 1)]
    return [slice(start, stop) for start, stop in pairwise(ends)]


class Stacked:
    """Clients as batches on one device, at most ``most`` of them at a time (all)."""

    def __init__(self, job: TrainingJob[LocalAlgorithm], device: str, most: int | None = None):
        self.job, self.device, self.most = job, device, most
        self.data = job.data(lambda tensor: tensor.to(device))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def round(
        self,
        sent: Arrays,
        state: Arrays,
        t: int,
        on_progress: OnProgress = ignore_progress,
        clients: Sequence[int] | None = None,
        samples: Sequence[np.ndarray] | None = None,
    ) -> tuple[Arrays, Arrays]:
        """Return the uploads of some clients and what they keep after local training.

        Parameters
        ----------
        sent
            What clients receive; ``theta`` is ``[P]``, or ``[n, P]`` where each starts from its
            own, everything else is the same for all.
        state
            What the clients keep, each ``[n, ...]``.
        t
            The round, which keys the generators.
        clients
            The n clients; all, if they are not given.
        samples
            Series of each of them, where they are others than at the start: data arrives.
        """
        clients = range(len(self.job.clients)) if clients is None else clients
        samples = [self.job.clients[k] for k in clients] if samples is None else samples
        total, done, calls = torch.zeros((), device=self.device), 0, 0

        def on_step(losses: torch.Tensor) -> None:
            nonlocal total, done, calls
            total, done, calls = total + losses.sum(), done + len(losses), calls + 1
            # Reading the loss waits for the device: only now and then.
            if calls % 50 == 0:
                on_progress(done, float(total) / done)

        n = len(clients)
        uploads: list[Arrays] = []
        states: list[Arrays] = []
        for part in parts(n, self.most) if self.most else [slice(n)]:
            received = self._tensors(sent | _own_weights(sent, part))
            own = self._tensors({name: values[part] for name, values in state.items()})
            work = self.job.work(self.data, clients[part], samples[part], t, on_step)
            trained = self.job.algorithm.local(self.job.training, received, own, work)
            uploads.append(_arrays(trained[0]))
            states.append(_arrays(trained[1]))
        on_progress(done, float(total) / max(done, 1))
        return _concatenated(uploads), _concatenated(states)

    def submit(
        self,
        sent: Arrays,
        state: Arrays,
        clients: Sequence[int],
        rounds: Sequence[int],
        samples: Sequence[np.ndarray],
    ) -> Callable[[], tuple[Arrays, Arrays]]:
        """Begin to train some clients; what it returns waits for their uploads and new states.

        As :meth:`round`, but that each client is in a round of its own, which keys its generators,
        and that several such trainings may be under way, of other clients each. Here they are done
        at once.
        """
        trained = [
            self.round(sent, _row(state, i), t, clients=[k], samples=[samples[i]])
            for i, (k, t) in enumerate(zip(clients, rounds))
        ]
        uploads, states = zip(*trained)
        return lambda: (_concatenated(uploads), _concatenated(states))

    def predict(self, requests: Sequence[Request]) -> list[np.ndarray]:
        """Compute outputs for test series; see :func:`fedreact.engine.predicting.predict`."""
        return [predict(self.job, self.data, request, self.device) for request in requests]

    def _tensors(self, arrays: Arrays) -> dict[str, torch.Tensor]:
        return {n: torch.from_numpy(values).to(self.device) for n, values in arrays.items()}


def _own_weights(sent: Arrays, part: slice) -> Arrays:
    """Weights of some clients, if each is sent its own."""
    return {"theta": sent["theta"][part]} if sent["theta"].ndim == 2 else {}


def _row(state: Arrays, i: int) -> Arrays:
    """What client i keeps, each ``[1, ...]``."""
    return {name: values[i : i + 1] for name, values in state.items()}


def _arrays(tensors: Mapping[str, torch.Tensor]) -> Arrays:
    return {name: values.cpu().numpy() for name, values in tensors.items()}


@dataclass(frozen=True)
class _Share:
    """The part of a round that one process does.

    Attributes
    ----------
    start
        Start of each client: the weights of ``all``, ``[P]``; its ``own``, ``[P]``; or, of a single
        client, those that it alone was sent now, which are in its ``slot``.
    received, state
        Arrays that the clients receive besides weights, and those that they keep.
    t, clients
        The round, and the clients.
    samples
        Series of each of them; ``None``: those of the start.
    """

    start: Literal["all", "own", "slot"]
    received: Arrays
    state: Arrays
    t: int
    clients: list[int]
    samples: Sequence[np.ndarray] | None


@dataclass(frozen=True)
class _Pool:
    """Processes, and the memory that they share with this one.

    Attributes
    ----------
    progress
        ``[K, 2]``: each client's steps done in this round and the sum of their losses.
    theta, weights
        ``[P]``, weights that all clients are sent; ``[K, P]``, those of each.
    """

    executor: ProcessPoolExecutor
    progress: torch.Tensor
    theta: torch.Tensor
    weights: torch.Tensor


class Workers:
    """Clients spread over ``n`` single-threaded processes.

    Use as a context manager: the processes live as long as the block.
    """

    def __init__(self, job: TrainingJob[LocalAlgorithm], n: int):
        self.job, self.n = job, min(n, len(job.clients))
        self._pool: _Pool | None = None

    def __enter__(self) -> Self:
        self._pool = None
        return self

    def _started(self, n_weights: int) -> _Pool:
        """Start the processes, unless they run, with shared memory for what all rounds exchange."""
        if self._pool is not None:
            return self._pool
        K = len(self.job.clients)
        progress = share_memory(torch.zeros(K, 2, dtype=torch.float64))
        method = _start_method()
        # A fork reads the series where they are.
        data = self.job.data(lambda tensor: tensor if method == "fork" else share_memory(tensor))
        # Through pipes, the weights of 100 clients take most of a round without steps.
        theta = share_memory(torch.zeros(n_weights))
        weights = share_memory(torch.zeros(K, n_weights))
        context = torch.multiprocessing.get_context(method)
        context.set_forkserver_preload(["fedreact.engine.engine"])
        executor = ProcessPoolExecutor(
            self.n,
            mp_context=context,
            initializer=_start_worker,
            initargs=(replace(self.job, X=np.zeros(0), y=None), data, progress, theta, weights),
        )
        self._pool = _Pool(executor, progress, theta, weights)
        return self._pool

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.executor.shutdown(cancel_futures=True)

    def round(
        self,
        sent: Arrays,
        state: Arrays,
        t: int,
        on_progress: OnProgress = ignore_progress,
        clients: Sequence[int] | None = None,
        samples: Sequence[np.ndarray] | None = None,
    ) -> tuple[Arrays, Arrays]:
        """Do as :meth:`Stacked.round`; the next round overwrites uploaded weights."""
        clients = list(range(len(self.job.clients)) if clients is None else clients)
        theta, received = sent["theta"], _without_theta(sent)
        own = theta.ndim == 2
        pool = self._started(theta.shape[-1])
        pool.progress.zero_()
        if own:  # where its upload will be
            pool.weights[clients] = torch.from_numpy(theta)
        else:
            pool.theta.copy_(torch.from_numpy(theta))
        try:
            futures = [
                pool.executor.submit(
                    _train,
                    _Share(
                        start="own" if own else "all",
                        received=received,
                        state={name: values[part] for name, values in state.items()},
                        t=t,
                        clients=clients[part],
                        samples=None if samples is None else samples[part],
                    ),
                )
                for part in parts(len(clients), self.job.training.stacked)
            ]
            pending = set(futures)
            while pending:
                _, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                done, total = pool.progress.sum(0).tolist()
                on_progress(int(done), total / max(done, 1))
            uploads, states = _results(futures)
        except BrokenProcessPool as error:
            raise _ended(f"in round {t}") from error
        weights = pool.weights.numpy()
        everyone = clients == list(range(len(weights)))
        return {"theta": weights if everyone else weights[clients], **uploads}, states

    def submit(
        self,
        sent: Arrays,
        state: Arrays,
        clients: Sequence[int],
        rounds: Sequence[int],
        samples: Sequence[np.ndarray],
    ) -> Callable[[], tuple[Arrays, Arrays]]:
        """Do as :meth:`Stacked.submit`, in the processes, while this one goes on."""
        clients = list(clients)
        theta, received = sent["theta"], _without_theta(sent)
        pool = self._started(theta.shape[-1])
        weights = pool.weights.numpy()  # whose rows are copied several times as fast as torch's
        weights[clients] = theta
        futures = [
            pool.executor.submit(
                _train,
                _Share(
                    start="slot",
                    received=received,
                    state=_row(state, i),
                    t=t,
                    clients=[k],
                    samples=[samples[i]],
                ),
            )
            for i, (k, t) in enumerate(zip(clients, rounds))
        ]

        def wait_for() -> tuple[Arrays, Arrays]:
            try:
                uploads, states = _results(futures)
            except BrokenProcessPool as error:
                raise _ended("in training") from error
            return {"theta": weights[clients], **uploads}, states

        return wait_for

    def predict(self, requests: Sequence[Request]) -> list[np.ndarray]:
        """Do as :meth:`Stacked.predict`."""
        try:
            pool = self._started(requests[0].theta.size)
            return list(pool.executor.map(_predict, requests))
        except BrokenProcessPool as error:
            raise _ended("in testing") from error


def _results(futures: Iterable[Future[tuple[Arrays, Arrays]]]) -> tuple[Arrays, Arrays]:
    """Wait for parts of the clients, and put their uploads and what they keep together."""
    uploads, states = zip(*[future.result() for future in futures])
    return _concatenated(uploads), _concatenated(states)


def _ended(when: str) -> UserError:
    return UserError(
        f"a training process ended unexpectedly {when} (out of memory?); run again with fewer "
        "cores: finished rounds are kept"
    )


def _without_theta(sent: Arrays) -> Arrays:
    return {name: values for name, values in sent.items() if name != "theta"}


def _concatenated(parts: Sequence[Arrays]) -> Arrays:
    """Put arrays of parts of the clients together."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _start_method() -> Literal["fork", "forkserver"]:
    """Fork, as torch's loaders do, where that is safe: it takes no time, loading torch two seconds.

    Not where torch has a GPU, since its threads of gradients do not survive it.
    """
    return "fork" if sys.platform == "linux" and not torch.cuda.is_available() else "forkserver"


@dataclass(frozen=True)
class _Worker:
    """The job, its data, and memory shared with the main process, in a process of a pool.

    ``progress`` is an array, since to note a step in a tensor takes ten times as long.
    """

    job: TrainingJob[LocalAlgorithm]
    data: Data
    progress: np.ndarray
    theta: torch.Tensor
    weights: torch.Tensor

    def train(self, share: _Share) -> tuple[Arrays, Arrays]:
        """Train some clients; weights go into shared memory, everything else is returned."""
        clients = share.clients

        def on_step(losses: torch.Tensor) -> None:
            self.progress[clients[0], 0] += len(losses)
            self.progress[clients[0], 1] += float(losses.sum())

        samples = share.samples
        if samples is None:
            samples = [self.job.clients[k] for k in clients]
        work = self.job.work(self.data, clients, samples, share.t, on_step)
        received = {name: torch.from_numpy(values) for name, values in share.received.items()}
        state = {name: torch.from_numpy(values) for name, values in share.state.items()}
        received["theta"] = self._start_weights(share)
        uploads, state = self.job.algorithm.local(self.job.training, received, state, work)
        self.weights[clients] = uploads.pop("theta")
        return _arrays(uploads), _arrays(state)

    def _start_weights(self, share: _Share) -> torch.Tensor:
        if share.start == "all":
            return self.theta
        if share.start == "own":
            return self.weights[share.clients]
        return self.weights[share.clients[0]].clone()


_workers: list[_Worker] = []
"""In a process of :class:`Workers`, what it trains with; elsewhere empty."""


def _start_worker(
    job: TrainingJob[LocalAlgorithm],
    data: Data,
    progress: torch.Tensor,
    theta: torch.Tensor,
    weights: torch.Tensor,
) -> None:
    _workers[:] = [_Worker(job, data, progress.numpy(), theta, weights)]
    torch.set_num_threads(1)
    keep_heap()
    # If the main process is killed, nobody waits for this one: end with it.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = torch.multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _train(share: _Share) -> tuple[Arrays, Arrays]:
    return _workers[0].train(share)


def _predict(request: Request) -> np.ndarray:
    return predict(_workers[0].job, _workers[0].data, request, "cpu")


def keep_heap() -> None:
    """Let glibc keep freed memory instead of handing it back after each tensor.

    Activations are of a size that glibc maps and unmaps anew for each one; the page faults cost
    about an eighth of a training step.
    """
    if sys.platform == "linux":
        m_trim_threshold, m_mmap_threshold, limit = -1, -3, 32 * 2**20
        with contextlib.suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.mallopt(m_mmap_threshold, limit)
            libc.mallopt(m_trim_threshold, 2**31 - 1)


def resolve_device(device: str) -> str:
    """Return what ``auto`` is on this machine: ``cuda`` if torch sees a GPU, else ``cpu``.

    Raises
    ------
    UserError
        ``cuda`` is asked for and torch sees no GPU.
    """
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("device: cuda was asked for, but torch sees no GPU; set device: cpu")
    return device


Engine = Workers | Stacked


def open_engine(job: TrainingJob[LocalAlgorithm], device: str, workers: int) -> Engine:
    """Choose the engine: workers on the ``cpu``, stacked clients on ``cuda``.

    A single worker is this process: short work ends before a process has started.
    """
    if device == "cpu" and workers == 1:
        keep_heap()
        return Stacked(job, device, job.training.stacked)
    return Workers(job, workers) if device == "cpu" else Stacked(job, device)
