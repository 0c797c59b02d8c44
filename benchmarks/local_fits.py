"""One round of Phase 2's local SVMs: a loop of LinearSVC against ``fit_linear_svm``.

100 clients x 64 samples x 320 features x 10 classes, labels Dirichlet(0.5) per client. Features are
rectified: "free" = class mean plus independent noise in each feature; "low" = a random layer on a
20-dimensional input (class mean plus noise), so that they are correlated as learned ones are.
The methods alternate in one process, on one thread; times are CPU seconds of the whole round.

    python benchmarks/local_fits.py [--data FILE --features FILE --partition FILE]

With files of the workflow (below results/quick/), a round on them is measured instead.
"""

import argparse
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from fedreact import npz
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.kinds.clustered.engine import labelled_samples
from fedreact.rng import generator
from fedreact.task_models.svm import fit_linear_svm

CLIENTS, SAMPLES, FEATURES, CLASSES, ROUNDS = 100, 64, 320, 10, 7


def make_data(kind, scale, seed=0):
    rng = generator(seed, "benchmark local fits")
    width = FEATURES if kind == "free" else 20
    means = rng.normal(size=(CLASSES, width))
    mix = rng.dirichlet(np.full(CLASSES, 0.5), CLIENTS)
    y = np.stack([rng.choice(CLASSES, SAMPLES, p=p) for p in mix])
    y[:, 1] = (y[:, 0] + 1) % CLASSES  # LinearSVC needs two classes
    X = means[y] + rng.normal(size=(CLIENTS, SAMPLES, width))
    if kind == "low":
        X = X @ rng.normal(size=(width, FEATURES))
    X = np.maximum(X, 0)
    return (scale / X.std() * X).astype(np.float32), y


def loop(X, y, tol):
    fits = [LinearSVC(tol=tol).fit(*client) for client in zip(X, y, strict=True)]
    return [np.c_[fit.coef_, fit.intercept_] for fit in fits]


def smallest_cosine(weights, reference, y):
    smallest = 1.0
    for ours, theirs, labels in zip(weights, reference, y, strict=True):
        present = np.unique(labels)
        ours = ours[present[1:] if len(present) == 2 else present].astype(float)
        norms = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
        smallest = min(smallest, ((ours * theirs).sum(axis=1) / norms).min())
    return smallest


def real_data(args):
    """Read the first round of a run, without clients of one class, which LinearSVC refuses."""
    y = SeriesDataset.load(args.data).y
    features = npz.load(args.features, "features file", ["features"])["features"]
    drawn, _ = labelled_samples(Partition.load(args.partition).train, SAMPLES, seed=0, t=1)
    drawn = drawn[[len(np.unique(labels)) > 1 for labels in y[drawn]]]
    return features[drawn], y[drawn]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "features", "partition"):
        p.add_argument(f"--{name}", type=Path)
    args = p.parse_args()
    cases = [("free", 1), ("free", 0.05), ("low", 1), ("low", 0.05)]
    if args.data:
        cases = [("real", 1)]
    warnings.filterwarnings("ignore", category=UserWarning)  # LinearSVC: not converged
    print("CPU ms per round: median (min-max); cosine: smallest against LinearSVC at tol 1e-6")
    print(f"{'features':<11}{'method':<20}{'ms':>22}{'times ours':>12}{'cosine':>11}")
    for kind, scale in cases:
        X, y = real_data(args) if kind == "real" else make_data(kind, scale)
        methods = {
            "fit_linear_svm": lambda X=X, y=y: fit_linear_svm(X, y, CLASSES),
            "LinearSVC": lambda X=X, y=y: loop(X, y, 1e-4),
            "LinearSVC tol=1e-6": lambda X=X, y=y: loop(X, y, 1e-6),
        }
        times, weights = {name: [] for name in methods}, {}
        for _ in range(ROUNDS):
            for name, run in methods.items():
                start = time.process_time()
                weights[name] = run()
                times[name].append(1000 * (time.process_time() - start))
        base = statistics.median(times["fit_linear_svm"])
        cosine = smallest_cosine(weights["fit_linear_svm"], weights["LinearSVC tol=1e-6"], y)
        for name, t in times.items():
            median = statistics.median(t)
            spread = f"{median:.1f} ({min(t):.1f}-{max(t):.1f})"
            end = f"{cosine:>11.7f}" if name == "fit_linear_svm" else f"{'':>11}"
            print(f"{kind} {scale:<6}{name:<20}{spread:>22}{median / base:>12.1f}{end}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
