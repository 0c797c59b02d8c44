"""The attention of the server's first layer to each channel, over the updates (Fig. 5.6)."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fedreact.engine.engine import Arrays, Stacked, Workers
from fedreact.engine.place import Place
from fedreact.kinds.asynchronous.algorithms.aso_fed import attention
from fedreact.kinds.asynchronous.engine import fly, foresee
from fedreact.kinds.asynchronous.run import budget, clock, prepared
from fedreact.kinds.asynchronous.run import work as of_methods
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.first_layer.spec import METHOD, Options
from fedreact.kinds.supervised import architecture, first_weights
from fedreact.metrics.contract import Metric
from fedreact.standardise import standardise
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
    y = data.y
    if data.task.kind == "regression":
        y, *_ = standardise(y, inputs.partition.train)
    algorithm, job = prepared(
        _aso_fed(options), options, data.task, data.steps_first, y, inputs.partition.train, seed
    )
    what = f"{METHOD}, {inputs.setting}, seed {seed}"
    ended, _ = foresee(job, algorithm, clock(algorithm, job, options), *budget(options))
    points = sorted({-(-i * len(ended) // options.points) for i in range(1, options.points + 1)})

    n, model = data.task.channels, architecture(options, data.task)

    def weights(engine: Workers | Stacked, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the weight ``[channels]`` of each channel."""
        return n * attention(model, server["theta"])[1].mean(0).reshape(n, -1).sum(1)

    rows = fly(
        job,
        algorithm,
        clock(algorithm, job, options),
        first_weights(job.training, seed),
        ended=ended,
        scored=points,
        score=weights,
        what=what,
        place=place.named(METHOD),
        of_scores="attention",
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
