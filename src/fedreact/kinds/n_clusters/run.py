"""Number of clusters: WCSS and silhouette score of 1, 2, ... clusters (arXiv, Figs. 3 and 4)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from tqdm import tqdm

from fedreact.clustering.n_clusters import estimate
from fedreact.engine.place import Place
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered.run import linear_task
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.n_clusters.spec import Options
from fedreact.metrics.contract import Metric
from fedreact.task import Task


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Fit task models to samples drawn as in Phase 2; both criteria, averaged over rounds.

    A line for each number of samples and of clusters.
    """
    features, y, task = linear_task(inputs, options, seed)
    train = inputs.partition.train
    largest = min(options.max_clusters, len(train))

    def curves(samples, t):
        at, valid = engine.labelled_samples(train, samples, seed, t)
        models = task.fit(features[at], y[at], valid)
        return estimate(models.reshape(len(models), -1), largest, options.linkage)

    total = len(options.samples) * options.rounds
    with tqdm(total=total, unit="round", disable=None) as bar:
        for samples in options.samples:
            found = []
            for t in range(1, options.rounds + 1):
                found.append(curves(samples, t))
                bar.update()
            for n, (wcss, silhouette) in enumerate(np.mean(found, axis=0).T, 1):
                yield Line((samples, n), {"wcss": float(wcss), "silhouette": float(silhouette)})


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs of the Gram matrices of all fits."""
    fits = sum(2 * np.minimum(m, sizes) ** 2 * 320 for m in options.samples)
    return float(options.rounds * np.sum(fits) / 1e9)
