"""A job of split learning: some divided models, each trained on all tasks, then tested."""

import hashlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
from fedreact.kinds.split.engine import Federation, Learning, multiply_adds
from fedreact.kinds.split.shown import found_by_run, of_attention, of_forecasts
from fedreact.kinds.split.spec import Options
from fedreact.kinds.synchronous.engine import load_checkpoint, parts_of, save_checkpoint
from fedreact.losses.objective import Data
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.metrics.contract import Metric
from fedreact.rng import generator
from fedreact.task import Task

log = logging.getLogger("fedreact")

SECONDS = 20.0
"""Seconds between checkpoints."""


@dataclass(frozen=True)
class Tasks:
    """Windows of K clients: window i of one enters a step beside window i of all others.

    Attributes
    ----------
    X
        All windows, steps first.
    y
        Their targets, scaled if they are numbers.
    fit, held, test
        Windows ``[K, n]`` to train on, to validate on, to test on.
    unit, low
        ``[K, M]``: a target is ``low`` plus ``unit`` times the scaled target.
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
    """Train and test each model, and yield a line for it.

    Scores are means over clients, each on its own test windows. The record of clients also has
    forecasts and attention (:mod:`fedreact.kinds.split.shown`).

    Raises
    ------
    UserError
        Windows do not fit together, or a training diverges.
    """
    data, tasks = inputs.data, prepared(inputs, options)
    for method in methods:
        algorithm = made(method)
        what = f"{method.name}, {inputs.setting}, seed {seed}"
        if isinstance(algorithm, Fitted):
            outputs, costs, attention = fitted(algorithm, tasks, data.task)
        else:
            outputs, costs, attention = trained(
                algorithm, tasks, options, data.task, seed, what, place.named(method.name)
            )
        if data.task.kind == "regression":
            outputs = outputs * tasks.unit[:, None] + tasks.low[:, None]
        if not np.isfinite(outputs).all():
            raise UserError(f"{what}: predictions are NaN or infinite; use a smaller learning rate")
        true = data.y[tasks.test].reshape(*tasks.test.shape, *data.y.shape[1:])
        scores = {
            name: np.array([metric.score(z, y) for z, y in zip(outputs, true)])
            for name, metric in metrics.items()
        }
        nowhere = np.full(len(true), -1, dtype=np.int16)
        clients: dict[str, np.ndarray] = {"cluster": nowhere, "true_cluster": nowhere}
        clients = {"score": next(iter(scores.values())).astype(np.float32)} | clients
        clients |= {f"score_{name}": own.astype(np.float32) for name, own in scores.items()}
        clients |= of_forecasts(outputs, true)
        clients |= of_attention(attention, len(true), tasks.test.shape[1], data.task)
        before = None if data.previous is None else data.previous[tasks.test]
        values = {name: metrics[name].over(own) for name, own in scores.items()}
        yield Line((method.name, 1), values | found_by_run(outputs, true, before) | costs, clients)


def made(method: Method) -> Algorithm:
    """Make the algorithm of a method."""
    kind = plugins.load("kinds/split/algorithms", method.algorithm, "ALGORITHM")
    try:
        return kind(**method.options)
    except UserError as error:
        raise UserError(f"method {method.name}: {error}") from error


def prepared(inputs: Inputs, options: Options) -> Tasks:
    """Split the windows of all clients, and scale their targets.

    Raises
    ------
    UserError
        Clients have different numbers of windows, or too few.
    """
    data, partition = inputs.data, inputs.partition
    for name, sets in (("train", partition.train), ("test", partition.test)):
        if len({len(own) for own in sets}) > 1:
            raise UserError(
                f"{inputs.setting}: clients have different numbers of {name} windows, and window i "
                "of each enters a step together; deal them with by: aligned"
            )
    train, test = np.stack(partition.train), np.stack(partition.test)
    n_fit, first_held = divided(options, train.shape[1])
    if not n_fit:
        raise UserError(f"{inputs.setting}: {train.shape[1]} train windows are too few")
    fit, held = train[:, :n_fit], train[:, first_held:]
    K, M = len(train), data.task.outputs
    y, unit, low = data.y, np.ones((K, M)), np.zeros((K, M))
    whole = np.concatenate([train, test], axis=1)
    reference = fit if options.scaled_by == "train" else whole
    if data.task.kind == "regression":
        y = data.y.reshape(len(data.y), M).astype(float)
        low, unit, _ = _range(y[reference], axis=1)
        scaled = np.zeros_like(y)
        for k, own in enumerate(whole):
            scaled[own] = (y[own] - low[k]) / unit[k]
        y = scaled.astype(np.float32)
    return Tasks(ranged(data.steps_first, whole, reference), y, fit, held, test, unit, low)


def ranged(
    X: np.ndarray | Windows, whole: np.ndarray, reference: np.ndarray
) -> np.ndarray | Windows:
    """Scale each client's channels to [0, 1] by their range in its reference windows.

    Channels that do not vary there become 0. Only windows of clients are kept.

    Parameters
    ----------
    whole, reference
        ``[K, n]``: all windows of each client, and those that define the range.
    """
    if isinstance(X, np.ndarray):
        scaled = np.zeros_like(X)
        for own, defining in zip(whole, reference):
            low, unit, varies = _range(X[defining], axis=(0, 1))
            scaled[own] = np.where(varies, (X[own] - low) / unit, 0)
        return scaled
    values, starts, before = [], np.zeros_like(X.starts), 0
    for own, defining in zip(whole, reference):
        first, end = X.starts[own].min(), X.starts[own].max() + X.length
        low, unit, varies = _range(X[defining], axis=(0, 1))
        values.append(np.where(varies, (X.values[first:end] - low) / unit, 0).astype(np.float32))
        starts[own] = X.starts[own] - first + before
        before += end - first
    return Windows(np.concatenate(values), starts, X.length)


def _range(
    values: np.ndarray, axis: int | tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return minima, spans (1 for values that do not vary), and whether values vary."""
    low = values.min(axis)
    span = values.max(axis) - low
    return low, np.where(span > 0, span, 1), span > 0


