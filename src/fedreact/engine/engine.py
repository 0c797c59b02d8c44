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
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any, Protocol

import numpy as np
import torch
import torch.multiprocessing

from fedreact.data.windows import Windows
from fedreact.engine.local_training import LocalTraining, OnStep, Work
from fedreact.engine.predicting import Request, predict
from fedreact.errors import UserError
from fedreact.losses.objective import Data
from fedreact.rng import generator

Arrays = dict[str, np.ndarray]

Progress = Callable[[int, float], None]
"""Called with the local steps done in this round and their mean loss."""


class ClientHalf(Protocol):
    """What the engine runs of an algorithm."""

    def local(
        self, training: LocalTraining, sent: dict, state: dict, work: Work
    ) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        """Uploads and what clients keep, each ``[K, ...]``, given what they are sent and kept."""


@dataclass(frozen=True)
class Job:
    """What the clients of a federation do in every round, with the data of all of them.

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
    """

    training: LocalTraining
    algorithm: ClientHalf
    X: np.ndarray | Windows
    clients: list[np.ndarray]
    seed: int
    y: np.ndarray | None = None
    per_round: int | None = None

    @property
    def share(self) -> float:
        """Of the clients, that take part in a round."""
        K = len(self.clients)
        return 1.0 if self.per_round is None else min(self.per_round, K) / K

    def participants(self, t: int) -> np.ndarray | None:
        """Clients that take part in round t, in order; ``None``: all."""
        K = len(self.clients)
        if self.per_round is None or self.per_round >= K:
            return None
        rng = generator(self.seed, "participants", t)
        return np.sort(rng.choice(K, self.per_round, replace=False))

    def work(self, data: Data, which: Sequence[int], samples: Any, t: int, on_step: OnStep) -> Work:
        """Work of some clients in round t, on these samples of theirs."""

        def generators(purpose):
            return [generator(self.seed, purpose, t, k) for k in which]

        return Work(data, list(samples), generators, on_step)

    def data(self, place: Callable[[torch.Tensor], torch.Tensor]) -> Data:
        """Series and targets as tensors; ``place`` puts each where it is wanted."""
        if isinstance(self.X, Windows):
            X = self.X.tensors(place)
        else:
            X = place(torch.from_numpy(self.X))
        return Data(X, None if self.y is None else place(torch.from_numpy(self.y)))


