"""The simulated clock: seconds and peak memory of events without training, and an event's overhead.

First, events of which each is an update of one of many clients, with delays drawn anew, as
FedAsync has them (every client trains all the time) and as FedAvg's rounds do (10 clients a round;
each counts as an event). Each in a process of its own; memory is what it adds.

Then 100 clients of one tiny step a trip, by FedAsync: a run on the clock against the same
trainings alone, in turn, in one process. The difference is what an event costs besides: the clock,
what is sent and kept, the mixing of weights, progress.

    python benchmarks/clock.py [--events 1000000] [--clients 10000] [--trained 2000] [--repeat 5]
"""

import argparse
import logging
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np
import torch

from fedreact import plugins
from fedreact.clock.clock import Clock
from fedreact.clock.devices import Devices, Network
from fedreact.engine.engine import TrainingJob, open_engine
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.place import Place
from fedreact.kinds.asynchronous.algorithms.fedasync import FedAsync
from fedreact.kinds.asynchronous.algorithms.rounds import Rounds
from fedreact.kinds.asynchronous.engine import Points, fly
from fedreact.losses.supervised import SupervisedLoss
from fedreact.optimizers.sgd import SGD

KINDS = {"each by itself": FedAsync(), "rounds of 10": Rounds(clients=10)}
TRAINED, LENGTH, CHANNELS, CLASSES, BATCH = 100, 10, 12, 2, 1


def make_clock(clients):
    network = Network(delays=((10.0, 100.0),), redrawn=True, start=(0.1, 0.5), growth=(0.0, 0.001))
    return Clock(Devices(network, [1000] * clients, lambda held, new: held / 1000, 0))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def draw(kind, clients, events):
    """Go through so many events; return the seconds, and the megabytes added."""
    before, start, done = peak(), time.perf_counter(), 0
    algorithm, clock = KINDS[kind], make_clock(clients)
    algorithm.begin(clock)
    while done < events:
        flight = clock.next()
        clock.sent_off()  # a run reads these as they come
        algorithm.proceed(clock, flight, None)
        done += len(flight.clients)
    return time.perf_counter() - start, peak() - before


def make_job(algorithm):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(TRAINED, LENGTH, CHANNELS)).astype(np.float32)
    kind = plugins.load("models/architectures", "lstm-plain", "ARCHITECTURE")
    model = kind(in_channels=CHANNELS, length=LENGTH, n_out=CLASSES)
    client = algorithm.client().on(model)
    training = LocalTraining(SupervisedLoss(model), 1, BATCH, 1e-3, optimizer=SGD())
    clients = list(np.arange(TRAINED)[:, None])
    return TrainingJob(training, client, X, clients, 0, rng.integers(0, CLASSES, TRAINED))


def on_clock(algorithm, job, theta, events):
    clock, ended = make_clock(TRAINED), []
    algorithm.begin(clock)
    for _ in range(events):
        flight = clock.next()
        ended.append(flight.number)
        algorithm.proceed(clock, flight, None)
    with tempfile.TemporaryDirectory() as folder:
        place = Place("cpu", 1, Path(folder) / "checkpoint.npz")
        points = Points([events], lambda engine, server, state: 0.0)
        start = time.process_time()
        fly(job, algorithm, make_clock(TRAINED), theta, ended, points, "benchmark", place)
        return time.process_time() - start


def bare(algorithm, job, theta, events):
    sent, which = job.algorithm.sent({"theta": theta}), np.arange(events) % TRAINED
    with open_engine(job, "cpu", 1) as engine:
        start = time.process_time()
        for t, k in enumerate(which.tolist()):
            engine.round(sent, {}, t, clients=[k])
        return time.process_time() - start


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--events", type=int, default=1000000)
    p.add_argument("--clients", type=int, default=10000)
    p.add_argument("--trained", type=int, default=2000)
    p.add_argument("--repeat", type=int, default=5)
    args = p.parse_args()
    print(f"{args.events:,} events of {args.clients:,} clients, nothing trained")
    print(f"{'flights':<16}{'seconds':>9}{'us an event':>13}{'MB':>6}")
    for kind in KINDS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            seconds, memory = pool.submit(draw, kind, args.clients, args.events).result()
        print(f"{kind:<16}{seconds:>9.1f}{1e6 * seconds / args.events:>13.1f}{memory:>6.0f}")
    torch.set_num_threads(1)
    logging.getLogger("fedreact").setLevel(logging.WARNING)
    algorithm = KINDS["each by itself"]
    job = make_job(algorithm)
    theta = job.training.objective.init(torch.Generator().manual_seed(0)).numpy()
    times = {"on the clock": [], "trainings alone": []}
    for _ in range(args.repeat):
        for name, run in zip(times, (on_clock, bare)):
            times[name].append(1000 * run(algorithm, job, theta, args.trained) / args.trained)
    print(f"\n{args.trained:,} updates of {TRAINED} clients, one step on {BATCH} series each")
    print(f"{'':<16}{'CPU ms an update':>26}")
    for name, spent in times.items():
        print(f"{name:<16}{f'{median(spent):.3f} ({min(spent):.3f}-{max(spent):.3f})':>26}")
    overhead = [a - b for a, b in zip(*times.values())]
    print(
        f"{'overhead':<16}{f'{median(overhead):.3f} ({min(overhead):.3f}-{max(overhead):.3f})':>26}"
    )


if __name__ == "__main__":
    main()
