"""A job that counts clusters: the local fits of each round, and all criteria on them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from tqdm import tqdm

from fedreact import plugins
from fedreact.clustering.hierarchical import cosine_similarity
from fedreact.engine.place import Place
from fedreact.kinds.cluster_counts.contract import Algorithm, Setting
from fedreact.kinds.cluster_counts.spec import Options
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered.run import linear_task
from fedreact.kinds.clustered.scoring import rand_score
from fedreact.kinds.contract import Inputs, Line, Method
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
    """Fit task models to samples drawn as in Phase 2, and yield a line for each round and method.

    A line has the number of clusters, its distance from the true one, whether it is right, and the
    Rand score of the clusters. All but the first are NaN where the true clusters are not known.
    """
    features, y, task = linear_task(inputs, options, seed)
    partition = inputs.partition
    setting = Setting(
        min(options.max_clusters, len(partition.train)),
        seed,
        options.linkage,
        options.affect_iterations,
        options.affect_start,
    )
    ways = {method.name: make(method, setting) for method in methods}
    memories = dict.fromkeys(ways)
    for t in tqdm(range(1, options.rounds + 1), unit="round", disable=None):
        samples, valid = engine.labelled_samples(partition.train, options.samples, seed, t)
        models = task.fit(features[samples], y[samples], valid)
        W = cosine_similarity(models.reshape(len(models), -1))
        for name, way in ways.items():
            memories[name], labels = way.round(memories[name], W)
            truth = partition.clusters if partition.clusters_known else None
            yield Line((name, t), scores(labels, truth))


def make(method: Method, setting: Setting) -> Algorithm:
    """Make the way to count clusters of a method."""
    kind = plugins.load("kinds/cluster_counts/algorithms", method.algorithm, "ALGORITHM")
    way: Algorithm = kind(setting, **method.options)
    return way


def scores(labels: np.ndarray, truth: np.ndarray | None) -> dict[str, float]:
    """Score clusters ``[K]`` against the true ones ``[K]``, if these are known."""
    number = len(np.unique(labels))
    error = rand = right = np.nan
    if truth is not None:
        error = float(abs(number - len(np.unique(truth))))
        right, rand = float(error == 0), rand_score(truth, labels)
    return {"n_clusters": number, "count_error": error, "count_right": right, "rand": rand}


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate the GFLOPs of the Gram matrices of all fits, and of the criteria of all rounds.

    A criterion that draws takes about as long as twenty hierarchies in each AFFECT iteration.
    """
    K = len(sizes)
    fits = np.sum(2 * np.minimum(options.samples, sizes) ** 2 * 320)
    criteria = len(methods) * 40 * options.max_clusters * K**2
    return float(options.rounds * (fits + criteria) / 1e9)
