"""Number of clusters: WCSS and silhouette score of 1, 2, ... clusters (arXiv, Figs. 3 and 4)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from tqdm import tqdm

from fedreact.clustering.hierarchical import cosine_similarity
from fedreact.clustering.n_clusters import Criteria, estimate
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
    """Fit task models to samples drawn as in Phase 2, and average both criteria over rounds.

    There is a line for each number of samples and of clusters.
    """
    features, y, task = linear_task(inputs, options, seed)
    train = inputs.partition.train
    largest = min(options.max_clusters, len(train))

    def criteria(n_samples: int, t: int) -> Criteria:
        samples, valid = engine.labelled_samples(train, n_samples, seed, t)
        models = task.fit(features[samples], y[samples], valid)
        W = cosine_similarity(models.reshape(len(models), -1))
        return estimate(W, largest, options.linkage)

    total = len(options.samples) * options.rounds
    with tqdm(total=total, unit="round", disable=None) as bar:
        for samples in options.samples:
            of_rounds = []
            for t in range(1, options.rounds + 1):
                of_rounds.append(criteria(samples, t))
                bar.update()
            for n, (wcss, silhouette) in enumerate(np.mean(of_rounds, axis=0).T, 1):
                yield Line((samples, n), {"wcss": float(wcss), "silhouette": float(silhouette)})


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate the GFLOPs of the Gram matrices of all fits."""
    fits = sum(2 * np.minimum(m, sizes) ** 2 * 320 for m in options.samples)
    return float(options.rounds * np.sum(fits) / 1e9)
