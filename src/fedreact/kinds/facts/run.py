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
    """Count series, clients, channels, steps and labels; a line for each method.

    Where a method says something of the series, its scores stand beside the counts: means over
    clients, each on its own test samples. Those of a method that says nothing are not defined.
    """
    data, drawn = inputs.data, inputs.partition
    task = data.task
    train, test = (np.unique(np.concatenate(sets)) for sets in (drawn.train, drawn.test))
    labelled = task.kind == "classification"
    labels = len(np.unique(data.y[np.union1d(train, test)])) if labelled else task.outputs
    counts = {
        "n_train": len(train),
        "n_test": len(test),
        "n_steps": task.steps,
        "n_clients": len(drawn.train),
        "n_channels": task.channels,
        "n_labels": labels,
    }
    counts = {name: float(value) for name, value in counts.items()}
    said = {method.name: make(method).outputs(data) for method in methods}
    # All lines of a file have the same columns: with one method that is scored, all have scores.
    nothing = dict.fromkeys(metrics, np.nan) if any(o is not None for o in said.values()) else {}
    for name, outputs in said.items():
        if outputs is None:
            yield Line((name, 1), counts | nothing)
            continue
        scores = {
            metric: np.array([of.score(outputs[own], data.y[own]) for own in drawn.test])
            for metric, of in metrics.items()
        }
        nowhere = np.full(len(drawn.test), -1, dtype=np.int16)
        yield Line(
            (name, 1),
            counts | {name: metrics[name].over(of) for name, of in scores.items()},
            {"score": next(iter(scores.values())).astype(np.float32)}
            | {"cluster": nowhere, "true_cluster": nowhere},
        )


def findings(inputs: Inputs, options: Options, methods: Sequence[Method]) -> list[str]:
    """What data lacks that methods need; they are not scored."""
    found = {method.name: make(method).lacks(inputs.data) for method in methods}
    return [f"{name} is not scored. {what}" for name, what in found.items() if what]


def make(method: Method) -> Algorithm:
    """Make the algorithm of a method."""
    return plugins.load("kinds/facts/algorithms", method.algorithm, "ALGORITHM")(**method.options)


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Nothing."""
    return 0.0
