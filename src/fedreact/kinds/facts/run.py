"""Counts of a setting's data, and scores of baselines without training."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fedreact import plugins
from fedreact.engine.place import Place
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.facts.contract import Algorithm
from fedreact.kinds.facts.spec import Options
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
    """Count series, clients, channels, steps and labels, and yield a line for each method.

    The scores of a method with outputs stand beside the counts: means over clients, each on its own
    test samples. Scores of a method without outputs are NaN.
    """
    data, partition = inputs.data, inputs.partition
    task = data.task
    train, test = (np.unique(np.concatenate(sets)) for sets in (partition.train, partition.test))
    labelled = task.kind == "classification"
    labels = len(np.unique(data.y[np.union1d(train, test)])) if labelled else task.outputs
    counts = {
        "n_train": float(len(train)),
        "n_test": float(len(test)),
        "n_steps": float(task.steps),
        "n_clients": float(len(partition.train)),
        "n_channels": float(task.channels),
        "n_labels": float(labels),
    }
    outputs_of = {method.name: make(method).outputs(data) for method in methods}
    # All lines of a file have the same columns: with one method that is scored, all have scores.
    scored = any(outputs is not None for outputs in outputs_of.values())
    undefined = dict.fromkeys(metrics, np.nan) if scored else {}
    for name, outputs in outputs_of.items():
        if outputs is None:
            yield Line((name, 1), counts | undefined)
            continue
        scores = {
            key: np.array([metric.score(outputs[own], data.y[own]) for own in partition.test])
            for key, metric in metrics.items()
        }
        means = {key: metrics[key].over(of_clients) for key, of_clients in scores.items()}
        first = next(iter(scores.values())).astype(np.float32)
        nowhere = np.full(len(partition.test), -1, dtype=np.int16)
        clients: dict[str, np.ndarray] = {
            "score": first,
            "cluster": nowhere,
            "true_cluster": nowhere,
        }
        yield Line((name, 1), counts | means, clients)


def findings(inputs: Inputs, options: Options, methods: Sequence[Method]) -> list[str]:
    """List methods that are not scored, and the data that they miss."""
    missing = {method.name: make(method).lacks(inputs.data) for method in methods}
    return [f"{name} is not scored. {what}" for name, what in missing.items() if what]


def make(method: Method) -> Algorithm:
    """Make the algorithm of a method."""
    return plugins.load("kinds/facts/algorithms", method.algorithm, "ALGORITHM")(**method.options)


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Return 0: nothing is trained."""
    return 0.0
