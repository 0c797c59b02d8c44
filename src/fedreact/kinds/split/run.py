"""A job of split learning: some divided models, each trained on all tasks, then tested."""

import hashlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tqdm import tqdm

from fedreact import plugins
from fedreact.data.windows import Windows
from fedreact.engine.engine import resolve_device
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.contract import Inputs, Line, Method
from fedreact.kinds.split.contract import Algorithm, Fitted
from fedreact.kinds.split.engine import Federation, multiply_adds
from fedreact.kinds.split.shown import found_by_run, of_attention, of_forecasts
from fedreact.kinds.split.spec import Options
from fedreact.kinds.synchronous.engine import load_checkpoint, parts_of, save_checkpoint
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.metrics.contract import Metric
from fedreact.rng import generator
from fedreact.task import Task

log = logging.getLogger("fedreact")

SECONDS = 20.0
"""Between checkpoints."""


@dataclass(frozen=True)
class Tasks:
    """What K clients have: window i of one enters a step beside window i of all others.

    Attributes
    ----------
    X
        All windows, steps first.
    y
        Their targets, scaled if they are numbers.
    fit, held, test
        Windows ``[K, n]`` to train on, to validate on, to test on.
    unit, low
        ``[K, M]``: a target is ``low`` and ``unit`` times what is learnt.
    """

    X: np.ndarray | Windows
    y: np.ndarray
    fit: np.ndarray
    held: np.ndarray
    test: np.ndarray
    unit: np.ndarray
    low: np.ndarray


def run(
    inputs: Inputs,
    options: Options,
    methods: Sequence[Method],
    metrics: Mapping[str, Metric],
    seed: int,
    place: Place,
) -> Iterator[Line]:
    """Train each model and test it; a line for each.

    Scores are means over clients, each on its own test windows. In the record of clients is also
    what models show of themselves (:mod:`fedreact.kinds.split.shown`).
    """
    data, tasks = inputs.data, prepared(inputs, options)
    for method in methods:
        algorithm = made(method)
        what = f"{method.name}, {inputs.setting}, seed {seed}"
        if isinstance(algorithm, Fitted):
            outputs, costs, seen = fitted(algorithm, tasks, data.task)
        else:
            outputs, costs, seen = trained(
                algorithm, tasks, options, data.task, seed, what, place.named(method.name)
            )
        if data.task.kind == "regression":
            outputs = outputs * tasks.unit[:, None] + tasks.low[:, None]
        if not np.isfinite(outputs).all():
            raise UserError(f"{what}: predictions are NaN or infinite; use a smaller learning rate")
        true = data.y[tasks.test].reshape(*tasks.test.shape, *data.y.shape[1:])
        scores = {
            name: np.array([of.score(*one) for one in zip(outputs, true)])
            for name, of in metrics.items()
        }
        nowhere = np.full(len(true), -1, dtype=np.int16)
        clients = {"score": next(iter(scores.values())).astype(np.float32)}
        clients |= {"cluster": nowhere, "true_cluster": nowhere}
        clients |= {f"score_{name}": of.astype(np.float32) for name, of in scores.items()}
        clients |= of_forecasts(outputs, true) | of_attention(seen, *tasks.test.shape, data.task)
        before = None if data.previous is None else data.previous[tasks.test]
        values = {name: metrics[name].over(of) for name, of in scores.items()}
        yield Line((method.name, 1), values | found_by_run(outputs, true, before) | costs, clients)


def made(method: Method) -> Algorithm:
    """Make the algorithm of a method."""
    kind = plugins.load("kinds/split/algorithms", method.algorithm, "ALGORITHM")
    try:
        return kind(**method.options)
    except UserError as error:
        raise UserError(f"method {method.name}: {error}") from error


def prepared(inputs: Inputs, options: Options) -> Tasks:
    """Windows and scaled targets of all clients.

    Raises
    ------
    UserError
        Clients have different numbers of windows, or too few.
    """
    data, drawn = inputs.data, inputs.partition
    for name, sets in (("train", drawn.train), ("test", drawn.test)):
        if len({len(own) for own in sets}) > 1:
            raise UserError(
                f"{inputs.setting}: clients have different numbers of {name} windows, and window i "
                "of each enters a step together; deal them with by: aligned"
            )
    train, test = np.stack(drawn.train), np.stack(drawn.test)
    first, there = divided(options, train.shape[1])
    if not first:
        raise UserError(f"{inputs.setting}: {train.shape[1]} train windows are too few")
    fit, held = train[:, :first], train[:, there:]
    K, M = len(train), data.task.outputs
    y, unit, low = data.y, np.ones((K, M)), np.zeros((K, M))
    whole = np.concatenate([train, test], axis=1)
    seen = fit if options.scaled_by == "train" else whole
    if data.task.kind == "regression":
        y = data.y.reshape(len(data.y), M).astype(float)
        low, unit, _ = _range(y[seen], axis=1)
        scaled = np.zeros_like(y)
        for k, own in enumerate(whole):
            scaled[own] = (y[own] - low[k]) / unit[k]
        y = scaled.astype(np.float32)
    return Tasks(ranged(data.steps_first, whole, seen), y, fit, held, test, unit, low)


