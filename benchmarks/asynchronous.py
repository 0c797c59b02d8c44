"""Asynchronous training on the simulated clock: the package against a plain simulation in PyTorch.

FedAsync of 30 clients on a recurrent model, Adam, five steps a trip, on noise in the shape of
FitRec (12 channels, 10 steps, batches of 100) and of ExtraSensory (276 channels, 20 steps, batches
of 60). The first two go through the same trips:

* ``package``: a run on the clock, whose trainings in flight share one and all cores;
* ``plain``: a heap of finish times and modules of torch's own layers, one client after the other,
  as most people write it, on one thread of torch's and on all;
* ``side by side``: one of these a core, on one thread each, with its part of the trips. Parts
  know nothing of each other, so this is no simulation, but the speed that cores which share their
  caches and memory allow one;
* ``flsim``: FLSim's asynchronous trainer, which trains one client after the other, if
  ``--flsim-python`` names the interpreter of an environment with ``flsim`` and this package. It
  draws trips of its own, of the same steps, number and mean length, and takes the same batches on
  each trip of a client.

The variants run in turn, so that other work on the machine meets all of them; ratios are of turns.
A run of the package includes the start of its processes, one of FLSim that of its trainer, but not
what it imports.

    python benchmarks/asynchronous.py [--updates 500] [--turns 5] [--flsim-python PATH]
"""

import argparse
import copy
import heapq
import logging
import multiprocessing
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import torch
from engine import spread, timed
from rival import Rival
from torch import nn
from torch.nn import functional as F

from fedreact import plugins
from fedreact.clock.clock import Clock
from fedreact.clock.devices import Devices, Network
from fedreact.engine.engine import TrainingJob
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.place import Place
from fedreact.kinds.asynchronous.algorithms.fedasync import FedAsync
from fedreact.kinds.asynchronous.engine import Points, fly
from fedreact.losses.supervised import SupervisedLoss

CLIENTS, SAMPLES, STEPS, LEARNING_RATE = 30, 600, 5, 1e-3
SHAPES = {"FitRec": (12, 10, 2, 100, 600), "ExtraSensory": (276, 20, 51, 60, 240)}
"""Channels, time steps, classes, batch size and updates, next to which a start is little."""


class Plain(nn.Module):
    """``nn.LSTM`` and a linear head; torch's layer has one bias more than the package's."""

    def __init__(self, channels, hidden, classes):
        super().__init__()
        self.lstm = nn.LSTM(channels, hidden, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x):
        """Return the logits of ``x [B, T, C]``."""
        return self.head(self.lstm(x)[0][:, -1])


def noise(name):
    """Draw series ``[CLIENTS * SAMPLES, T, C]`` and labels."""
    channels, length, classes, *_ = SHAPES[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(CLIENTS * SAMPLES, length, channels)).astype(np.float32)
    return X, rng.integers(0, classes, len(X))


def make_clock():
    return Clock(
        Devices(Network(delays=((10.0, 100.0),)), [SAMPLES] * CLIENTS, lambda held, new: 1.0, 0)
    )


def trace(updates):
    """Simulate the clock without training; return the flights in the order of their ends."""
    algorithm, clock, flights = FedAsync(), make_clock(), []
    algorithm.begin(clock)
    for _ in range(updates):
        flight = clock.next()
        flights.append(flight)
        algorithm.proceed(clock, flight, None)
    return flights


def package(job, theta, flights, processes):
    ended = [flight.number for flight in flights]
    with tempfile.TemporaryDirectory() as folder:
        place = Place("cpu", processes, Path(folder) / "checkpoint.npz")
        points = Points([len(ended)], lambda engine, server, state: 0.0)
        fly(job, FedAsync(), make_clock(), theta, ended, points, "benchmark", place)


