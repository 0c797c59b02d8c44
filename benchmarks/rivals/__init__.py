"""The same federation in several frameworks: a file for each, which ``frameworks.py`` asks.

Each file has ``run(job, orders)``. It trains ``job.case`` on ``job.cores`` cores from the weights
``job.theta``. Before each round it calls ``orders.next(weights)``, where ``weights()`` gives the
weights of now, ``[P]``. The answer is the number of the round; 0: all of a round but training; or
``None``: this was the last one. Nothing here but ``ours.py`` needs more than torch and the sources
of the package.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection

import numpy as np

from rivals.case import Case


@dataclass(frozen=True)
class Job:
    """What a framework trains: the name of its file, a case, the number of cores, weights."""

    framework: str
    case: Case
    cores: int
    theta: np.ndarray


class Orders:
    """What ``frameworks.py`` orders through a pipe."""

    def __init__(self, pipe: Connection):
        self.pipe = pipe

    def next(self, weights: Callable[[], np.ndarray]) -> int | None:
        """Say that this round has ended, or that all is ready, and wait for the next round."""
        self.pipe.send("done")
        try:
            while (order := self.pipe.recv()) == "weights":
                self.pipe.send(weights())
        except EOFError:
            return None
        return order


def serve(fd: int) -> None:
    """Receive a job and run it, on as many cores as it says, in this process."""
    # Nothing that a framework leaves behind holds the pipe open.
    os.set_inheritable(fd, False)
    with Connection(fd) as pipe:  # closed if the run fails, though threads of it may go on
        job = pipe.recv()
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: job.cores])
        import_module(f"rivals.{job.framework}").run(job, Orders(pipe))
