"""A job of simple baselines: features of all series, a model of each client or of all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fedreact import plugins
from fedreact.engine.place import Place
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.simple.contract import Algorithm, Predictor
from fedreact.kinds.simple.features import RECENT, SUMMARIES, features
from fedreact.kinds.simple.spec import Options
from fedreact.metrics.contract import Metric
from fedreact.rng import generator
from fedreact.task import Task


@dataclass(frozen=True)
class Scale:
    """Mean and spread of features or targets over the samples that a model is fitted to."""

    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def over(cls, values: np.ndarray) -> "Scale":
        """Measure values ``[n, m]``; what is constant keeps its unit."""
        spread = values.std(0)
        return cls(values.mean(0), np.where(spread > 1e-12, spread, 1.0))

    def apply(self, values: np.ndarray) -> np.ndarray:
        """Bring values to mean 0 and variance 1."""
        return (values - self.mean) / self.spread

    def undo(self, values: np.ndarray) -> np.ndarray:
        """Bring values back to their units."""
        return values * self.spread + self.mean


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Fit each method, and yield a line for each: means over clients, each on its test samples.

    Beside the metrics: GFLOPs of a client, and its megabytes to and from the server. Alone, nothing
    is sent. Pooled, each client sends its train series and targets once, and the server's compute
    counts, divided by the number of clients.
    """
    data, partition = inputs.data, inputs.partition
    task, X = data.task, features(data, recent_of(options, data.task))
    Y = wanted(data.y, task)
    for method in methods:
        algorithm = make(method)
        if options.pooled:
            tests = np.concatenate([*partition.test, partition.held_out])
            sets = [np.setdiff1d(np.concatenate(partition.train), tests)]
        else:
            sets = partition.train
        models = [
            fitted(algorithm, X[own], Y[own], task, draw(seed, method, k))
            for k, own in enumerate(sets)
        ]
        each = models * len(partition.test) if options.pooled else models
        outputs = [model(X[test]) for model, test in zip(each, partition.test)]
        scores = {
            name: np.array([metric.score(o, data.y[t]) for o, t in zip(outputs, partition.test)])
            for name, metric in metrics.items()
        }
        gflops = [algorithm.gflops(len(own), X.shape[1], Y.shape[1]) for own in sets]
        K = len(partition.test)
        nowhere = np.full(K, -1, dtype=np.int16)
        yield Line(
            (method.name, 1),
            {name: metrics[name].over(values) for name, values in scores.items()}
            | {
                "steps": 0.0,
                "gflops": sum(gflops) / K,
                "bytes": megabytes(sets[0], data.y, task) / K if options.pooled else 0.0,
            },
            {
                "score": next(iter(scores.values())).astype(np.float32),
                "cluster": nowhere,
                "true_cluster": nowhere,
            },
        )


def make(method: Method) -> Algorithm:
    """Make the algorithm of a method."""
    return plugins.load("kinds/simple/algorithms", method.algorithm, "ALGORITHM")(**method.options)


def draw(seed: int, method: Method, k: int) -> int:
    """Draw the seed of a client's model, the same whatever other methods there are."""
    return int(generator(seed, f"simple {method.algorithm}", k).integers(2**31))


def recent_of(options: Options, task: Task) -> int:
    """Return the number of last values that are features."""
    if options.recent is not None:
        return options.recent
    return RECENT if task.kind == "regression" else 0


def wanted(y: np.ndarray, task: Task) -> np.ndarray:
    """Return what models are fitted to, ``[N, c]``: 1 and -1 for labels, or targets."""
    if task.kind == "classification":
        y = y[:, None] == np.arange(task.outputs)
    values = y.reshape(len(y), -1)
    return np.where(values, 1.0, -1.0) if values.dtype == bool else values.astype(float)


def fitted(
    algorithm: Algorithm, X: np.ndarray, Y: np.ndarray, task: Task, random_state: int
) -> Predictor:
    """Fit to samples brought to a common scale; the predictor takes and gives values as they are.

    Labels keep their 1 and -1.
    """
    of_features = Scale.over(X)
    if task.kind != "regression":
        scores = algorithm.fit(of_features.apply(X), Y, task, random_state)
        return lambda features: scores(of_features.apply(features))
    of_targets = Scale.over(Y)
    predict = algorithm.fit(of_features.apply(X), of_targets.apply(Y), task, random_state)
    return lambda features: of_targets.undo(predict(of_features.apply(features)))


def megabytes(samples: np.ndarray, y: np.ndarray, task: Task) -> float:
    """Count the megabytes of train series and targets, as they are stored."""
    values = task.steps * task.channels * 4 + y[0].nbytes
    return len(samples) * values / 1e6


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate GFLOPs, for the time: features, and fits; a forest takes as long as ten GFLOPs."""
    n_features = task.channels * (len(SUMMARIES) + recent_of(options, task))
    total = 100.0 * sum(sizes) * task.steps * task.channels / 1e9
    for method in methods:
        fits = [sum(sizes)] if options.pooled else sizes
        gflops = [make(method).gflops(n, n_features, task.outputs) for n in fits]
        total += sum(10.0 if np.isnan(one) else one for one in gflops)
    return total
