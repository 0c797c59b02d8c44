"""The engine: runs the local updates of all clients of a round, on CPU workers or on one device.

The two ways do the same work:

* :class:`Workers` (CPU): one single-threaded process a core, the clients spread over them. For
  models this small, processes beat threads, and stacking clients gains nothing on a CPU.
* :class:`Stacked` (GPU, or a single core): the weights of several clients as one stacked tensor,
  trained together; of one client on a single core.

A client's update depends on its weights, its data and the generator keyed by (seed, round,
client) alone, so neither the number of workers nor the order of work changes a bit of it.
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

import numpy as np
import torch
import torch.multiprocessing

from fedreact.errors import UserError
from fedreact.federated.local import Algorithm, LocalTraining, OnStep, Work
from fedreact.losses import Data
from fedreact.rng import generator

Progress = Callable[[int, float], None]
"""Called with the local steps done in this round and their mean loss."""


@dataclass(frozen=True)
class Job:
    """What the clients of a federation do in every round, with the data of all of them.

    Attributes
    ----------
    training, algorithm
        How a client trains, and in which federated algorithm.
    X, y
        ``float32 [N, T, channels]``, all series (time before channels), and targets ``[N]``.
    clients
        K integer arrays, the series of each client.
    seed
        Of the generators, keyed by (seed, purpose, round, client).
    """

    training: LocalTraining
    algorithm: Algorithm
    X: np.ndarray
    clients: list[np.ndarray]
    seed: int
    y: np.ndarray | None = None

    def work(self, data: Data, which: Sequence[int], t: int, on_step: OnStep) -> Work:
        """Work of some clients in round t."""

        def generators(purpose):
            return [generator(self.seed, purpose, t, k) for k in which]

        return Work(data, [self.clients[k] for k in which], generators, on_step)


class Stacked:
    """The clients of a round as batches on one device, ``chunk`` clients at a time."""

    def __init__(self, job: Job, device: str, chunk: int | None = None):
        self.job, self.device, self.chunk = job, device, chunk or len(job.clients)
        y = None if job.y is None else torch.from_numpy(job.y).to(device)
        self.data = Data(torch.from_numpy(job.X).to(device), y)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def round(
        self, theta: np.ndarray, state: dict[str, np.ndarray], t: int, on_progress: Progress
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the clients' uploads ``[K, P]`` and their state after local training."""
        start = torch.from_numpy(theta).to(self.device)
        total, done, calls = torch.zeros((), device=self.device), 0, 0

        def on_step(losses):
            nonlocal total, done, calls
            total, done, calls = total + losses.sum(), done + len(losses), calls + 1
            # Reading the loss waits for the device: only now and then.
            if calls % 50 == 0:
                on_progress(done, float(total) / done)

        parts = []
        for first in range(0, len(self.job.clients), self.chunk):
            which = range(first, min(first + self.chunk, len(self.job.clients)))
            own = {
                name: torch.from_numpy(kept[which[0] : which[-1] + 1]).to(self.device)
                for name, kept in state.items()
            }
            work = self.job.work(self.data, which, t, on_step)
            uploads, own = self.job.algorithm.local(self.job.training, start, own, work)
            parts.append(
                (uploads.cpu().numpy(), {n: kept.cpu().numpy() for n, kept in own.items()})
            )
        on_progress(done, float(total) / done)
        return _concatenated(parts)


class Workers:
    """The clients of a round spread over ``n`` single-threaded processes.

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
        y = None if self.job.y is None else torch.from_numpy(self.job.y).share_memory_()
        data = Data(torch.from_numpy(self.job.X).share_memory_(), y)
        # Through pipes, the weights of 100 clients take most of a round without steps.
        self._theta = torch.zeros(n_weights).share_memory_()
        self._uploads = torch.zeros(K, n_weights).share_memory_()
        context = torch.multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["fedreact.federated.engine"])
        self._pool = ProcessPoolExecutor(
            self.n,
            mp_context=context,
            initializer=_start_worker,
            initargs=(
                replace(self.job, X=None, y=None),
                data,
                self._progress,
                self._theta,
                self._uploads,
            ),
        )

    def __exit__(self, *_):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def round(
        self, theta: np.ndarray, state: dict[str, np.ndarray], t: int, on_progress: Progress
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the clients' uploads ``[K, P]`` and their state after local training.

        The uploads are shared memory, which the next round overwrites.
        """
        if self._pool is None:
            self._start(theta.size)
        self._progress.zero_()
        self._theta.copy_(torch.from_numpy(theta))
        try:
            futures = [
                self._pool.submit(
                    _train_client, {n: kept[k : k + 1] for n, kept in state.items()}, t, k
                )
                for k in range(len(self.job.clients))
            ]
            pending = set(futures)
            while pending:
                _, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                done, total = self._progress.sum(0).tolist()
                on_progress(int(done), total / max(done, 1))
            own = [future.result() for future in futures]
            return self._uploads.numpy(), {
                n: np.concatenate([kept[n] for kept in own]) for n in own[0]
            }
        except BrokenProcessPool as error:
            raise UserError(
                f"a training process ended unexpectedly in round {t} (out of memory?); "
                "run again with fewer cores: finished rounds are kept"
            ) from error


def _concatenated(parts):
    """Put uploads and states of parts of the clients together."""
    uploads, states = zip(*parts)
    names = states[0]
    return np.concatenate(uploads), {n: np.concatenate([own[n] for own in states]) for n in names}


_worker = None


def _start_worker(*work):
    global _worker
    _worker = work
    torch.set_num_threads(1)
    keep_heap()
    # If the main process is killed, nobody waits for this one: end with it.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    torch.multiprocessing.parent_process().join()
    os._exit(1)


def _train_client(state, t: int, k: int):
    job, data, progress, theta, shared = _worker

    def on_step(losses):
        progress[k, 0] += 1
        progress[k, 1] += float(losses[0])

    own = {name: torch.from_numpy(kept) for name, kept in state.items()}
    work = job.work(data, [k], t, on_step)
    uploads, own = job.algorithm.local(job.training, theta, own, work)
    shared[k] = uploads[0]
    return {name: kept.numpy() for name, kept in own.items()}


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

    A single worker is this process, one client after the other: short work ends before a process
    has started.
    """
    if device == "cpu" and workers == 1:
        keep_heap()
        return Stacked(job, device, chunk=1)
    return Workers(job, workers) if device == "cpu" else Stacked(job, device)
