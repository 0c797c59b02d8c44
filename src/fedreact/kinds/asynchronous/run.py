"""A job on the simulated clock: one architecture, by each of some algorithms."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fedreact import plugins
from fedreact.clients.drifts.sudden import drifting, with_drift
from fedreact.clients.validation import held_back
from fedreact.clock.clock import Clock
from fedreact.clock.devices import Devices, Network
from fedreact.data.windows import Windows
from fedreact.engine.engine import Arrays, Engine, TrainingJob
from fedreact.engine.local_training import LocalTraining
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import supervised
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.asynchronous.engine import Points, costs, fly, foresee
from fedreact.kinds.asynchronous.spec import Options
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import ScaledTargets, architecture, first_weights, scaled_targets
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.losses.supervised import SupervisedLoss
from fedreact.metrics.contract import Groups, Metric
from fedreact.task import Task

COSTS = ("minutes", "steps", "gflops", "bytes_up", "bytes_down")
"""Costs in a line: until then, of a client on average."""


@dataclass(frozen=True)
class ClockScoring:
    """Scores of a run on the clock: by which metrics, and on whose samples.

    Attributes
    ----------
    tests
        K arrays of the clients' test samples.
    drifting
        ``bool [K]``: whose data drifts; ``None``: it is not known of any.
    recorded
        Metrics that algorithms of the run record themselves.
    """

    metrics: Mapping[str, Metric]
    targets: ScaledTargets
    tests: list[np.ndarray]
    drifting: np.ndarray | None
    recorded: list[str]

    @property
    def names(self) -> list[str]:
        """Names of the means of a line."""
        return [*self.metrics, *self.recorded]

    @property
    def clusters(self) -> np.ndarray:
        """``int16 [K]``: 1 of clients that drift, 0 of others; -1 if it is not known."""
        if self.drifting is None:
            return np.full(len(self.tests), -1, dtype=np.int16)
        return self.drifting.astype(np.int16)

    def identity(self) -> str:
        """Say what is scored, and on what, for the fingerprint of a checkpoint."""
        samples = b"".join(np.asarray(test).tobytes() for test in self.tests)
        return f"{list(self.metrics)} {hashlib.sha256(samples).hexdigest()}"

    def score(
        self,
        name: str,
        algorithm: Algorithm,
        client: ClientAlgorithm,
        engine: Engine,
        server: Arrays,
        state: Arrays,
    ) -> list[float]:
        """Return means by :attr:`names`, then the clients' scores by the first metric.

        Raises
        ------
        UserError
            The weights that clients are tested with are no numbers.
        """
        try:
            scores = client_scores(
                engine,
                algorithm.personal(client, server, state),
                client.at_test(server, state) if client.adapts else None,
                self.tests,
                self.targets,
                self.metrics,
            )
        except UserError as error:
            raise UserError(f"method {name}: {error}") from error
        groups = Groups(drifting=self.drifting)
        means = [self.metrics[metric].over(values, groups) for metric, values in scores.items()]
        recorded = algorithm.record(state, self.clusters == 1)
        others = [recorded.get(metric, np.nan) for metric in self.recorded]
        return [*means, *others, *scores[next(iter(self.metrics))]]


def local_training(options: Options, task: Task) -> LocalTraining:
    """Make the training of a client on a trip, of the run's architecture."""
    model = architecture(options, task)
    return supervised.local_training(options, SupervisedLoss(model, task.kind))


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Train by each algorithm; yield a line for each and each point at which it is scored.

    Scores are means over all clients, also those that never answer, each with the model that the
    algorithm gives it, on its own test samples. The true cluster of a client, where some drift, is
    1 of one that drifts and 0 of others.
    """
    data, partition = inputs.data, inputs.partition
    task = data.task
    X = supervised.series(data, architecture(options, task))
    if options.validate:
        partition = held_back(partition, len(data.y), seed)
    clients, drifts = partition.train, None
    if options.drifting:
        drifts = drifting(len(clients), options.drifting, seed)
        X = with_drift(X, clients, drifts, options.drift_at, options.drift_values, seed)
    targets = scaled_targets(data, clients)
    prepared = [prepare(method, options, task, X, targets, clients, seed) for method in methods]
    recorded = sorted({metric for algorithm, _ in prepared for metric in algorithm.recorded})
    scoring = ClockScoring(metrics, targets, partition.test, drifts, recorded)
    for method, (algorithm, job) in zip(methods, prepared):
        name = f"{method.name}, {inputs.setting}, seed {seed}"
        ended, _ = foresee(job, algorithm, make_clock(algorithm, job, options), *budget(options))
        rows = fly(
            job,
            algorithm,
            make_clock(algorithm, job, options),
            first_weights(job.training, seed),
            ended,
            Points(
                points(len(ended), options.points),
                partial(scoring.score, name, algorithm, job.algorithm),
                scoring.identity(),
            ),
            name,
            place.named(method.name),
        )
        for t, row in enumerate(rows, start=1):
            yield _line(method.name, t, row, scoring, algorithm)


def points(n_flights: int, number: int) -> list[int]:
    """Spread a number of points evenly over flights; at each, so many flights have ended."""
    return sorted({-(-i * n_flights // number) for i in range(1, number + 1)})


def _line(
    method: str, t: int, row: np.ndarray, scoring: ClockScoring, algorithm: Algorithm
) -> Line:
    """A line of scores of a row of costs, means, and scores of clients."""
    costs, means = dict(zip(COSTS, row.tolist())), row[len(COSTS) :]
    costs["bytes"] = costs["bytes_up"] + costs["bytes_down"]
    costs["bytes_down_heard"] = costs["bytes_up"] * algorithm.hearers(len(scoring.tests))
    n = len(scoring.names)
    return Line(
        (method, t),
        dict(zip(scoring.names, means[:n].tolist())) | costs,
        {
            "score": means[n:].astype(np.float32),
            "cluster": np.full(len(scoring.tests), -1, dtype=np.int16),
            "true_cluster": scoring.clusters,
        },
    )


def prepare(
    method: Method,
    options: Options,
    task: Task,
    X: np.ndarray | Windows,
    targets: ScaledTargets | None,
    clients: Sequence[np.ndarray],
    seed: int,
) -> tuple[Algorithm, TrainingJob[ClientAlgorithm]]:
    """Make the algorithm of a method, and its clients' work; without targets, to count costs only.

    Raises
    ------
    UserError
        The algorithm has no such options, cannot be run on the architecture, or has a budget that
        it cannot be given.
    """
    kind = plugins.load("kinds/asynchronous/algorithms", method.algorithm, "ALGORITHM")
    try:
        algorithm: Algorithm = kind(**method.options)
        client = algorithm.client().on(architecture(options, task))
    except (TypeError, UserError) as error:
        raise UserError(f"method {method.name}: {error}") from error
    if algorithm.chooses and options.minutes is not None:
        raise UserError(
            f"method {method.name} chooses clients by what is learnt, so that how far it comes in "
            "so many minutes is not known beforehand; give a budget in gflops instead of minutes"
        )
    units = targets.units if targets is not None and task.kind == "regression" else ()
    loss = SupervisedLoss(client.model, task.kind, error=options.error, units=units)
    training = supervised.local_training(options, loss)
    if algorithm.pooled:  # a trip is as long as that of a client with a mean share
        clients = final_samples(clients, options, seed)
        mean = round(float(np.mean([len(samples) for samples in clients])))
        training = replace(training, steps=training.n_steps(mean))
        clients = [np.concatenate(clients)]
    y = None if targets is None else targets.y
    return algorithm, TrainingJob(training, client, X, list(clients), seed, y)


def final_samples(
    clients: Sequence[np.ndarray], options: Options, seed: int
) -> Sequence[np.ndarray]:
    """Return all samples, if data arrives (section 5.3.1), or those that clients start with."""
    if options.growth[1]:
        return clients
    network = Network(options.delays, options.redrawn, start=options.start)
    sizes = [len(samples) for samples in clients]
    devices = Devices(network, sizes, lambda held, new: 0.0, seed)
    return [samples[: devices.held(k, 0)] for k, samples in enumerate(clients)]


def make_clock(algorithm: Algorithm, job: TrainingJob[ClientAlgorithm], options: Options) -> Clock:
    """Make a clock that stands at zero, with the devices of the clients."""
    horizon = np.inf if options.minutes is None else 60 * options.minutes
    if options.leaving and options.minutes is None:  # they leave before the budget is spent
        stay = make_clock(algorithm, job, replace(options, leaving=0))
        foresee(job, algorithm, stay, *budget(options))
        horizon = stay.now
    delays = options.delays if algorithm.travels else ((0.0, 0.0),)
    network = Network(delays, options.redrawn, options.rate)
    if not algorithm.pooled:  # which has all that ever arrives from the start, and answers
        network = replace(
            network,
            start=options.start,
            growth=options.growth,
            silent=options.silent,
            leaving=options.leaving,
            lost=options.lost,
        )

    def trip_gflops(held: int, new: int) -> float:
        return costs(job, held, new)[1]

    sizes = [len(samples) for samples in job.clients]
    return Clock(Devices(network, sizes, trip_gflops, job.seed, horizon))


def budget(options: Options) -> tuple[float | None, float | None]:
    """Return the budget of a client: GFLOPs, or minutes."""
    return (options.gflops, None) if options.minutes is None else (None, options.minutes)


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Count the GFLOPs of all trips, of all methods."""
    total = 0.0
    clients = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    X = np.zeros((0, task.steps, task.channels), np.float32)
    for method in methods:
        algorithm, job = prepare(method, options, task, X, None, clients, 0)
        clock = make_clock(algorithm, job, options)
        total += foresee(job, algorithm, clock, *budget(options))[1]
    return total
