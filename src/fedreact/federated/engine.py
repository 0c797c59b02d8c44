"""The engine: runs the local updates of all clients of a round, on CPU workers or on one device.

The two ways do the same work:

* :class:`Workers` (CPU): one single-threaded process a core, the clients spread over them. For
  models this small, processes beat threads, and stacking clients gains nothing on a CPU.
* :class:`Stacked` (GPU): the weights of all clients as one stacked tensor, trained together.

A client's update depends on its weights, its data and the generator keyed by (seed, round,
client) alone, so neither the number of workers nor the order of work changes a bit of it.
"""

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import numpy as np
import torch
import torch.multiprocessing

from fedreact.errors import UserError
from fedreact.losses import ContrastiveLoss
from fedreact.models.causal_cnn import CausalCNN
from fedreact.rng import generator

Progress = Callable[[int, float], None]
"""Called with the local steps done in this round and their mean loss."""


@dataclass(frozen=True)
class LocalTraining:
    """What a client does in a round: ``steps`` Adam steps on the contrastive loss (section 4.1.1).

    The optimiser starts afresh in each round, since clients keep nothing between rounds.
    """

    encoder: CausalCNN
    loss: ContrastiveLoss = ContrastiveLoss()
    steps: int = 500
    batch_size: int = 10
    learning_rate: float = 1e-3

    def run(
        self,
        theta: torch.Tensor,
        X: torch.Tensor,
        clients: list[np.ndarray],
        rngs: list[np.random.Generator],
        on_step: Callable[[torch.Tensor], None] = lambda losses: None,
    ) -> torch.Tensor:
        """Train K clients from the same weights and return theirs.

        Parameters
        ----------
        theta
            ``[P]``, on the device of ``X``.
        X
            ``[N, T, channels]``, all series.
        clients
            K arrays of the series each client holds.
        rngs
            K generators.
        on_step
            Called after each step with the losses ``[K]``.

        Returns
        -------
        torch.Tensor
            ``[K, P]``.
        """
        draws = [
            self.loss.draw(rng, series, X.shape[1], self.batch_size, self.steps)
            for rng, series in zip(rngs, clients)
        ]
        local = theta.repeat(len(clients), 1).requires_grad_()
        optimizer = torch.optim.Adam([local], lr=self.learning_rate, fused=True)
        for step in range(self.steps):
            optimizer.zero_grad()
            losses = self.loss.value(self.encoder, local, X, draws, step)
            losses.sum().backward()
            optimizer.step()
            on_step(losses.detach())
        return local.detach()


class Stacked:
    """All clients of a round as one batch on one device."""

    def __init__(self, training, X, clients, seed, device):
        self.training, self.clients, self.seed = training, clients, seed
        self.X = torch.from_numpy(X).to(device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def round(self, theta: np.ndarray, t: int, on_progress: Progress) -> np.ndarray:
        """Return the clients' weights ``[K, P]`` after local training from ``theta [P]``."""
        start = torch.from_numpy(theta).to(self.X.device)
        total, done = torch.zeros((), device=self.X.device), 0

        def on_step(losses):
            nonlocal total, done
            total, done = total + losses.sum(), done + len(losses)
            # Reading the loss waits for the device: only now and then.
            if done % (50 * len(losses)) == 0:
                on_progress(done, float(total) / done)

        rngs = [generator(self.seed, "local training", t, k) for k in range(len(self.clients))]
        uploads = self.training.run(start, self.X, self.clients, rngs, on_step)
        on_progress(done, float(total) / done)
        return uploads.cpu().numpy()


class Workers:
    """The clients of a round spread over ``n`` single-threaded processes.

    Use as a context manager: the processes live as long as the block.
    """

    def __init__(self, training, X, clients, seed, n):
        self.training, self.X, self.clients, self.seed = training, X, clients, seed
        self.n = min(n, len(clients))

    def __enter__(self):
        # [K, 2]: each client's steps done in this round and the sum of their losses.
        self._progress = torch.zeros(len(self.clients), 2, dtype=torch.float64).share_memory_()
        X = torch.from_numpy(self.X).share_memory_()
        context = torch.multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["fedreact.federated.engine"])
        self._pool = ProcessPoolExecutor(
            self.n,
            mp_context=context,
            initializer=_start_worker,
            initargs=(self.training, X, self.clients, self.seed, self._progress),
        )
        return self

    def __exit__(self, *_):
        self._pool.shutdown(cancel_futures=True)

    def round(self, theta: np.ndarray, t: int, on_progress: Progress) -> np.ndarray:
        """Return the clients' weights ``[K, P]`` after local training from ``theta [P]``."""
        self._progress.zero_()
        try:
            futures = [
                self._pool.submit(_train_client, theta, t, k) for k in range(len(self.clients))
            ]
            pending = set(futures)
            while pending:
                _, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                done, total = self._progress.sum(0).tolist()
                on_progress(int(done), total / max(done, 1))
            return np.stack([future.result() for future in futures])
        except BrokenProcessPool as error:
            raise UserError(
                f"a training process ended unexpectedly in round {t} (out of memory?); "
                "run again with fewer cores: finished rounds are kept"
            ) from error


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


def _train_client(theta: np.ndarray, t: int, k: int) -> np.ndarray:
    training, X, clients, seed, progress = _worker

    def on_step(losses):
        progress[k, 0] += 1
        progress[k, 1] += float(losses[0])

    rngs = [generator(seed, "local training", t, k)]
    return training.run(torch.from_numpy(theta), X, [clients[k]], rngs, on_step)[0].numpy()


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


def open_engine(training, X, clients, seed, device: str, workers: int) -> Workers | Stacked:
    """Choose the engine: workers on the ``cpu``, stacked clients on ``cuda``.

    Parameters
    ----------
    X
        ``float32 [N, T, channels]``, all series (time before channels).
    clients
        K integer arrays, the series of each client.
    """
    if device == "cpu":
        return Workers(training, X, clients, seed, workers)
    return Stacked(training, X, clients, seed, device)
