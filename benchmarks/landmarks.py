"""Fed-REACT with landmarks in place of all pairs: accuracy, clusters, and time of the server.

Clients of three clusters, whose labels have Dirichlet distributions (beta of section 4.1), fit SVMs
to features of ten labels in each of some rounds. Features are normal around the mean of their
label: what counts here is the number of clients. All methods have the same samples, and differ in
the clients to which similarities are computed. Rows: mean accuracy and Rand score over rounds, and
the seconds of the server in a round (clustering and means) and of the clients' fits, which all
methods share, on one thread.

    python benchmarks/landmarks.py [--clients 100 1000 10000] [--landmarks 50 200 1000] [--rounds 3]
"""

import argparse
import time
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from fedreact.clients.drifts.schedule import Schedule
from fedreact.clients.partition import NOTHING, Partition
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered.algorithms.fed_react import FedReact
from fedreact.kinds.clustered.contract import Setting
from fedreact.kinds.clustered.tasks import Classification
from fedreact.metrics.grammar import load_metric

FEATURES, LABELS, CLUSTERS, SAMPLES, POOL, HELD_OUT = 320, 10, 3, 64, 6000, 1000


class Timed:
    """An algorithm whose rounds are timed."""

    def __init__(self, algorithm):
        self.algorithm, self.seconds = algorithm, 0.0
        self.init = algorithm.init

    def round(self, state, uploads):
        """Take a round of the algorithm."""
        started = time.perf_counter()
        try:
            return self.algorithm.round(state, uploads)
        finally:
            self.seconds += time.perf_counter() - started


def federation(K, rounds, beta, spread, seed=0):
    """Draw features, labels and clients."""
    rng = np.random.default_rng(seed)
    y = rng.integers(LABELS, size=POOL + HELD_OUT)
    centres = rng.normal(size=(LABELS, FEATURES))
    X = (centres[y] + spread * rng.normal(size=(len(y), FEATURES))).astype(np.float32)
    clusters = np.sort(np.arange(K) % CLUSTERS)
    labels = rng.dirichlet(np.full(LABELS, beta), CLUSTERS)
    truth, shares = np.tile(clusters, (rounds, 1)), np.tile(labels[clusters], (rounds, 1, 1))
    schedule = Schedule(truth, np.ones((rounds, K), bool), shares, shares)
    held_out = np.arange(POOL, len(y))
    own = [np.arange(SAMPLES)] * K
    partition = Partition(clusters, own, own, np.zeros((1, LABELS), int), labels[:, None], NOTHING)
    partition = replace(partition, held_out=held_out)
    task = Classification(LABELS, 1.0, "squared_hinge")
    return engine.Phase2(X, y, partition, schedule, task, seed, SAMPLES)


def main(args):
    """Print a table for each number of clients."""
    metrics = {"accuracy": load_metric("accuracy")}
    for K in args.clients:
        setting = Setting(CLUSTERS, seed=0)
        methods = {"all pairs": Timed(FedReact(setting))}
        for number in args.landmarks:
            if number < K:
                algorithm = FedReact(setting, similarity="landmarks", landmarks=number)
                methods[f"{number} landmarks"] = Timed(algorithm)
        phase2 = federation(K, args.rounds, args.beta, args.spread)
        started, scores = time.perf_counter(), {name: [] for name in methods}
        for score in engine.run(phase2, methods, metrics):
            scores[score.method].append((score.values["accuracy"], score.rand))
        shared = time.perf_counter() - started - sum(method.seconds for method in methods.values())
        each = shared / args.rounds
        print(f"{K} clients, {args.rounds} rounds; fits and tests {each:.2f} s a round")
        for name, method in methods.items():
            accuracy, rand = np.mean(scores[name], axis=0)
            seconds = method.seconds / args.rounds
            print(f"  {name:16} accuracy {accuracy:.3f}  Rand {rand:.3f}  server {seconds:8.3f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--clients", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--landmarks", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beta", type=float, default=1.5)
    parser.add_argument(
        "--spread", type=float, default=4.0, help="of features around their label's"
    )
    with threadpool_limits(1):
        main(parser.parse_args())
