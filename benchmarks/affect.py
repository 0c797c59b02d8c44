"""A round of clustering on the server: CPU time and peak memory of each part, by K clients.

Parts: cosine similarities of 3,210 weights a client; AFFECT's own work (forgetting factor and
smoothing; its clustering is replaced by fixed labels that differ from one call to the next, so that
all 5 iterations run, the most there can be); one forgetting factor; one smoothing; one
agglomerative clustering; and a whole round of all of them, whose labels repeat when they do. For
scale: one sum over a K x K matrix, and one new matrix from two.
Each part runs in a process of its own, on one thread. Memory is the most that a part adds to its
inputs, also in units of one K x K float64 matrix.

    python benchmarks/affect.py [--clients 100 1000 10000] [--repeat 5] [--without clustering]
"""

import argparse
import itertools
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from fedreact.clustering.affect import affect, forgetting_factor, smooth
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity

WEIGHTS, CLUSTERS, ITERATIONS = 3210, 3, 5


def own_part(W, psi, labels):
    answers = itertools.cycle([labels, labels[::-1].copy()])
    affect(W, psi, lambda _: next(answers), 0.5, ITERATIONS)


def whole_round(models, psi):
    affect(cosine_similarity(models), psi, lambda W: agglomerative(W, CLUSTERS))


PARTS = {
    "sum of K x K": lambda W, psi, labels: W.sum(),
    "W + psi": lambda W, psi, labels: W + psi,
    "forgetting_factor": forgetting_factor,
    "smooth": lambda W, psi, labels: smooth(W, psi, 0.5),
    "AFFECT's own, 5 iterations": own_part,
    "cosine_similarity": lambda models, psi: cosine_similarity(models),
    "clustering": lambda W, psi, labels: agglomerative(W, CLUSTERS),
    "whole round": whole_round,
}


def inputs(part, K):
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(0, CLUSTERS, K))
    of_models = part in ("cosine_similarity", "whole round")
    models = rng.normal(size=(CLUSTERS, WEIGHTS if of_models else 50)).astype(np.float32)[labels]
    for row in models:  # row by row: no second array that would raise the peak beforehand
        row += rng.normal(size=len(row))
    W = cosine_similarity(models[:, :50])
    if not of_models:
        return W, 0.7 * W, labels
    W *= 0.7
    return models, W


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(part, K, repeat):
    """Measure median, smallest and largest CPU seconds, and the bytes added to the inputs."""
    with threadpool_limits(1):
        arguments, run = inputs(part, K), PARTS[part]
        before, times = peak(), []
        for _ in range(repeat):
            start = time.process_time()
            run(*arguments)
            times.append(time.process_time() - start)
        return median(times), min(times), max(times), peak() - before


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--clients", type=int, nargs="+", default=[100, 1000, 10000])
    p.add_argument("--repeat", type=int, default=5, help="times that each part runs")
    p.add_argument("--without", choices=PARTS, nargs="*", default=[])
    args = p.parse_args()
    print(f"{'K':>6}  {'part':<28}{'CPU ms: median (min-max)':>32}{'MB':>9}{'K x K':>7}")
    for K in args.clients:
        for part in PARTS:
            if part in args.without:
                continue
            with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                middle, low, high, added = fresh.submit(measure, part, K, args.repeat).result()
            spread = f"{1e3 * middle:.2f} ({1e3 * low:.2f}-{1e3 * high:.2f})"
            memory = f"{added / 1e6:>9.1f}{added / (8 * K * K):>7.1f}"
            print(f"{K:>6}  {part:<28}{spread:>32}{memory}", flush=True)


if __name__ == "__main__":
    main()
