"""The attention of the server's first layer to each channel, over the updates (Fig. 5.6)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fedreact.engine.engine import Arrays, Engine
from fedreact.engine.place import Place
from fedreact.kinds.asynchronous.algorithms.aso_fed import attention
from fedreact.kinds.asynchronous.engine import Points, fly, foresee
from fedreact.kinds.asynchronous.run import budget, make_clock, points, prepare
from fedreact.kinds.asynchronous.run import work as of_methods
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.first_layer.spec import METHOD, Options
from fedreact.kinds.supervised import architecture, first_weights, scaled_targets, series
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
    """Train by ASO-Fed, and yield a line for each point and channel.

    ``weight`` is the attention of eq. 5.5 to a channel, averaged over the rows of the first layer
    and times the number of channels, so that its mean over channels is 1.
    """
    data = inputs.data
    clients = inputs.partition.train
    targets = scaled_targets(data, clients)
    X = series(data, architecture(options, data.task))
    algorithm, job = prepare(_aso_fed(options), options, data.task, X, targets, clients, seed)
    name = f"{METHOD}, {inputs.setting}, seed {seed}"
    ended, _ = foresee(job, algorithm, make_clock(algorithm, job, options), *budget(options))
    n = data.task.channels

    def weights(engine: Engine, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the weight ``[channels]`` of each channel."""
        return n * attention(job.algorithm.model, server["theta"])[1].mean(0).reshape(n, -1).sum(1)

    rows = fly(
        job,
        algorithm,
        make_clock(algorithm, job, options),
        first_weights(job.training, seed),
        ended,
        Points(points(len(ended), options.points), weights, "attention"),
        name,
        place.named(METHOD),
    )
    for t, row in enumerate(rows, start=1):
        for channel, weight in enumerate(row[-n:].tolist()):
            yield Line((t, channel), {"weight": weight, "minutes": float(row[0])})


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate the GFLOPs of all trips."""
    return of_methods(options, [_aso_fed(options)], task, sizes)


def _aso_fed(options: Options) -> Method:
    """Return the method that a run trains."""
    return Method(METHOD, METHOD, {"lam": options.lam})
