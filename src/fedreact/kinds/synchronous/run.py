"""A job of synchronous training: one architecture, by each of some algorithms."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from fedreact import plugins
from fedreact.clients.exchange import exchanged
from fedreact.clients.validation import held_back
from fedreact.engine.engine import Arrays, Engine, TrainingJob
from fedreact.engine.local_training import LocalTraining, steps_within, warn_if_missed
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import supervised
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.supervised import ScaledTargets, scaled_targets
from fedreact.kinds.synchronous.contract import PREPARE, Algorithm
from fedreact.kinds.synchronous.engine import Stop, federate, never, training_costs
from fedreact.kinds.synchronous.plateau import Plateau, floor
from fedreact.kinds.synchronous.spec import Options
from fedreact.losses.supervised import SupervisedLoss
from fedreact.metrics.contract import Metric
from fedreact.models.architectures.contract import Architecture
from fedreact.task import Task


@dataclass(frozen=True)
class RoundScoring:
    """Scores of a run in rounds: which of them have any, by which metrics, on whose samples.

    Attributes
    ----------
    tests, others
        K arrays of test samples: each client's own, and another client's or none.
    held
        K arrays of held-out train samples, or none.
    """

    options: Options
    metrics: Mapping[str, Metric]
    targets: ScaledTargets
    tests: list[np.ndarray]
    others: list[np.ndarray]
    held: list[np.ndarray]

    @property
    def main(self) -> str:
        """The first metric, by which each client's score is kept."""
        return next(iter(self.metrics))

    @property
    def names(self) -> list[str]:
        """Metrics, and the first one on another client's samples and on held-out ones."""
        subsets = {"another_client": self.others, "held_out": self.held}
        return [*self.metrics, *(f"{self.main}@{name}" for name in subsets if subsets[name])]

    def identity(self) -> str:
        """Say what is scored, and on what, for the fingerprint of a checkpoint."""
        tests = [*self.tests, *self.others, *self.held]
        samples = b"".join(np.asarray(test).tobytes() for test in tests)
        when = f"{self.options.score} {self.options.plateau}"
        return f"{self.names} {when} {hashlib.sha256(samples).hexdigest()}"

    def score(
        self,
        method: str,
        algorithm: Algorithm,
        engine: Engine,
        server: Arrays,
        state: Arrays,
        t: int,
    ) -> list[float] | None:
        """Return means by :attr:`names`, then the clients' scores by the first, after round t.

        Raises
        ------
        UserError
            The weights that clients are tested with are no numbers.
        """
        if not is_scored(t, self.options):
            return None
        if algorithm.prepares:
            sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
            _, state = engine.round(sent, state, t + 1)
        try:
            weights = algorithm.personal(server, state)
            test_state = algorithm.at_test(server, state) if algorithm.adapts else None
            score = partial(client_scores, engine, weights, test_state, targets=self.targets)
            scores = score(tests=self.tests, metrics=self.metrics)
            means = [self.metrics[name].over(values) for name, values in scores.items()]
            metric = self.metrics[self.main]
            for samples in filter(None, (self.others, self.held)):
                more = score(tests=samples, metrics={self.main: metric})
                means.append(metric.over(more[self.main]))
        except UserError as error:
            raise UserError(f"method {method}, round {t}: {error}") from error
        return [*means, *scores[self.main]]


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Train by each algorithm; yield a line for each and each scored round.

    Scores are means over clients, each with the model that the algorithm gives it, on its own test
    samples, and by the first metric on another client's (``exchange``). Beside the metrics asked
    for: what a client's training has taken so far, in local steps and GFLOPs, and what has gone
    between it and the server. Progress is kept after each round, also that of an algorithm that is
    done.
    """
    data, partition = inputs.data, inputs.partition
    task, X = data.task, data.steps_first
    split = partition
    if options.validate or options.plateau:
        split = held_back(partition, len(data.y), seed)
    clients, tested = split.train, split if options.validate else partition
    targets = scaled_targets(data, clients)
    others = exchanged(tested, data.owner, seed) if options.exchange else []
    held = split.test if options.plateau else []
    scoring = RoundScoring(options, metrics, targets, tested.test, others, held)
    stop = standing_still(scoring, clients, task) if options.plateau else never
    unclustered = np.full(len(clients), -1, dtype=np.int16)
    for method in methods:
        algorithm = make(method, options, task)
        of_method = settled(options, algorithm, task, [len(samples) for samples in clients])
        training = local_training(of_method, task, algorithm.model)
        job = TrainingJob(training, algorithm, X, clients, seed, targets.y)
        name = f"{method.name}, {inputs.setting}, seed {seed}"
        steps, gflops = training_costs(job)
        warn_if_missed(name, options.gflops, options.rounds * gflops)
        _, scores, megabytes = federate(
            job,
            supervised.first_weights(training, seed),
            options.rounds,
            name,
            place.named(method.name),
            partial(scoring.score, method.name, algorithm),
            scoring.identity(),
            stop,
        )
        n = len(scoring.names)
        for t, score in enumerate(scores, start=1):
            if score is not None:
                values = np.asarray(score, float)
                costs = {"steps": t * steps, "gflops": t * gflops, "bytes": megabytes[t - 1]}
                yield Line(
                    (method.name, t),
                    dict(zip(scoring.names, values[:n].tolist())) | costs,
                    {
                        "score": values[n:].astype(np.float32),
                        "cluster": unclustered,
                        "true_cluster": unclustered,
                    },
                )


def standing_still(scoring: RoundScoring, clients: list[np.ndarray], task: Task) -> Stop:
    """Make what stops a training at its plateau.

    Raises
    ------
    UserError
        Not all rounds are scored, or the first metric has no better values.
    """
    options, name = scoring.options, scoring.main
    metric = scoring.metrics[name]
    if options.score != "all":
        raise UserError(f"plateau: needs score: all, not {options.score}")
    if metric.better is None or options.plateau is None:
        raise UserError(f"plateau: {name} has no better values, so nothing can stand still")
    least = floor(clients, scoring.held, scoring.targets, task, name, metric)
    plateau = Plateau(options.plateau, least, 1 if metric.better == "higher" else -1)
    place = scoring.names.index(f"{name}@held_out")

    def stop(scores: Sequence[npt.ArrayLike | None]) -> bool:
        """Tell whether the training stands still."""
        return plateau.is_reached([np.ravel(s)[place] for s in scores if s is not None])

    return stop


def local_training(
    options: Options, task: Task, model: Architecture | None = None
) -> LocalTraining:
    """Make the training of a client in a round: of a model, or of the run's architecture."""
    model = supervised.architecture(options, task) if model is None else model
    return supervised.local_training(options, SupervisedLoss(model, task.kind), options.stacked)


