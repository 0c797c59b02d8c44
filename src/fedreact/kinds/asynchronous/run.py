"""A job on the simulated clock: one architecture, by each of some algorithms."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fedreact import plugins
from fedreact.clients.drifts.sudden import drifting, with_drift
from fedreact.clients.validation import held_back
from fedreact.clock.clock import Clock
from fedreact.clock.devices import Devices, Network
from fedreact.engine.engine import Job
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.asynchronous.engine import costs, fly, foresee
from fedreact.kinds.asynchronous.spec import Options
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import architecture, first_weights, local_training
from fedreact.metrics.contract import Groups, Metric
from fedreact.standardise import standardise
from fedreact.task import Task

TAKEN = ("minutes", "steps", "gflops", "bytes_up", "bytes_down")
"""What a line says of costs: until then, of a client on average."""


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Train by each algorithm; a line for each and each point at which it is scored.

    Scores are means over all clients, also those that never answer, each with the model that the
    algorithm gives it, on its own test samples. The true cluster of a client, where some drift, is
    1 of one that drifts and 0 of others.
    """
    data, partition = inputs.data, inputs.partition
    task, X = data.task, data.steps_first
    if options.validate:
        partition = held_back(partition, len(data.y), seed)
    clients, tests = partition.train, partition.test
    clusters = np.full(len(clients), -1, dtype=np.int16)  # clients are drawn from none
    groups = Groups()
    if options.drifting:
        which = drifting(len(clients), options.drifting, seed)
        X = with_drift(X, clients, which, options.drift_at, options.drift_values, seed)
        clusters, groups = which.astype(np.int16), Groups(drifting=which)
    y, unit, centre = data.y, 1.0, 0.0
    if task.kind == "regression":
        y, unit, centre = standardise(data.y, clients)
    main = next(iter(metrics))
    units = tuple(zip(np.ravel(unit).tolist(), np.ravel(centre).tolist()))
    made = {
        method.name: prepared(method, options, task, X, y, clients, seed, units)
        for method in methods
    }
    finds = sorted({name for algorithm, _ in made.values() for name in algorithm.finds})
    of_tests = hashlib.sha256(b"".join(np.asarray(test).tobytes() for test in tests))
    scored = f"{list(metrics)} {of_tests.hexdigest()}"
    for method in methods:
        algorithm, job = made[method.name]
        what = f"{method.name}, {inputs.setting}, seed {seed}"
        ended, _ = foresee(job, algorithm, clock(algorithm, job, options), *budget(options))

        def score(engine, server, state, algorithm=algorithm, half=job.algorithm, what=what):
            """Means by metric, then the clients' scores by the first."""
            try:
                of = _Scored(algorithm, half)
                found = client_scores(engine, of, server, state, tests, y, metrics, unit, centre)
            except UserError as error:
                raise UserError(f"method {what}: {error}") from error
            means = [metrics[name].over(of, groups) for name, of in found.items()]
            own = algorithm.found(state, clusters == 1)
            return [*means, *(own.get(name, np.nan) for name in finds), *found[main]]

        points = sorted(
            {-(-i * len(ended) // options.points) for i in range(1, options.points + 1)}
        )
        rows = fly(
            *(job, algorithm, clock(algorithm, job, options), first_weights(job.training, seed)),
            *(ended, points, score, what, place.named(method.name), scored),
        )
        for t, row in enumerate(rows, start=1):
            taken, means = dict(zip(TAKEN, row.tolist())), row[len(TAKEN) :]
            named = [*metrics, *finds]
            taken["bytes"] = taken["bytes_up"] + taken["bytes_down"]
            taken["bytes_down_heard"] = taken["bytes_up"] * algorithm.hearers(len(clients))
            of_clients = means[len(named) :].astype(np.float32)
            nowhere = np.full(len(tests), -1, dtype=np.int16)
            yield Line(
                (method.name, t),
                dict(zip(named, means.tolist())) | taken,
                {"score": of_clients, "cluster": nowhere, "true_cluster": clusters},
            )


class _Scored:
    """What clients are tested with, as the scores ask for it."""

    def __init__(self, algorithm, half):
        self._algorithm, self._half, self.at_test = algorithm, half, half.at_test
        if hasattr(half, "adapt"):
            self.adapt = half.adapt

    def personal(self, server, state):
        return self._algorithm.personal(self._half, server, state)


def prepared(
    method: Method,
    options: Options,
    task: Task,
    X: np.ndarray,
    y: np.ndarray,
    clients: Sequence[np.ndarray],
    seed: int,
    units: tuple[tuple[float, float], ...] = (),
) -> tuple[Algorithm, Job]:
    """The algorithm of a method, and its clients' work.

    ``units`` are those of the targets of a regression: the spread and mean of each.
    """
    kind = plugins.load("kinds/asynchronous/algorithms", method.algorithm, "ALGORITHM")
    try:
        algorithm = kind(**method.options)
        half = algorithm.half().on(architecture(options, task))
    except (TypeError, UserError) as error:
        raise UserError(f"method {method.name}: {error}") from error
    if algorithm.chooses and options.minutes is not None:
        raise UserError(
            f"method {method.name} chooses clients by what is learnt, so that how far it comes in "
            "so many minutes is not known beforehand; give a budget in gflops instead of minutes"
        )
    training = local_training(options, task, half.model)
    if task.kind == "regression":
        training = replace(training, objective=replace(training.objective, units=units))
    if algorithm.pooled:  # a trip is as long as that of a client with a mean share
        clients = in_the_end(clients, options, seed)
        mean = round(np.mean([len(of) for of in clients]))
        training = replace(training, steps=training.n_steps(mean))
        clients = [np.concatenate(clients)]
    return algorithm, Job(training, half, X, list(clients), seed, y)


def in_the_end(clients: Sequence[np.ndarray], options: Options, seed: int) -> Sequence[np.ndarray]:
    """All samples, where data arrives (section 5.3.1), else what clients have at the start."""
    if options.growth[1]:
        return clients
    network = Network(options.delays, options.redrawn, start=options.start)
    devices = Devices(network, [len(of) for of in clients], lambda held, new: 0.0, seed)
    return [of[: devices.held(k, 0)] for k, of in enumerate(clients)]


def clock(algorithm: Algorithm, job: Job, options: Options) -> Clock:
    """A clock that stands at zero, with the devices of the clients."""
    horizon = np.inf if options.minutes is None else 60 * options.minutes
    if options.leaving and options.minutes is None:  # they leave before the budget is spent
        stay = clock(algorithm, job, replace(options, leaving=0))
        foresee(job, algorithm, stay, *budget(options))
        horizon = stay.now
    delays = options.delays if algorithm.travels else ((0.0, 0.0),)
    network = Network(delays, options.redrawn, options.rate)
    if not algorithm.pooled:  # which has all that ever arrives from the start, and answers
        of_clients = ("start", "growth", "silent", "leaving", "lost")
        network = replace(network, **{name: getattr(options, name) for name in of_clients})
    sizes = [len(of) for of in job.clients]
    return Clock(Devices(network, sizes, lambda *had: costs(job, *had)[1], job.seed, horizon))


def budget(options: Options) -> tuple[float | None, float | None]:
    """GFLOPs of a client, or minutes."""
    return (options.gflops, None) if options.minutes is None else (None, options.minutes)


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs of all trips, of all methods."""
    total = 0.0
    clients = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    X = np.zeros((0, task.steps, task.channels), np.float32)
    for method in methods:
        algorithm, job = prepared(method, options, task, X, None, clients, 0)
        total += foresee(job, algorithm, clock(algorithm, job, options), *budget(options))[1]
    return total