def divided(options: Options, n_train: int) -> tuple[int, int]:
    """Return the number of train windows to fit, and the first one to validate on."""
    first_held = n_train - max(1, round(options.validation * n_train))
    return (max(1, round(options.share * first_held)) if first_held > 0 else 0), first_held


def loss_of(algorithm: Algorithm, options: Options, task: Task) -> LossOfTasks:
    """Return the loss of a model's outputs."""
    return LossOfTasks(task.kind, options.labels, algorithm.smoothing, options.bounded)


# ---- Training ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrainingPlan:
    """Length and cost of a training.

    Attributes
    ----------
    points
        Numbers of steps after which models are validated, rising; the last is the end.
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
        """Return the GFLOPs of a client for so many steps and validations."""
        return steps * self.of_step + validations * self.of_validation


def planned(options: Options, forward: float, n_fit: int, n_held: int) -> TrainingPlan:
    """Plan the training of a model whose forward pass takes ``forward`` GFLOPs a window.

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
    return TrainingPlan(points, per_epoch, of_step, of_held)


def batch_of(options: Options, seed: int, n_fit: int, per_epoch: int, t: int) -> np.ndarray:
    """Return the windows of each client that enter step ``t``, from 0 on."""
    epoch, i = divmod(t, per_epoch)
    size = min(options.batch_size, n_fit)
    order = np.arange(n_fit)
    if options.shuffle:
        order = generator(seed, "split order", epoch).permutation(n_fit)
    return order[i * size : (i + 1) * size]