def parts(n: int, most: int) -> list[slice]:
    """Parts of n clients, as few as have at most so many each, and about as large."""
    number = ceil(n / most)
    ends = [i * n // number for i in range(number + 1)]
    return [slice(*of) for of in pairwise(ends)]


class Stacked:
    """Clients as batches on one device, at most ``most`` of them at a time (all)."""

    def __init__(self, job: Job, device: str, most: int | None = None):
        self.job, self.device, self.most = job, device, most
        self.data = job.data(lambda tensor: tensor.to(device))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def round(
        self,
        sent: Arrays,
        state: Arrays,
        t: int,
        on_progress: Progress = lambda done, loss: None,
        which: Sequence[int] | None = None,
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
        which
            The n clients; all, if it is not given.
        samples
            Series of each of them, where they are others than at the start: data arrives.
        """
        which = range(len(self.job.clients)) if which is None else which
        samples = [self.job.clients[k] for k in which] if samples is None else samples
        total, done, calls = torch.zeros((), device=self.device), 0, 0

        def on_step(losses):
            nonlocal total, done, calls
            total, done, calls = total + losses.sum(), done + len(losses), calls + 1
            # Reading the loss waits for the device: only now and then.
            if calls % 50 == 0:
                on_progress(done, float(total) / done)

        n, found = len(which), []
        for part in parts(n, self.most) if self.most else [slice(n)]:
            given = self._tensors(sent | _own(sent, part))
            own = self._tensors({name: kept[part] for name, kept in state.items()})
            work = self.job.work(self.data, which[part], samples[part], t, on_step)
            done_by = self.job.algorithm.local(self.job.training, given, own, work)
            found.append([{n: v.cpu().numpy() for n, v in of.items()} for of in done_by])
        on_progress(done, float(total) / max(done, 1))
        uploads, states = zip(*found)
        return _concatenated(uploads), _concatenated(states)

    def submit(
        self,
        sent: Arrays,
        state: Arrays,
        which: Sequence[int],
        rounds: Sequence[int],
        samples: Sequence[np.ndarray],
    ) -> Callable[[], tuple[Arrays, Arrays]]:
        """Begin to train some clients; what it returns waits for their uploads and new states.

        As :meth:`round`, but that each client is in a round of its own, which keys its generators,
        and that several such trainings may be under way, of other clients each. Here they are done
        at once.
        """
        done = []
        for i, (k, t) in enumerate(zip(which, rounds)):
            kept = {name: of[i : i + 1] for name, of in state.items()}
            done.append(self.round(sent, kept, t, which=[k], samples=[samples[i]]))
        uploads, states = zip(*done)
        return lambda: (_concatenated(uploads), _concatenated(states))

    def predict(self, requests: Sequence[Request]) -> list[np.ndarray]:
        """Outputs for test series; see :func:`fedreact.engine.predicting.predict`."""
        return [predict(self.job, self.data, request, self.device) for request in requests]

    def _tensors(self, arrays):
        return {n: torch.from_numpy(values).to(self.device) for n, values in arrays.items()}


def _own(sent, part):
    """Of weights that each client has of its own, those of some."""
    return {"theta": sent["theta"][part]} if sent["theta"].ndim == 2 else {}


class Workers:
    """Clients spread over ``n`` single-threaded processes.

    Use as a context manager: the processes live as long as the block.
    """

    def __init__(self, job: Job, n: int):
        self.job, self.n = job, min(n, len(job.clients))

    def __enter__(self):
        self._pool = None
        return self

    def _start(self, n_weights: int):
        """Start the processes, with shared memory for what all rounds send and get back."""
        # [K, 2]: each client's steps done in this round and the sum of their losses.
        K = len(self.job.clients)
        self._progress = torch.zeros(K, 2, dtype=torch.float64).share_memory_()
        way = _way_to_start()
        # A fork reads the series where they are.
        data = self.job.data(lambda tensor: tensor if way == "fork" else tensor.share_memory_())
        # Through pipes, the weights of 100 clients take most of a round without steps.
        self._theta = torch.zeros(n_weights).share_memory_()
        self._weights = torch.zeros(K, n_weights).share_memory_()
        context = torch.multiprocessing.get_context(way)
        context.set_forkserver_preload(["fedreact.engine.engine"])
        job = replace(self.job, X=None, y=None)
        self._pool = ProcessPoolExecutor(
            self.n,
            mp_context=context,
            initializer=_start_worker,
            initargs=(job, data, self._progress, self._theta, self._weights),
        )

    def __exit__(self, *_):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def round(
        self,
        sent: Arrays,
        state: Arrays,
        t: int,
        on_progress: Progress = lambda done, loss: None,
        which: Sequence[int] | None = None,
        samples: Sequence[np.ndarray] | None = None,
    ) -> tuple[Arrays, Arrays]:
        """As :meth:`Stacked.round`; uploaded weights are shared memory that the next overwrites."""
        which = list(range(len(self.job.clients)) if which is None else which)
        theta, rest = sent["theta"], {n: v for n, v in sent.items() if n != "theta"}
        start = "own" if theta.ndim == 2 else "all"
        if self._pool is None:
            self._start(theta.shape[-1])
        self._progress.zero_()
        if start == "own":  # where its upload will be
            self._weights[which] = torch.from_numpy(theta)
        else:
            self._theta.copy_(torch.from_numpy(theta))
        try:
            futures = [
                self._pool.submit(
                    _train,
                    *(start, rest, {n: kept[part] for n, kept in state.items()}),
                    *(None if samples is None else samples[part], t, which[part]),
                )
                for part in parts(len(which), self.job.training.stacked)
            ]
            pending = set(futures)
            while pending:
                _, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                done, total = self._progress.sum(0).tolist()
                on_progress(int(done), total / max(done, 1))
            uploads, states = zip(*[future.result() for future in futures])
        except BrokenProcessPool as error:
            raise self._ended(f"in round {t}") from error
        weights = self._weights.numpy()
        everyone = which == list(range(len(weights)))
        return {
            "theta": weights if everyone else weights[which],
            **_concatenated(uploads),
        }, _concatenated(states)

    def submit(
        self,
        sent: Arrays,
        state: Arrays,
        which: Sequence[int],
        rounds: Sequence[int],
        samples: Sequence[np.ndarray],
    ) -> Callable[[], tuple[Arrays, Arrays]]:
        """As :meth:`Stacked.submit`, in the processes, while this one goes on."""
        which = list(which)
        theta, rest = sent["theta"], {n: v for n, v in sent.items() if n != "theta"}
        if self._pool is None:
            self._start(theta.shape[-1])
        weights = self._weights.numpy()  # whose rows are copied several times as fast as torch's
        weights[which] = theta
        futures = [
            self._pool.submit(
                _train,
                *("slot", rest, {n: kept[i : i + 1] for n, kept in state.items()}),
                *([samples[i]], t, [k]),
            )
            for i, (k, t) in enumerate(zip(which, rounds))
        ]

        def wait_for():
            try:
                uploads, states = zip(*[future.result() for future in futures])
            except BrokenProcessPool as error:
                raise self._ended("in training") from error
            return {"theta": weights[which], **_concatenated(uploads)}, _concatenated(states)

        return wait_for

    def predict(self, requests: Sequence[Request]) -> list[np.ndarray]:
        """As :meth:`Stacked.predict`."""
        if self._pool is None:
            self._start(requests[0].theta.size)
        try:
            return list(self._pool.map(_predict, requests))
        except BrokenProcessPool as error:
            raise self._ended("in testing") from error

    def _ended(self, when):
        return UserError(
            f"a training process ended unexpectedly {when} (out of memory?); run again with fewer "
            "cores: finished rounds are kept"
        )


def _concatenated(parts):
    """Put arrays of parts of the clients together."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


_worker = None


def _way_to_start():
    """Fork, as torch's loaders do, where that is safe: it takes no time, loading torch two seconds.

    Not where torch has a GPU, since its threads of gradients do not survive it.
    """
    return "fork" if sys.platform == "linux" and not torch.cuda.is_available() else "forkserver"


def _start_worker(job, data, progress, *weights):
    global _worker
    # Through NumPy, to note a step takes a tenth of the time.
    _worker = (job, data, progress.numpy(), *weights)
    torch.set_num_threads(1)
    keep_heap()
    # If the main process is killed, nobody waits for this one: end with it.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    torch.multiprocessing.parent_process().join()
    os._exit(1)


def _train(start, rest, state, samples, t, which):
    """Train some clients; weights go into shared memory, everything else is returned.

    They start from the weights of ``all``, ``[P]``; each from its ``own``, ``[P]``; or one from
    those that it alone was sent now, which are in its ``slot``.
    """
    job, data, progress, theta, weights = _worker

    def on_step(losses):
        progress[which[0], 0] += len(losses)
        progress[which[0], 1] += float(losses.sum())

    sent, kept = ({n: torch.from_numpy(v) for n, v in given.items()} for given in (rest, state))
    if start == "all":
        sent["theta"] = theta
    else:
        sent["theta"] = weights[which] if start == "own" else weights[which[0]].clone()
    samples = [job.clients[k] for k in which] if samples is None else samples
    work = job.work(data, which, samples, t, on_step)
    uploads, kept = job.algorithm.local(job.training, sent, kept, work)
    weights[which] = uploads.pop("theta")
    return tuple({n: value.numpy() for n, value in part.items()} for part in (uploads, kept))


def _predict(request):
    job, data, *_ = _worker
    return predict(job, data, request, "cpu")


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
    """Say what ``auto`` is on this machine: ``cuda`` if torch sees a GPU, else ``cpu``.

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


def open_engine(job: Job, device: str, workers: int) -> Workers | Stacked:
    """Choose the engine: workers on the ``cpu``, stacked clients on ``cuda``.

    A single worker is this process: short work ends before a process has started.
    """
    if device == "cpu" and workers == 1:
        keep_heap()
        return Stacked(job, device, job.training.stacked)
    return Workers(job, workers) if device == "cpu" else Stacked(job, device)
