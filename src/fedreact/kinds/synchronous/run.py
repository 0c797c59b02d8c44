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
from fedreact.kinds.synchronous.newcomers import Newcomers
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
    members
        ``int64 [M]``: clients that the metrics are over, those that train.
    newcomers
        Clients that join after the training, or ``None``.
    """

    options: Options
    metrics: Mapping[str, Metric]
    targets: ScaledTargets
    tests: list[np.ndarray]
    others: list[np.ndarray]
    held: list[np.ndarray]
    members: np.ndarray
    newcomers: Newcomers | None = None

    @property
    def main(self) -> str:
        """The first metric, by which each client's score is kept."""
        return next(iter(self.metrics))

    @property
    def names(self) -> list[str]:
        """Metrics, and the first one on other samples and of clients that join late."""
        subsets = {"another_client": self.others, "held_out": self.held}
        recorded = [name for name in subsets if subsets[name]]
        if self.newcomers is not None:
            recorded += ["zero_shot", "adapted"]
        return [*self.metrics, *(f"{self.main}@{name}" for name in recorded)]

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
        adapt_steps: int = 1,
    ) -> list[float] | None:
        """Return means by :attr:`names`, then the clients' scores by the first, after round t.

        Clients that join late do so after the last round, and adapt in ``adapt_steps``.

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
            means = [self._over(name, values) for name, values in scores.items()]
            metric = self.metrics[self.main]
            for samples in filter(None, (self.others, self.held)):
                more = score(tests=samples, metrics={self.main: metric})
                means.append(self._over(self.main, more[self.main]))
            of_all = scores[self.main]
            if (newcomers := self.newcomers) is not None:
                of_all[newcomers.clients] = np.nan
                means += [np.nan, np.nan]
                if t == self.options.rounds:
                    first = newcomers.zero_shot(engine, algorithm, server, state)
                    then = newcomers.adapted(engine, algorithm, server, state, t + 1, adapt_steps)
                    of_all[newcomers.clients] = then
                    means[-2:] = [metric.over(first), metric.over(then)]
        except UserError as error:
            raise UserError(f"method {method}, round {t}: {error}") from error
        return [*means, *of_all]

    def _over(self, name: str, values: np.ndarray) -> float:
        """Reduce clients' scores ``[K]`` to a metric of those that train."""
        return self.metrics[name].over(values[self.members])


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
    task = data.task
    split = partition
    if options.validate or options.plateau:
        split = held_back(partition, len(data.y), seed)
    clients, tested = split.train, split if options.validate else partition
    targets = scaled_targets(data, clients)
    others = exchanged(tested, data.owner, seed) if options.exchange else []
    held = split.test if options.plateau else []
    scoring = RoundScoring(options, metrics, targets, tested.test, others, held, partition.members)
    if partition.newcomers is not None:
        first = {scoring.main: metrics[scoring.main]}
        tests = [tested.test[k] for k in partition.newcomers]
        joining = Newcomers(partition.newcomers, tests, targets, first, place)
        scoring = replace(scoring, newcomers=joining)
    stop = standing_still(scoring, clients, task) if options.plateau else never
    unclustered = np.full(len(clients), -1, dtype=np.int16)
    for method in methods:
        algorithm = make(method, options, task)
        sizes = [len(clients[k]) for k in partition.members]
        of_method = settled(options, algorithm, task, sizes)
        training = local_training(of_method, task, algorithm.model)
        job = TrainingJob(
            training,
            algorithm,
            supervised.series(data, supervised.model_of(training)),
            clients,
            seed,
            targets.y,
            per_round(options, len(sizes)),
            None if partition.newcomers is None else partition.members,
        )
        name = f"{method.name}, {inputs.setting}, seed {seed}"
        steps, gflops = training_costs(job)
        warn_if_missed(name, options.gflops, options.rounds * gflops)
        _, scores, megabytes = federate(
            job,
            supervised.first_weights(training, seed),
            options.rounds,
            name,
            place.named(method.name),
            partial(
                scoring.score,
                method.name,
                algorithm,
                adapt_steps=adapt_steps(options, job),
            ),
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


def per_round(options: Options, n_members: int) -> int | None:
    """Count the clients that train in a round; ``None``: all."""
    if options.participation == 1:
        return None
    return max(1, round(options.participation * n_members))


def adapt_steps(options: Options, job: TrainingJob[Algorithm]) -> int:
    """Count the steps of a client that joins late: as many as another has taken in all."""
    if options.adapt_steps is not None:
        return options.adapt_steps
    steps = np.mean([job.training.n_steps(n) for n in job.sizes])
    return max(1, round(options.rounds * job.share * float(steps)))


def standing_still(scoring: RoundScoring, clients: list[np.ndarray], task: Task) -> Stop:
    """Make what stops a training at its plateau.

    Raises
    ------
    UserError
        Only the last round is scored, or the first metric has no better values.
    """
    options, name = scoring.options, scoring.main
    metric = scoring.metrics[name]
    if options.score == "last":
        raise UserError("plateau: needs score: all or doubling, not last")
    if metric.better is None or options.plateau is None:
        raise UserError(f"plateau: {name} has no better values, so nothing can stand still")
    least = floor(clients, scoring.held, scoring.targets, task, name, metric)
    plateau = Plateau(options.plateau, least, 1 if metric.better == "higher" else -1)
    place = scoring.names.index(f"{name}@held_out")

    def stop(scores: Sequence[npt.ArrayLike | None]) -> bool:
        """Tell whether the training stands still."""
        return plateau.is_reached([np.nan if s is None else np.ravel(s)[place] for s in scores])

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
        trained = per_round(options, len(sizes)) or len(sizes)
        rounds = options.rounds * trained / len(sizes)  # in which a client trains, on average
        passes = rounds * algorithm.passes * np.mean(sizes) / 3 * sample_gflops
        left = max(options.gflops - float(passes), 0.0)
        steps = steps_within(left, rounds, models * sample_gflops * options.batch_size)
        budget = left / (rounds * models * sample_gflops)

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
        share = (per_round(options, len(sizes)) or len(sizes)) / len(sizes)
        passes = share * options.rounds * (drawn + algorithm.passes * sum(sizes))
        total += passes * 2 * training.objective.multiply_adds(task.steps) / 1e9
    return total