@dataclass
class TrainingProgress:
    """Progress of a training, apart from weights and optimisers.

    Attributes
    ----------
    step, validations, waited
        Steps and validations so far, and validations since the smallest loss.
    least
        Smallest sum of validation losses.
    best
        Weights with that loss.
    history
        Validation losses ``[K]`` so far.
    """

    step: int
    validations: int
    waited: int
    least: float
    best: dict[str, np.ndarray]
    history: list[np.ndarray]

    @classmethod
    def begin(cls, federation: Federation) -> "TrainingProgress":
        """Begin with the weights of a federation."""
        return cls(0, 0, 0, np.inf, federation.weights(), [])

    @classmethod
    def resume(cls, path: Path, identity: str, federation: Federation) -> "TrainingProgress | None":
        """Load a checkpoint of the same work into a federation, or return ``None``."""
        saved = load_checkpoint(path, identity)
        if saved is None:
            return None
        federation.sent[:] = saved["at_sent"]
        federation.set_weights(parts_of(saved, "now"))
        federation.set_optimizers(parts_of(saved, "optimizer"))
        step, validations, waited = (
            int(saved[f"at_{name}"]) for name in ("step", "validations", "waited")
        )
        best, history = parts_of(saved, "best"), list(saved["scores"])
        return cls(step, validations, waited, float(saved["at_least"]), best, history)

    def save(self, path: Path, identity: str, federation: Federation) -> None:
        """Write a checkpoint."""
        numbers = {
            "step": self.step,
            "validations": self.validations,
            "waited": self.waited,
            "least": self.least,
        }
        save_checkpoint(
            path,
            {},
            {},
            self.step,
            self.history,
            [],
            identity,
            at={name: np.array(number) for name, number in numbers.items()}
            | {"sent": federation.sent},
            now=federation.weights(),
            best=self.best,
            optimizer=federation.optimizers(),
        )

    def note(self, losses: np.ndarray, federation: Federation) -> None:
        """Note validation losses ``[K]``, and the weights if their sum is the smallest."""
        self.validations += 1
        self.waited += 1
        self.history.append(losses)
        total = float(losses.sum())
        if total < self.least:
            self.least, self.waited, self.best = total, 0, federation.weights()


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
    outputs, costs, attention
        ``[K, n, M]``, in scaled units; costs of a client on average; attention in the test windows.

    Raises
    ------
    UserError
        The training diverges.
    """
    K, device = len(tasks.fit), resolve_device(place.device)
    n_fit, n_held = tasks.fit.shape[1], tasks.held.shape[1]
    plan = planned(options, 2 * multiply_adds(algorithm, task, K) / 1e9, n_fit, n_held)
    federation = Federation(
        algorithm,
        task,
        K,
        _on_device(tasks, device),
        learning_of(algorithm, options, task),
        seed,
        workers=place.workers,
        device=device,
    )
    identity = _identity(algorithm, tasks, options, seed, device)
    progress = TrainingProgress.resume(place.checkpoint, identity, federation)
    if progress is None:
        progress = TrainingProgress.begin(federation)
    else:
        done, end = progress.step, plan.points[-1]
        log.info("resuming after step %d of %d (%s)", done, end, place.checkpoint)
    started = last = time.monotonic()
    try:
        with (
            place.alone(),
            tqdm(total=plan.points[-1], initial=progress.step, unit="step", disable=None) as bar,
        ):
            for end in plan.points[progress.validations :]:
                while progress.step < end:
                    batch = batch_of(options, seed, n_fit, plan.per_epoch, progress.step)
                    federation.step(tasks.fit[:, batch], progress.step)
                    progress.step += 1
                    bar.update()
                losses = federation.losses(tasks.held)
                if not np.isfinite(losses).all():
                    raise UserError(
                        f"{what}: diverged by step {progress.step}; use a smaller learning rate"
                    )
                progress.note(losses, federation)
                mean = float(losses.sum()) / K
                log.info("%s: step %d of %d, loss %.4f", what, end, plan.points[-1], mean)
                if progress.waited >= options.patience or end == plan.points[-1]:
                    break
                if time.monotonic() - last > SECONDS:
                    progress.save(place.checkpoint, identity, federation)
                    last = time.monotonic()
            if options.keep == "best":
                federation.set_weights(progress.best)
            z, attention = federation.outputs(tasks.test, sent=False)
            outputs = federation.learning.loss.predicted(z).double().cpu().numpy()
    finally:
        federation.close()
    log.info("%s: %.0f s", what, time.monotonic() - started)
    up, down = (federation.sent / K / 1e6).tolist()
    costs = {
        "steps": float(progress.step),
        "gflops": plan.gflops(progress.step, progress.validations),
        "n_weights": float(sum(weights.size for weights in progress.best.values())),
    }
    return outputs, costs | {"bytes_up": up, "bytes_down": down, "bytes": up + down}, attention


def learning_of(algorithm: Algorithm, options: Options, task: Task) -> Learning:
    """Return how the layers of an algorithm are trained."""
    return Learning(
        loss_of(algorithm, options, task),
        plugins.make("optimizers", options.optimizer, "OPTIMIZER", "optimizer"),
        options.learning_rate,
        (options.dropout, options.recurrent_dropout),
        rectified=options.cell == "relu",
        one_owner=options.owners == "one",
    )


def fitted(
    algorithm: Fitted, tasks: Tasks, task: Task
) -> tuple[np.ndarray, dict[str, float], dict[str, torch.Tensor]]:
    """Fit each client's model, and return what :func:`trained` does."""
    outputs = []
    for fit, held, test in zip(tasks.fit, tasks.held, tasks.test):
        y, y_held = (_numbers(tasks.y[windows], task) for windows in (fit, held))
        predict = algorithm.fit(tasks.X[fit], y, tasks.X[held], y_held)
        outputs.append(predict(tasks.X[test]))
    nothing = dict.fromkeys(("bytes_up", "bytes_down", "bytes", "steps"), 0.0)
    costs = {"gflops": algorithm.gflops(task, tasks.fit.shape[1])}
    return np.stack(outputs), {**nothing, **costs, "n_weights": np.nan}, {}