def ranged(X: np.ndarray | Windows, whole: np.ndarray, seen: np.ndarray) -> np.ndarray | Windows:
    """Windows with each client's channels brought to [0, 1] by their range in what it has seen.

    What does not vary there becomes 0. Other windows than those of clients are not kept.

    Parameters
    ----------
    whole, seen
        ``[K, n]``: all windows of each client, and those that say the range.
    """
    if isinstance(X, np.ndarray):
        found = np.zeros_like(X)
        for own, mine in zip(whole, seen):
            low, unit, varies = _range(X[mine], axis=(0, 1))
            found[own] = np.where(varies, (X[own] - low) / unit, 0)
        return found
    values, starts, before = [], np.zeros_like(X.starts), 0
    for own, mine in zip(whole, seen):
        first, end = X.starts[own].min(), X.starts[own].max() + X.length
        low, unit, varies = _range(X[mine], axis=(0, 1))
        values.append(np.where(varies, (X.values[first:end] - low) / unit, 0).astype(np.float32))
        starts[own] = X.starts[own] - first + before
        before += end - first
    return Windows(np.concatenate(values), starts, X.length)


def _range(values, axis):
    """The least of some values, how far they reach (1 where they do not vary), whether they do."""
    low = values.min(axis)
    span = values.max(axis) - low
    return low, np.where(span > 0, span, 1), span > 0


def divided(options: Options, n_train: int) -> tuple[int, int]:
    """Of train windows, how many are trained on, and where those to validate on begin."""
    there = n_train - max(1, round(options.validation * n_train))
    return (max(1, round(options.share * there)) if there > 0 else 0), there


def loss_of(algorithm: Algorithm, options: Options, task: Task) -> LossOfTasks:
    """What a model's outputs are, and their loss."""
    return LossOfTasks(task.kind, options.labels, algorithm.smoothing, options.bounded)


# ---- Training ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """How long a training is.

    Attributes
    ----------
    points
        After how many steps models are validated, rising; the last is the end.
    per_epoch
        Steps of an epoch.
    of_step, of_validation
        GFLOPs of a client.
    """

    points: tuple[int, ...]
    per_epoch: int
    of_step: float
    of_validation: float

    def gflops(self, steps: int, validations: int) -> float:
        """Of a client until then."""
        return steps * self.of_step + validations * self.of_validation


def planned(options: Options, forward: float, n_fit: int, n_held: int) -> Plan:
    """The plan of a model whose forward pass takes so many GFLOPs a window.

    By the usual count a backward pass takes two forward passes.
    """
    batch = min(options.batch_size, n_fit)
    per_epoch = -(-n_fit // batch)
    # The last batch of an epoch is smaller; a step is one of mean size.
    of_step, of_held = 3 * forward * n_fit / per_epoch, forward * n_held
    if options.gflops is None:
        points = tuple(range(per_epoch, options.epochs * per_epoch + 1, per_epoch))
    else:
        left = options.gflops - options.points * of_held
        steps = min(round(left / of_step), options.epochs * per_epoch)
        steps = max(options.points, steps)
        points = tuple(-(-i * steps // options.points) for i in range(1, options.points + 1))
    return Plan(points, per_epoch, of_step, of_held)


def batch_of(options: Options, seed: int, n_fit: int, per_epoch: int, t: int) -> np.ndarray:
    """Which of a client's windows enter step ``t``, from 0 on; the same of all clients."""
    epoch, i = divmod(t, per_epoch)
    size = min(options.batch_size, n_fit)
    order = np.arange(n_fit)
    if options.shuffle:
        order = generator(seed, "split order", epoch).permutation(n_fit)
    return order[i * size : (i + 1) * size]