def plain(model, X, y, flights, batch_size, threads, alpha=0.6):
    """Train the same trips: at each end a client's model is mixed in, and it gets the new one."""
    torch.set_num_threads(threads)
    per_client = X.reshape(CLIENTS, SAMPLES, *X.shape[1:]), y.reshape(CLIENTS, SAMPLES)
    ends = [(flight.ends, i, int(flight.clients[0])) for i, flight in enumerate(flights)]
    heapq.heapify(ends)
    held = {k: copy.deepcopy(model) for k in range(CLIENTS)}
    while ends:
        _, _, k = heapq.heappop(ends)
        local = held[k]
        optimizer = torch.optim.Adam(local.parameters(), lr=LEARNING_RATE)
        for batch in torch.randperm(SAMPLES).split(batch_size)[:STEPS]:
            optimizer.zero_grad()
            F.cross_entropy(local(per_client[0][k][batch]), per_client[1][k][batch]).backward()
            optimizer.step()
        with torch.no_grad():
            for whole, part in zip(model.parameters(), local.parameters()):
                whole.lerp_(part, alpha)
        held[k] = copy.deepcopy(model)


def at_once(n, work):
    """Do ``work(i)`` in n processes."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=work, args=(i,)) for i in range(n)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        if process.exitcode:
            raise RuntimeError("a process of the comparison failed")


def measure(name, args):
    channels, length, classes, batch_size, updates = SHAPES[name]
    updates, (X, y) = args.updates or updates, noise(name)
    kind = plugins.load("models/architectures", "lstm-plain", "ARCHITECTURE")
    own = kind(in_channels=channels, length=length, n_out=classes)
    training = LocalTraining(SupervisedLoss(own), STEPS, batch_size, LEARNING_RATE)
    client, clients = FedAsync().client().on(own), list(np.arange(len(X)).reshape(CLIENTS, -1))
    job = TrainingJob(training, client, X, clients, 0, y)
    theta = training.objective.init(torch.Generator().manual_seed(0)).numpy()
    flights = trace(updates)
    model = Plain(channels, own.hidden, classes)
    tensors = torch.from_numpy(X), torch.from_numpy(y)
    variants = {
        f"package, {args.processes} cores": lambda: package(job, theta, flights, args.processes),
        "package, 1 core": lambda: package(job, theta, flights, 1),
        "plain, 1 thread": lambda: plain(model, *tensors, flights, batch_size, 1),
        f"plain, {args.processes} threads": lambda: plain(
            model, *tensors, flights, batch_size, args.processes
        ),
        "plain, side by side": lambda: at_once(
            args.processes,
            lambda i: plain(model, *tensors, flights[i :: args.processes], batch_size, 1),
        ),
    }
    with ExitStack() as stack:
        if args.flsim_python:
            rival = Rival("FLSim", args.flsim_python, "flsim_rounds.serve", (name, own.hidden))
            flsim = stack.enter_context(rival)
            variants["flsim, 1 thread"] = lambda: flsim.ask(updates, updates)
        # Torch imports its optimizers' parts at the first step, which FLSim's process has done.
        plain(model, *tensors, flights[:1], batch_size, 1)
        times = {label: [] for label in variants}
        for _ in range(args.turns):
            for label, work in variants.items():
                times[label].append(timed(work, os.getpid()))
    print(f"\n{name}: {updates} updates of {CLIENTS} clients, {args.turns} turns")
    print(f"{'':24s}{'updates/s':>10s}   {'wall clock, of the first':28s}CPU time, of the first")
    first = np.array(next(iter(times.values())))
    for label, seconds in times.items():
        ratios = np.array(seconds) / first
        speed = updates / np.median(np.array(seconds)[:, 0])
        print(f"{label:24s}{speed:10.1f}   {spread(ratios[:, 0]):28s}{spread(ratios[:, 1])}")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--updates", type=int, help="of each shape (default: its own number)")
    p.add_argument("--turns", type=int, default=5)
    p.add_argument("--processes", type=int, default=os.cpu_count())
    p.add_argument("--flsim-python", help="interpreter with flsim and this package")
    args = p.parse_args()
    if not args.flsim_python:
        print("FLSim is skipped: --flsim-python is not given", file=sys.stderr)
    logging.getLogger("fedreact").setLevel(logging.WARNING)
    for name in SHAPES:
        measure(name, args)


if __name__ == "__main__":
    main()