def _numbers(y: np.ndarray, task: Task) -> np.ndarray:
    """Return numbers to fit: 1 for labels that are true, -1 for others, or targets."""
    if task.kind == "classification":
        y = y[:, None] == np.arange(task.outputs)
    return np.where(y, 1.0, -1.0) if y.dtype == bool else y.astype(float)


def _on_device(tasks: Tasks, device: str) -> Data:
    """Return all windows and targets as tensors."""
    X = tasks.X
    if isinstance(X, Windows):
        return Data(X.tensors(lambda tensor: tensor.to(device)), _tensor(tasks.y, device))
    return Data(_tensor(X, device), _tensor(tasks.y, device))


def _tensor(values: np.ndarray, device: str) -> torch.Tensor:
    return torch.from_numpy(values).to(device)


def _identity(algorithm: Algorithm, tasks: Tasks, options: Options, seed: int, device: str) -> str:
    """Return a digest of the work; a checkpoint of other work is not resumed."""
    digest = hashlib.sha256(f"{algorithm} {options} {seed=} {device=}".encode())
    X = tasks.X
    series = [X] if isinstance(X, np.ndarray) else [X.values, X.starts]
    for array in (*series, tasks.y, tasks.fit, tasks.held, tasks.test):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def work(options: Options, methods: Sequence[Method], task: Task, sizes: Sequence[int]) -> float:
    """Estimate the GFLOPs of all clients and methods, if none stops early."""
    K, n_train = len(sizes), min(sizes)
    n_fit, first_held = divided(options, n_train)
    total = 0.0
    for method in methods:
        algorithm = made(method)
        if isinstance(algorithm, Fitted):
            total += K * algorithm.gflops(task, n_fit)
            continue
        forward = 2 * multiply_adds(algorithm, task, K) / 1e9
        plan = planned(options, forward, max(1, n_fit), n_train - first_held)
        total += K * plan.gflops(plan.points[-1], len(plan.points))
    return total
