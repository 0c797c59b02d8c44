"""A round of Phase 2 with all clustered methods of Fed-REACT side by side: CPU time by part.

100 clients in three clusters with labels Dirichlet(1.5) each, 64 samples a round, 320 features and
10 classes; features are correlated as learned ones are ("low" of ``local_fits.py``). Methods and
their options are those of Tables 2 and 5. For scale: the products of matrices that the descents of
IFCA, FLSC and FLACC cannot do without, alone. On one thread; the parts do not overlap.

    python benchmarks/round.py [--rounds 10] [--turns 3]
"""

import argparse
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from unittest import mock

import numpy as np
from threadpoolctl import threadpool_limits

from fedreact import plugins
from fedreact.clients.partitioners.dirichlet import Dirichlet
from fedreact.data.dataset import SeriesDataset
from fedreact.kinds import contract
from fedreact.kinds.clustered import engine, scoring
from fedreact.kinds.clustered.algorithms import fed_react
from fedreact.kinds.clustered.run import run
from fedreact.kinds.clustered.spec import Options
from fedreact.kinds.clustered.tasks import Classification
from fedreact.reading import read_yaml
from fedreact.rng import generator
from fedreact.task_models.descent import LocalClients

CLIENTS, SAMPLES, FEATURES, CLASSES, SERIES = 100, 64, 320, 10, 6000
PAPER = Path(__file__).parents[1] / "config/papers/fed_react"


def make_inputs():
    rng = generator(0, "benchmark round")
    y = rng.integers(0, CLASSES, SERIES)
    low = rng.normal(size=(CLASSES, 20))[y] + rng.normal(size=(SERIES, 20))
    features = np.maximum(low @ rng.normal(size=(20, FEATURES)), 0)
    data = SeriesDataset("benchmark", np.zeros((SERIES, 1, 1), np.float32), np.ones(SERIES, int), y)
    dealt = Dirichlet((33, 33, 34), 1.5).deal(data, 0)
    features = (0.1 * features / features.std()).astype(np.float32)
    return contract.Inputs(data, dealt, features, (0.0, 0.0, 0.0))


def make_methods():
    defined = read_yaml(PAPER / "experiment.yaml")["methods"]["clustered"]
    columns = read_yaml(PAPER / "tables.yaml")["table02"]["columns"]
    return [contract.method("clustered", name, defined[name], name) for name in columns.values()]


@contextmanager
def timed(spent):
    """Add to ``spent`` the CPU seconds of each part, those within another part to that one."""
    running = []

    def wrap(owner, name, part):
        function = getattr(owner, name)

        def counted(*args, **kwargs):
            running.append(0.0)
            started = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                seconds = time.process_time() - started
                spent[part] += seconds - running.pop()
                if running:
                    running[-1] += seconds

        return mock.patch.object(owner, name, counted)

    parts = [
        wrap(Classification, "fit", "fits of all clients' SVMs"),
        wrap(LocalClients, "train", "descents of clients' models"),
        wrap(LocalClients, "losses", "losses of clusters' models"),
        wrap(fed_react, "cosine_similarity", "similarities and AFFECT"),
        wrap(fed_react, "affect", "similarities and AFFECT"),
        wrap(scoring.HeldOut, "scores", "scores on held-out samples"),
        wrap(engine, "labelled_samples", "draws of samples"),
    ]
    for part in parts:
        part.start()
    try:
        yield
    finally:
        for part in parts:
            part.stop()


def counted(calls):
    """Note the steps of each descent that is not shared with the one before."""
    train = LocalClients.train

    def noted(self, start, learning_rate, steps):
        before = self._last
        result = train(self, start, learning_rate, steps)
        if self._last is not before:
            calls.append(steps)
        return result

    return mock.patch.object(LocalClients, "train", noted)


def products(calls):
    """Measure the CPU seconds of the matrix products of descents with so many steps each."""
    rng = np.random.default_rng(0)
    g = rng.normal(size=(CLIENTS, CLASSES, SAMPLES)).astype(np.float32)
    G = rng.normal(size=(CLIENTS, SAMPLES, SAMPLES)).astype(np.float32)
    out, started = np.empty_like(g), time.process_time()
    for _ in range(sum(calls)):
        np.matmul(g, G, out=out)
    return time.process_time() - started


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--turns", type=int, default=3)
    args = p.parse_args()
    metric = {"accuracy": plugins.load("metrics", "accuracy", "METRIC")}
    milliseconds = defaultdict(list)
    with threadpool_limits(1):
        inputs, methods = make_inputs(), make_methods()
        for _ in range(args.turns):
            spent, calls = defaultdict(float), []
            started = time.process_time()
            with counted(calls), timed(spent):
                list(run(inputs, Options(rounds=args.rounds), methods, metric, 0, None))
            spent["whole round"] = time.process_time() - started
            parts = sum(seconds for name, seconds in spent.items() if name != "whole round")
            spent["all else"] = spent["whole round"] - parts
            spent["products of the descents, alone"] = products(calls)
            for name, seconds in spent.items():
                milliseconds[name].append(1e3 * seconds / args.rounds)
    print(f"{len(methods)} methods, {CLIENTS} clients, ms of CPU a round: median (min-max)")
    last = "whole round", "products of the descents, alone"
    parts = sorted(set(milliseconds) - set(last), key=lambda name: -median(milliseconds[name]))
    for name in [*parts, *last]:
        times = milliseconds[name]
        print(f"{name:34s}{median(times):8.1f} ({min(times):.1f}-{max(times):.1f})")


if __name__ == "__main__":
    main()
