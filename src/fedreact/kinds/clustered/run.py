"""A job of Phase 2: all methods of a setting side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fedreact import plugins
from fedreact.clients import checks
from fedreact.clients.drifts.schedule import schedule
from fedreact.clients.exchange import exchanged
from fedreact.clients.validation import held_back
from fedreact.clustering.n_clusters import choose
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.clustered import engine
from fedreact.kinds.clustered.contract import Algorithm, Setting
from fedreact.kinds.clustered.spec import Options
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
    """Run all rounds; a line for each round and method.

    Beside the metrics asked for: the Rand score, how many clusters there are, what a client's
    training in Phase 1 and the features of its samples took (fits of Phase 2 are not counted), and
    what has gone between it and the server in both phases.
    """
    if options.validate:
        drawn = held_back(inputs.partition, len(inputs.data.y), seed)
        inputs = replace(inputs, partition=drawn)
    features, y, task = linear_task(inputs, options, seed)
    drawn, o = inputs.partition, options
    drift = o.drift and plugins.make("clients/drifts", o.drift, "DRIFT", "drift")
    plan = schedule(
        drawn.clusters, drawn.distributions, o.rounds, seed, drift or None, o.participation
    )
    setting = Setting(
        n_clusters=len(np.unique(drawn.clusters)),
        seed=seed,
        truth=plan.truth,
        linkage=o.linkage,
        iterations=o.affect_iterations,
        start=o.affect_start,
        first_alpha=o.affect_first_alpha,
        send=o.send,
        unsent=o.unsent,
        identity=o.identity,
    )

    def told(setting, how):
        """The setting with the number of clusters that is given, or chosen (appendix E)."""
        if not isinstance(how, int):
            at, valid = engine.labelled_samples(drawn.train, o.samples_per_round, seed, 1)
            models = task.fit(features[at], y[at], valid)
            how = choose(how, models.reshape(len(models), -1), o.linkage)
        if not 1 <= how <= len(drawn.train):
            raise UserError(f"{len(drawn.train)} clients cannot be {how} clusters")
        return replace(setting, n_clusters=how)

    if o.n_clusters is not None:
        setting = told(setting, o.n_clusters)
    made = {}
    for method in methods:
        try:
            how = method.of_run.get("n_clusters")
            made[method.name] = make(method, setting if how is None else told(setting, how))
        except UserError as error:
            raise UserError(f"method {method.name}: {error}") from error
    scores = engine.run(
        *(features, y, drawn, plan, made, task, seed),
        *(metrics, o.samples_per_round, o.test_on),
        exchanged(drawn, inputs.data.owner, seed) if o.exchange else None,
    )
    steps, gflops, megabytes = inputs.taken
    model = 4 * inputs.data.task.outputs * (features.shape[1] + 1) / 1e6
    for score in scores:
        sent = options.participation * score.t * model * sum(traffic(made[score.method]))
        yield Line(
            (score.method, score.t),
            score.values
            | {"rand": score.rand, "n_clusters": score.n_clusters}
            | {"steps": steps, "gflops": gflops + score.gflops, "bytes": megabytes + sent},
            score.clients,
        )


def traffic(algorithm: Algorithm) -> tuple[int, int]:
    """Task models that a client receives and uploads in a round: one each, for most."""
    return algorithm.traffic() if hasattr(algorithm, "traffic") else (1, 1)


def make(method: Method, setting: Setting) -> Algorithm:
    """Make the algorithm of a method."""
    kind = plugins.load("kinds/clustered/algorithms", method.algorithm, "ALGORITHM")
    try:
        return kind(setting, **method.options)
    except TypeError as error:
        raise UserError(str(error)) from error


def linear_task(
    inputs: Inputs, options: Options, seed: int
) -> tuple[np.ndarray, np.ndarray, LinearTask]:
    """Features, targets and what clients fit.

    For regression, features and targets are standardised over the clients' train samples.
    """
    features, data, train = inputs.features, inputs.data, inputs.partition.train
    task, y = data.task, data.y
    if options.feature_scaling == "standard" or task.kind == "regression":
        features, *_ = standardise(features, train)
    elif options.feature_scaling == "spread":
        features = features / (features[np.unique(np.concatenate(train))].std() or 1)
    if task.kind != "regression":
        return features, y, Classification(task.outputs, options.C, options.loss)
    y, unit, centre = standardise(y, train)
    if y.ndim == 1:
        unit, centre = float(unit), float(centre)
    sgd = (options.sgd_epochs, options.sgd_batch_size, options.sgd_learning_rate)
    how = (options.regressor, options.penalty, sgd, seed)
    return features, y, Regression(unit, centre, task.outputs, *how)


def findings(inputs: Inputs, options: Options, methods: Sequence[Method]) -> list[str]:
    """What makes methods alike that should differ."""
    drawn, features, found = inputs.partition, inputs.features, []
    if (features[:1] == features).all():
        found.append("The encoder gives all series the same features.")
    K, whole = len(drawn.train), checks.whole_train_sets(drawn, options.samples_per_round)
    if options.rounds > 1 and options.drift is None and 2 * whole > K:
        found.append(
            f"A round takes {options.samples_per_round} samples, which is all that {whole} of {K} "
            "clients have: their rounds are the same, and memory has nothing to average "
            "(samples_per_round)."
        )
    told = {options.n_clusters, *(method.of_run.get("n_clusters") for method in methods)}
    merging = any(method.options.get("clusters") != "each" for method in methods)
    if merging and told <= {None, 1} and len(np.unique(drawn.clusters)) == 1 and K > 1:
        found.append(
            "There is one cluster, so methods that merge within clusters average over all clients "
            "(n_clusters says how many to find)."
        )
    return found


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs to expect, for the time: Gram matrices and fits, and each method's descents and tests.

    These are the products that are computed; :mod:`fedreact.kinds.clustered.work` counts those that
    a table shows.
    """
    n, c, D = options.samples_per_round, task.outputs, FEATURES
    m = np.minimum(n, sizes)
    fits = (2 * m**2 * D + 60 * c * m**2).sum()
    steps = sum(method.options.get("steps", 0) for method in methods)
    tests = 2 * c * D * np.asarray(sizes) / 9  # of clients that keep a tenth for them
    each = (4 * c * m * D + tests).sum()
    a_round = fits + len(methods) * each + steps * (4 * c * m**2).sum()
    return float(options.participation * options.rounds * a_round / 1e9)


FEATURES = 320
"""Of the encoder, for estimates."""
