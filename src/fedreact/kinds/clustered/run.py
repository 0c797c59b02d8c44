"""A job of Phase 2: all methods of a setting side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fedreact import plugins
from fedreact.clients import checks
from fedreact.clients.drifts.schedule import Schedule, schedule
from fedreact.clients.exchange import exchanged
from fedreact.clients.partition import Partition
from fedreact.clients.validation import held_back
from fedreact.clustering.hierarchical import cosine_similarity
from fedreact.clustering.n_clusters import choose
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered.contract import Algorithm, CountsTraffic, Setting
from fedreact.kinds.clustered.spec import Options, TaskModelOptions
from fedreact.kinds.clustered.tasks import Classification, LinearTask, Regression
from fedreact.kinds.contract import Inputs, Line, Method
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
    """Run all rounds, and yield a line for each round and method.

    Beside the metrics, a line has the Rand score, the number of clusters, a client's steps (those
    of Phase 1), its GFLOPs, and its megabytes to and from the server in both phases.

    Raises
    ------
    UserError
        Clients cannot be so many clusters, or a method cannot run.
    """
    if options.validate:
        partition = held_back(inputs.partition, len(inputs.data.y), seed)
        inputs = replace(inputs, partition=partition)
    partition = inputs.partition
    features, y, task = linear_task(inputs, options, seed)
    phase2 = engine.Phase2(
        features,
        y,
        partition,
        drawn_schedule(partition, options, seed),
        task,
        seed,
        options.samples_per_round,
        options.test_on,
        exchanged(partition, inputs.data.owner, seed) if options.exchange else None,
    )
    algorithms = make_all(methods, phase2, options)
    steps, gflops, megabytes = inputs.taken
    model = 4 * inputs.data.task.outputs * (features.shape[1] + 1) / 1e6
    for score in engine.run(phase2, algorithms, metrics):
        models = options.participation * score.t * sum(traffic(algorithms[score.method]))
        costs = {
            "steps": steps,
            "gflops": gflops + score.gflops,
            "bytes": megabytes + models * model,
        }
        clusters = {"rand": score.rand, "n_clusters": score.n_clusters}
        yield Line((score.method, score.t), score.values | clusters | costs, score.clients)


def drawn_schedule(partition: Partition, options: Options, seed: int) -> Schedule:
    """Draw what clients hold in each round, and which take part."""
    drift = None
    if options.drift:
        drift = plugins.make("clients/drifts", options.drift, "DRIFT", "drift")
    drawn = schedule(
        partition.clusters,
        partition.distributions,
        options.rounds,
        seed,
        drift,
        options.participation,
    )
    if partition.newcomers is None:
        return drawn
    present = drawn.present.copy()
    present[:, partition.newcomers] = False
    present[~present.any(1), partition.members[0]] = True  # a round without anybody is none
    present[-1, partition.newcomers] = True
    return replace(drawn, present=present)


def make_all(
    methods: Sequence[Method], phase2: engine.Phase2, options: Options
) -> dict[str, Algorithm]:
    """Make the algorithms of methods, by name.

    Raises
    ------
    UserError
        An option of a method, or its number of clusters, is out of bounds.
    """
    true_number = len(np.unique(phase2.partition.clusters))
    setting = setting_of(options, true_number, phase2.seed, phase2.schedule.truth)
    if options.n_clusters is not None:
        setting = with_clusters(setting, options.n_clusters, phase2)
    algorithms = {}
    for method in methods:
        try:
            number = method.of_run.get("n_clusters")
            own = setting if number is None else with_clusters(setting, number, phase2)
            algorithms[method.name] = make(method, own)
        except UserError as error:
            raise UserError(f"method {method.name}: {error}") from error
    return algorithms


def setting_of(
    options: Options, n_clusters: int, seed: int, truth: np.ndarray | None = None
) -> Setting:
    """Return the options that the algorithms of a run have in common."""
    return Setting(
        n_clusters=n_clusters,
        seed=seed,
        truth=truth,
        linkage=options.linkage,
        iterations=options.affect_iterations,
        start=options.affect_start,
        first_alpha=options.affect_first_alpha,
        send=options.send,
        unsent=options.unsent,
        identity=options.identity,
    )


def with_clusters(setting: Setting, number: int | str, phase2: engine.Phase2) -> Setting:
    """Return the setting with a given number of clusters, or one by a criterion (appendix E).

    Raises
    ------
    UserError
        Clients cannot be so many clusters.
    """
    train = [phase2.partition.train[k] for k in phase2.partition.members]
    if not isinstance(number, int):
        n = phase2.samples_per_round
        samples, valid = engine.labelled_samples(train, n, phase2.seed, 1)
        models = phase2.task.fit(phase2.features[samples], phase2.y[samples], valid)
        W = cosine_similarity(models.reshape(len(models), -1))
        number = choose(number, W, setting.linkage, seed=phase2.seed)
    if not 1 <= number <= len(train):
        raise UserError(f"{len(train)} clients cannot be {number} clusters")
    return replace(setting, n_clusters=number)


def traffic(algorithm: Algorithm) -> tuple[int, int]:
    """Count the task models that a client receives and uploads in a round: one each, for most."""
    return algorithm.traffic() if isinstance(algorithm, CountsTraffic) else (1, 1)


def make(method: Method, setting: Setting) -> Algorithm:
    """Make the algorithm of a method."""
    kind = plugins.load("kinds/clustered/algorithms", method.algorithm, "ALGORITHM")
    try:
        return kind(setting, **method.options)
    except TypeError as error:
        raise UserError(str(error)) from error


def features_of(inputs: Inputs) -> np.ndarray:
    """Return the features ``[N, D]`` of all series.

    Raises
    ------
    UserError
        The run has no features.
    """
    if inputs.features is None:
        raise UserError("clustered methods need features of all series")
    return inputs.features


def linear_task(
    inputs: Inputs, options: TaskModelOptions, seed: int
) -> tuple[np.ndarray, np.ndarray, LinearTask]:
    """Return features, targets and the model that clients fit.

    For regression, features and targets are standardised over the clients' train samples.
    """
    features, data, train = features_of(inputs), inputs.data, inputs.partition.train
    task, y = data.task, data.y
    if options.feature_scaling == "standard" or task.kind == "regression":
        features, *_ = standardise(features, train)
    elif options.feature_scaling == "spread":
        features = features / (features[np.unique(np.concatenate(train))].std() or 1)
    if task.kind != "regression":
        return features, y, Classification(task.outputs, options.C, options.loss)
    several = y.ndim > 1
    y, unit, centre = standardise(y, train)
    return (
        features,
        y,
        Regression(
            unit if several else float(unit),
            centre if several else float(centre),
            task.outputs,
            options.regressor,
            options.penalty,
            (options.sgd_epochs, options.sgd_batch_size, options.sgd_learning_rate),
            seed,
        ),
    )


def findings(inputs: Inputs, options: Options, methods: Sequence[Method]) -> list[str]:
    """List reasons why methods give the same results although they should differ."""
    partition, features = inputs.partition, features_of(inputs)
    sentences = []
    if (features[:1] == features).all():
        sentences.append("The encoder gives all series the same features.")
    K = len(partition.train)
    whole = checks.whole_train_sets(partition, options.samples_per_round)
    if options.rounds > 1 and options.drift is None and 2 * whole > K:
        sentences.append(
            f"Each round of clustered methods takes all train series of {whole} of {K} clients, so "
            "that their rounds are the same, and memory has nothing to average. A smaller "
            "samples_per_round draws anew."
        )
    numbers = {options.n_clusters, *(method.of_run.get("n_clusters") for method in methods)}
    merging = any(method.options.get("clusters") != "each" for method in methods)
    if merging and numbers <= {None, 1} and len(np.unique(partition.clusters)) == 1 and K > 1:
        sentences.append(
            "There is one cluster, so methods that merge within clusters average over all clients "
            "(n_clusters says how many to find)."
        )
    return sentences


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate GFLOPs, for the time: Gram matrices and fits, and each method's descents and tests.

    These are the products that are computed; :mod:`fedreact.kinds.clustered.work` counts those that
    a table shows.
    """
    n, c, D = options.samples_per_round, task.outputs, FEATURES
    m = np.minimum(n, sizes)
    fits = (2 * m**2 * D + 60 * c * m**2).sum()
    steps = sum(method.options.get("steps", 0) for method in methods)
    tests = 2 * c * D * np.asarray(sizes) / 9  # a tenth of a client's samples are its tests
    each = (4 * c * m * D + tests).sum()
    a_round = fits + len(methods) * each + steps * (4 * c * m**2).sum()
    return float(options.participation * options.rounds * a_round / 1e9)


FEATURES = 320
"""Number of features of the encoder, for estimates."""
