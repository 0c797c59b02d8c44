"""The half of a federation that runs at a client, beside its data.

A client reads its own file (``fedreact split`` makes one for each) and answers the questions of a
server. It sends what is listed here and nothing else: never series, labels or features.

``hello``
    Its number, the kind of its task, and how many train samples, test samples, labels, channels and
    steps it has, and a digest of the names of its labels and channels.
``train``
    What ``local`` of the algorithm uploads, after a round of a synchronous kind or of Phase 1.
``fit``
    A task model, fitted on the features of its samples of the round (Phase 2).
``losses``
    The mean loss of each model that it is sent, on these samples (IFCA, FLSC).
``descend``
    The model that it is sent, trained on these samples (IFCA, FLSC, FLACC).
``test``
    The score of its model on its test samples.
``hold``
    Nothing.

With a question of Phase 2 a client may receive two more arrays, which it keeps: ``encoder``, the
weights of the encoder, and ``held``, its merged model of the round before. Its answer then has the
score of that model.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.federation.messages import Message, refusal
from fedreact.federation.plan import Plan, plan_from_text
from fedreact.rng import generator
from fedreact.task import Task

if TYPE_CHECKING:
    from fedreact.kinds.clustered.tasks import LinearTask

Arrays = dict[str, np.ndarray]


class OwnData:
    """The series of one client, as its file has them: the train series first."""

    def __init__(self, file: Path):
        arrays = npz.load(
            file,
            "file of a client",
            ["X", "y", "lengths", "tested"],
            "make it anew (fedreact split)",
        )
        tested = arrays["tested"]
        if tested.dtype != bool or tested.ndim != 1 or len(tested) != len(arrays["y"]):
            raise UserError(f"{file}: tested must be a boolean for each series")
        order = np.argsort(tested, kind="stable")
        X, lengths, y = (arrays[name][order] for name in ("X", "lengths", "y"))
        self.data = SeriesDataset(file.stem, X, lengths, y)
        self.n_train = int((~tested).sum())
        self.n_test = int(tested.sum())
        self.names = _digest(arrays)
        if not self.n_train or not self.n_test:
            raise UserError(f"{file}: a client needs a train and a test series or more")

    @property
    def train(self) -> np.ndarray:
        """Train samples."""
        return np.arange(self.n_train)

    @property
    def test(self) -> np.ndarray:
        """Test samples."""
        return np.arange(self.n_train, self.n_train + self.n_test)


def _digest(arrays: Arrays) -> str:
    """Return a digest of the names of labels and channels; empty if the file has none."""
    names = [arrays[key].tolist() for key in ("label_names", "channel_names") if key in arrays]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16] if names else ""


class Client:
    """A client, which answers one question after the other; what it keeps is in files.

    Parameters
    ----------
    file
        Its data.
    folder
        Folder for what it keeps between questions.
    number
        Its number, from 0, which keys its random draws; ``None``: the number in the file's name, as
        ``fedreact split`` gives it.
    """

    def __init__(self, file: Path, folder: Path, number: int | None = None):
        self.file, self.folder = file, folder
        if number is None:
            named = re.fullmatch(r"(?:client)?(\d+)(?:-.*)?", file.stem)
            if named is None:
                raise UserError(f"{file}: its name holds no number of a client; name the number")
            number = int(named[1])
        self.number = number

    def answer(self, question: Message) -> Message:
        """Answer a question, or say in one line why not."""
        try:
            if question.do == "hello":
                return self._hello()
            handler = HANDLERS.get(question.do)
            if handler is None:
                raise UserError(f"a client does not know the question {question.do!r}")
            return handler(self, Question(self, question))
        except UserError as error:
            return refusal(str(error))
        except (LookupError, ValueError, TypeError, RuntimeError, OSError) as error:
            return refusal(f"{question.do}: {type(error).__name__}: {error}")

    @cached_property
    def own(self) -> OwnData:
        """Its data."""
        return OwnData(self.file)

    def _hello(self) -> Message:
        task, own = self.own.data.task, self.own
        return Message(
            "hello",
            {
                "number": self.number,
                "train": own.n_train,
                "test": own.n_test,
                "kind": task.kind,
                "outputs": task.outputs,
                "channels": task.channels,
                "steps": task.steps,
                "names": own.names,
            },
        )

    # --- What is kept

    def load(self, name: str) -> Arrays | None:
        """Read what is kept by a name; ``None`` if there is nothing."""
        path = self.folder / f"{name}.npz"
        return npz.load(path, "state of a client", []) if path.exists() else None

    def keep(self, name: str, arrays: Arrays) -> None:
        """Write what is kept by a name, whole or not at all."""
        with atomic(self.folder / f"{name}.npz") as path:
            npz.save(path, **arrays)


class Question:
    """A question with the plan and the task that it is of."""

    def __init__(self, client: Client, message: Message):
        self.message, self.facts, self.arrays = message, message.facts, dict(message.arrays)
        self.plan: Plan = plan_from_text(str(self.facts["plan"]))
        self.t = int(self.facts.get("t", 0))
        own = client.own.data.task
        self.task = Task(own.kind, int(self.facts["outputs"]), own.channels, own.steps)
        self.run = str(self.facts["run"])
        if not re.fullmatch("[0-9a-f]{1,64}", self.run):
            raise UserError(f"{self.run!r} names no run of a federation")


# --- Rounds of training: a synchronous kind, or Phase 1


def _train(client: Client, question: Question) -> Message:
    from fedreact.engine.engine import Stacked, keep_heap
    from fedreact.federation import training

    _one_thread()
    keep_heap()
    plan, task, own, t = question.plan, question.task, client.own, question.t
    phase = str(question.facts["training"])
    made = training.job(plan, task, phase, [own.n_train], own.data)
    before = _state(client, question, phase)
    if before is None:
        theta = training.first_weights(plan, made, phase)
        before = made.algorithm.start(theta, 1)
    engine = Stacked(made, "cpu", 1)
    uploads, after = engine.round(
        question.arrays, before, t, clients=[client.number], samples=[own.train]
    )
    _keep_state(client, question, phase, before, after)
    return Message("train", arrays={name: values[0] for name, values in uploads.items()})


def _state_name(question: Question, phase: str) -> str:
    return f"{question.run}-state-{phase}"


def _state(client: Client, question: Question, phase: str) -> Arrays | None:
    """Return what the client keeps since the last round that the server counts; ``None``: none.

    The server may not have had the last answer: it came late, or the server was started again.

    Raises
    ------
    UserError
        What is kept is of other rounds.
    """
    counted = int(question.facts["counted"])
    if counted == 0:
        return None
    kept = client.load(_state_name(question, phase)) or {}
    for part in ("after", "before"):
        if f"t_{part}" in kept and int(kept[f"t_{part}"]) == counted:
            start = f"{part}_"
            return {n.removeprefix(start): v for n, v in kept.items() if n.startswith(start)}
    raise UserError(f"the state of round {counted} is lost (in {client.folder})")


def _keep_state(
    client: Client, question: Question, phase: str, before: Arrays, after: Arrays
) -> None:
    kept = {f"before_{name}": values for name, values in before.items()}
    kept |= {f"after_{name}": values for name, values in after.items()}
    kept["t_before"] = np.array(int(question.facts["counted"]))
    kept["t_after"] = np.array(question.t)
    client.keep(_state_name(question, phase), kept)


def _test(client: Client, question: Question) -> Message:
    """Test the model that the client has of what the server keeps, which is sent."""
    from fedreact.engine.engine import Stacked
    from fedreact.federation import training
    from fedreact.kinds.scoring import client_scores
    from fedreact.kinds.supervised import ScaledTargets
    from fedreact.kinds.synchronous.contract import PREPARE
    from fedreact.metrics.grammar import load_metric

    _one_thread()
    plan, own, server = question.plan, client.own, question.arrays
    made = training.job(plan, question.task, training.MODEL, [own.n_train], own.data)
    algorithm, number = made.algorithm, [client.number]
    state = _state(client, question, training.MODEL)
    if state is None:
        state = algorithm.start(training.first_weights(plan, made, training.MODEL), 1)
    engine = Stacked(made, "cpu", 1)
    if algorithm.prepares:
        sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
        _, state = engine.round(sent, state, question.t + 1, clients=number, samples=[own.train])
    name = str(question.facts["metric"])
    weights = algorithm.personal(server, state)
    scores = client_scores(
        engine,
        weights,
        algorithm.at_test(server, state) if algorithm.adapts else None,
        [own.test],
        ScaledTargets(own.data.y),
        {name: load_metric(name)},
        clients=number,
    )
    client.keep(f"{question.run}-held", {"theta": weights[0]})
    return Message("test", {"score": float(scores[name][0])})


# --- Phase 2


def _fit(client: Client, question: Question) -> Message:
    X, y, valid, task = _samples(client, question)
    models = task.fit(X, y, valid).reshape(1, -1)
    return _answered(client, question, "fit", {"model": models[0]})


def _losses(client: Client, question: Question) -> Message:
    X, y, valid, task = _samples(client, question)
    losses = task.clients(X, y, valid).losses(question.arrays["models"])
    return _answered(client, question, "losses", {"losses": losses[0]})


def _descend(client: Client, question: Question) -> Message:
    X, y, valid, task = _samples(client, question)
    rate, steps = float(question.facts["rate"]), int(question.facts["steps"])
    models = task.clients(X, y, valid).train(question.arrays["start"][None], rate, steps)
    return _answered(client, question, "descend", {"model": np.asarray(models[0])})


def _hold(client: Client, question: Question) -> Message:
    return _answered(client, question, "hold", {})


def _answered(client: Client, question: Question, do: str, arrays: Arrays) -> Message:
    """Answer a question of Phase 2, with the score of the merged model that came with it."""
    held = question.arrays.get("held")
    if held is None:
        return Message(do, arrays=arrays)
    client.keep(f"{question.run}-held", {"theta": held})
    name = str(question.facts.get("metric", ""))
    if not name:
        return Message(do, arrays=arrays)
    from fedreact.kinds.clustered.scoring import HeldOut
    from fedreact.metrics.grammar import load_metric

    own, features = client.own, _features(client, question)
    shape = (1, question.task.outputs, features.shape[1] + 1)
    share = np.full((1, own.n_test), 1 / own.n_test)
    tests = HeldOut(features[own.test], own.data.y[own.test])
    scores = tests.scores(held.reshape(shape), share, {name: load_metric(name)})
    return Message(do, {"score": float(scores[name][0])}, arrays)


def _samples(
    client: Client, question: Question
) -> tuple[np.ndarray, np.ndarray, np.ndarray, "LinearTask"]:
    """Draw the client's samples of the round, ``[1, m, D]``, and make the task that it fits."""
    from fedreact.kinds.clustered.tasks import Classification

    run, own = question.plan.clustered, client.own
    m = min(run.samples_per_round, own.n_train)
    rng = generator(question.plan.seed, "labelled samples", question.t, client.number)
    samples = own.train if m == own.n_train else rng.choice(own.train, m, replace=False)
    # As long as in a simulation, which pads all clients alike: else the last bits would differ.
    width = max(m, int(question.facts["width"]))
    padded = np.zeros((1, width), dtype=np.int64)
    padded[0, :m] = samples
    valid = np.arange(width)[None] < m
    features = _features(client, question)
    task = Classification(question.task.outputs, run.C, run.loss)
    return features[padded], own.data.y[padded], valid, task


def _features(client: Client, question: Question) -> np.ndarray:
    """Return the features ``[N, D]`` of all series under the encoder that was sent, now or before.

    Raises
    ------
    UserError
        None was sent.
    """
    name = f"{question.run}-features"
    theta = question.arrays.get("encoder")
    if theta is None:
        kept = client.load(name)
        if kept is None:
            raise UserError(NO_ENCODER)
        return kept["features"]
    from fedreact.encoding.train import encode, make_encoder

    encoder = make_encoder(question.plan.phase_1.encoder, question.task.channels)
    features = encode(client.own.data, encoder, theta)
    client.keep(name, {"features": features})
    del question.arrays["encoder"]
    return features


NO_ENCODER = "the encoder is lost"


def _one_thread() -> None:
    """Compute as a simulation does, in which a process has one thread."""
    import torch

    torch.set_num_threads(1)


HANDLERS: dict[str, Callable[[Client, Question], Message]] = {
    "train": _train,
    "test": _test,
    "fit": _fit,
    "losses": _losses,
    "descend": _descend,
    "hold": _hold,
}