def make(method: Method, options: Options, task: Task) -> Algorithm:
    """Make the algorithm of a method, on the architecture of the run.

    Raises
    ------
    UserError
        The algorithm has no such options, or the architecture lacks what it needs.
    """
    kind = plugins.load("kinds/synchronous/algorithms", method.algorithm, "ALGORITHM")
    model = supervised.architecture(options, task)
    try:
        return kind(**method.options).on(model)
    except (TypeError, UserError) as error:
        raise UserError(f"method {method.name}: {error}") from error


def settled(options: Options, algorithm: Algorithm, task: Task, sizes: Sequence[int]) -> Options:
    """Return the same training in steps and samples, if it is given in GFLOPs of a client."""
    if options.gflops is None and options.step_gflops is None:
        return options
    model, models = algorithm.model, max(algorithm.models, 1)
    sample_gflops = 6 * SupervisedLoss(model, task.kind).multiply_adds(task.steps) / 1e9
    if options.step_gflops is not None:
        batch_size = steps_within(options.step_gflops, 1, sample_gflops)
        options = replace(options, batch_size=batch_size, step_gflops=None)
    if options.gflops is not None:
        passes = options.rounds * algorithm.passes * np.mean(sizes) / 3 * sample_gflops
        left = max(options.gflops - float(passes), 0.0)
        steps = steps_within(left, options.rounds, models * sample_gflops * options.batch_size)
        budget = left / (options.rounds * models * sample_gflops)

        def distance(steps: int) -> float:
            """Subtract the samples that the budget is good for from those of so many steps."""
            training = local_training(replace(options, steps=steps, gflops=None), task, model)
            return float(abs(np.mean([training.n_drawn(n) for n in sizes]) - budget))

        while distance(steps + 1) < distance(steps):  # the last batches of clients are smaller
            steps += 1
        options = replace(options, steps=steps, gflops=None)
    return options


def is_scored(t: int, options: Options) -> bool:
    """Tell whether round t is one that is scored."""
    return {
        "all": True,
        "last": t == options.rounds,
        "doubling": t == options.rounds or t & (t - 1) == 0,
    }[options.score]


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Count the GFLOPs of all local steps, of all models that the algorithms train."""
    total = 0.0
    for method in methods:
        algorithm = make(method, options, task)
        of_method = settled(options, algorithm, task, sizes)
        training = local_training(of_method, task, algorithm.model)
        drawn = 3 * algorithm.models * sum(training.n_drawn(n) for n in sizes)
        passes = options.rounds * (drawn + algorithm.passes * sum(sizes))
        total += passes * 2 * training.objective.multiply_adds(task.steps) / 1e9
    return total