def trained(
    algorithm: Algorithm,
    tasks: Tasks,
    options: Options,
    task: Task,
    seed: int,
    what: str,
    place: Place,
) -> tuple[np.ndarray, dict[str, float], dict[str, torch.Tensor]]:
    """Train, and predict the test windows with the weights that are kept.

    Returns
    -------
    outputs, costs, seen
        ``[K, n, M]``, as they are learnt; what a client took on average; what is shown of attention
        in the test windows.
    """
    K, device = len(tasks.fit), resolve_device(place.device)
    plan = planned(
        *(options, 2 * multiply_adds(algorithm, task, K) / 1e9),
        *(tasks.fit.shape[1], tasks.held.shape[1]),
    )
    X, y = _tensor(tasks.X, device), _tensor(tasks.y, device)
    kind = options.optimizer
    federation = Federation(
        *(algorithm, task, K, X, y, loss_of(algorithm, options, task)),
        *(plugins.make("optimizers", kind, "OPTIMIZER", "optimizer"), options.learning_rate, seed),
        dropout=(options.dropout, options.recurrent_dropout),
        rectified=options.cell == "relu",
        one_owner=options.owners == "one",
        workers=place.workers,
        device=device,
    )
    identity = _identity(algorithm, tasks, options, seed, device)
    t, done, waited, least, best = 0, 0, 0, np.inf, federation.weights()
    history: list[np.ndarray] = []
    saved = load_checkpoint(place.checkpoint, identity)
    if saved is not None:
        t, done, waited = (int(saved[f"at_{name}"]) for name in ("step", "validations", "waited"))
        least, history = float(saved["at_least"]), list(saved["scores"])
        federation.sent[:] = saved["at_sent"]
        federation.set_weights(parts_of(saved, "now"))
        federation.set_optimizers(parts_of(saved, "optimizer"))
        best = parts_of(saved, "best")
        log.info("resuming after step %d of %d (%s)", t, plan.points[-1], place.checkpoint)
    started = last = time.monotonic()
    with (
        place.alone(),
        tqdm(total=plan.points[-1], initial=t, unit="step", disable=None) as bar,
    ):
        try:
            for end in plan.points[done:]:
                while t < end:
                    at = batch_of(options, seed, tasks.fit.shape[1], plan.per_epoch, t)
                    federation.step(tasks.fit[:, at], t)
                    t += 1
                    bar.update()
                found = federation.losses(tasks.held)
                if not np.isfinite(found).all():
                    raise UserError(f"{what}: diverged by step {t}; use a smaller learning rate")
                done, history, now = done + 1, [*history, found], float(found.sum())
                waited += 1
                if now < least:
                    least, waited, best = now, 0, federation.weights()
                log.info("%s: step %d of %d, loss %.4f", what, t, plan.points[-1], now / K)
                stops = waited >= options.patience or end == plan.points[-1]
                if not stops and time.monotonic() - last > SECONDS:
                    at = {"step": t, "validations": done, "waited": waited, "least": least}
                    save_checkpoint(
                        *(place.checkpoint, {}, {}, t, history, [], identity),
                        at={name: np.array(of) for name, of in at.items()}
                        | {"sent": federation.sent},
                        now=federation.weights(),
                        best=best,
                        optimizer=federation.optimizers(),
                    )
                    last = time.monotonic()
                if stops:
                    break
            if options.keep == "best":
                federation.set_weights(best)
            z, seen = federation.outputs(tasks.test, sent=False)
            outputs = federation.loss.predicted(z).double().cpu().numpy()
        finally:
            federation.close()
    log.info("%s: %.0f s", what, time.monotonic() - started)
    up, down = (federation.sent / K / 1e6).tolist()
    n_weights = sum(of.size for of in best.values())
    costs = {"steps": float(t), "gflops": plan.gflops(t, done), "n_weights": float(n_weights)}
    return outputs, costs | {"bytes_up": up, "bytes_down": down, "bytes": up + down}, seen


def fitted(
    algorithm: Fitted, tasks: Tasks, task: Task
) -> tuple[np.ndarray, dict[str, float], dict[str, torch.Tensor]]:
    """The same of what each client fits alone."""
    outputs = []
    for fit, held, test in zip(tasks.fit, tasks.held, tasks.test):
        wanted = [_numbers(tasks.y[at], task) for at in (fit, held)]
        predict = algorithm.fit(tasks.X[fit], wanted[0], tasks.X[held], wanted[1])
        outputs.append(predict(tasks.X[test]))
    nothing = dict.fromkeys(("bytes_up", "bytes_down", "bytes", "steps"), 0.0)
    costs = {"gflops": algorithm.gflops(task, tasks.fit.shape[1])}
    return np.stack(outputs), {**nothing, **costs, "n_weights": np.nan}, {}


def _numbers(y, task):
    """Targets to be fitted: 1 for labels that are true, -1 for others."""
    if task.kind == "classification":
        y = y[:, None] == np.arange(task.outputs)
    return np.where(y, 1.0, -1.0) if y.dtype == bool else y.astype(float)


def _tensor(values, device):
    if isinstance(values, Windows):
        return values.tensors(lambda tensor: tensor.to(device))
    return torch.from_numpy(values).to(device)


def _identity(algorithm, tasks, options, seed, device):
    """Digest of the work; a checkpoint of other work is not resumed."""
    digest = hashlib.sha256(f"{algorithm} {options} {seed=} {device=}".encode())
    X = tasks.X
    series = [X] if isinstance(X, np.ndarray) else [X.values, X.starts]
    for array in (*series, tasks.y, tasks.fit, tasks.held, tasks.test):
        digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """GFLOPs of all clients and methods, if none stops early."""
    K, n_train = len(sizes), min(sizes)
    n_fit, there = divided(options, n_train)
    total = 0.0
    for method in methods:
        algorithm = made(method)
        if isinstance(algorithm, Fitted):
            total += K * algorithm.gflops(task, n_fit)
            continue
        forward = 2 * multiply_adds(algorithm, task, K) / 1e9
        plan = planned(options, forward, max(1, n_fit), n_train - there)
        total += K * plan.gflops(plan.points[-1], len(plan.points))
    return total
