"""A job of synchronous training: one architecture, by each of some algorithms."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fedreact import plugins
from fedreact.clients.exchange import exchanged
from fedreact.clients.validation import held_back
from fedreact.engine.engine import Job
from fedreact.engine.local_training import LocalTraining, say_if_missed, steps_within
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import supervised
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.kinds.synchronous.engine import federate, training_costs
from fedreact.kinds.synchronous.spec import Options
from fedreact.losses.supervised import SupervisedLoss
from fedreact.metrics.contract import Metric
from fedreact.models.architectures.contract import Architecture
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
    """Train by each algorithm; a line for each and each scored round.

    Scores are means over clients, each with the model that the algorithm gives it, on its own test
    samples, and by the first metric on another client's (``exchange``). Beside the metrics asked
    for: what a client's training has taken so far, in local steps and GFLOPs, and what has gone
    between it and the server. Progress is kept after each round, also that of an algorithm that is
    done.
    """
    data, partition = inputs.data, inputs.partition
    task, X = data.task, data.steps_first
    if options.validate:
        partition = held_back(partition, len(data.y), seed)
    clients, tests = partition.train, partition.test
    y, unit, centre = data.y, 1.0, 0.0
    if task.kind == "regression":
        y, unit, centre = standardise(data.y, clients)
    main = next(iter(metrics))
    names, others = list(metrics), []
    if options.exchange:
        names.append(f"{main}@another_client")
        others = exchanged(partition, data.owner, seed)
    of_tests = hashlib.sha256(b"".join(np.asarray(test).tobytes() for test in [*tests, *others]))
    scored = f"{names} {options.score} {of_tests.hexdigest()}"
    for method in methods:
        algorithm = make(method, options, task)
        of_method = settled(options, algorithm, task, [len(of) for of in clients])
        training = local_training(of_method, task, algorithm.model)
        job = Job(training, algorithm, X, clients, seed, y)
        theta = supervised.first_weights(training, seed)

        def score(engine, server, state, t, algorithm=algorithm, name=method.name):
            """Means by metric, then the clients' scores by the first."""
            if not is_scored(t, options):
                return None
            of_round = (engine, algorithm, server, state)
            try:
                found = client_scores(*of_round, tests, y, metrics, unit, centre)
                means = [metrics[metric].over(of) for metric, of in found.items()]
                if others:
                    first = {main: metrics[main]}
                    elsewhere = client_scores(*of_round, others, y, first, unit, centre)
                    means.append(metrics[main].over(elsewhere[main]))
            except UserError as error:
                raise UserError(f"method {name}, round {t}: {error}") from error
            return [*means, *found[main]]

        what = f"{method.name}, {inputs.setting}, seed {seed}"
        steps, gflops = training_costs(job)
        say_if_missed(what, options.gflops, options.rounds * gflops)
        _, scores, megabytes = federate(
            job, theta, options.rounds, what, place.named(method.name), score, scored
        )
        for t, values in enumerate(scores, start=1):
            if values is not None:
                taken = {"steps": t * steps, "gflops": t * gflops, "bytes": megabytes[t - 1]}
                means, of_clients = values[: len(names)], np.asarray(values[len(names) :])
                nowhere = np.full(len(clients), -1, dtype=np.int16)
                yield Line(
                    (method.name, t),
                    dict(zip(names, map(float, means))) | taken,
                    {"score": of_clients.astype(np.float32)}
                    | {"cluster": nowhere, "true_cluster": nowhere},
                )


def local_training(
    options: Options, task: Task, model: Architecture | None = None
) -> LocalTraining:
    """What clients do in a round, and how many of them at once."""
    return replace(supervised.local_training(options, task, model), stacked=options.stacked)


def make(method: Method, options: Options, task: Task) -> Algorithm:
    """Make the algorithm of a method, on the architecture of the run."""
    kind = plugins.load("kinds/synchronous/algorithms", method.algorithm, "ALGORITHM")
    model = supervised.architecture(options, task)
    try:
        return kind(**method.options).on(model)
    except (TypeError, UserError) as error:
        raise UserError(f"method {method.name}: {error}") from error


def settled(options: Options, algorithm: Algorithm, task: Task, sizes: Sequence[int]) -> Options:
    """The same training in steps and samples, if given in GFLOPs of a client."""
    if options.gflops is None and options.step_gflops is None:
        return options
    model, models = algorithm.model, max(algorithm.models, 1)
    of_sample = 6 * SupervisedLoss(model, task.kind).multiply_adds(task.steps) / 1e9
    if options.step_gflops is not None:
        batch_size = steps_within(options.step_gflops, 1, of_sample)
        options = replace(options, batch_size=batch_size, step_gflops=None)
    if options.gflops is not None:
        passes = options.rounds * algorithm.passes * np.mean(sizes) / 3 * of_sample
        left = max(options.gflops - passes, 0)
        of_batch = models * of_sample * options.batch_size
        steps = steps_within(left, options.rounds, of_batch)
        budget = left / (options.rounds * models * of_sample)

        def off(steps):
            """How far so many steps are from the samples that the budget is good for."""
            training = local_training(replace(options, steps=steps, gflops=None), task, model)
            return abs(np.mean([training.n_drawn(n) for n in sizes]) - budget)

        while off(steps + 1) < off(steps):  # the last batches of clients are smaller
            steps += 1
        options = replace(options, steps=steps, gflops=None)
    return options


def is_scored(t: int, options: Options) -> bool:
    """Whether round t is one that is scored."""
    return {
        "all": True,
        "last": t == options.rounds,
        "doubling": t == options.rounds or t & (t - 1) == 0,
    }[options.score]


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs of all local steps, of all models that the algorithms train."""
    total = 0.0
    for method in methods:
        algorithm = make(method, options, task)
        of_method = settled(options, algorithm, task, sizes)
        training = local_training(of_method, task, algorithm.model)
        drawn = 3 * algorithm.models * sum(training.n_drawn(n) for n in sizes)
        seen = options.rounds * (drawn + algorithm.passes * sum(sizes))
        total += seen * 2 * training.objective.multiply_adds(task.steps) / 1e9
    return total
