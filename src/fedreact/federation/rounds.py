"""Rounds of training at the server: those of a synchronous kind, and those of Phase 1."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.errors import UserError
from fedreact.federation import training as of_training
from fedreact.federation.members import Members
from fedreact.federation.messages import Expected, Fact, Message, like
from fedreact.federation.outcome import Arrays, Outcome
from fedreact.kinds.synchronous.run import is_scored
from fedreact.metrics.contract import PRIMARY

log = logging.getLogger("fedreact")

Test = Callable[[int, Arrays, Mapping[int, int]], np.ndarray]
"""``test(t, server, counted)`` gives scores ``[K]`` after each round; NaN: not tested."""


def run(members: Members) -> Outcome:
    """Train by a synchronous algorithm, and have clients test what they get."""
    options, K = members.plan.synchronous, members.serving.clients
    metric = PRIMARY[members.known_task.kind]

    def test(t: int, server: Arrays, counted: Mapping[int, int]) -> np.ndarray:
        scores = np.full(K, np.nan)
        if is_scored(t, options):
            facts: dict[str, Fact] = {"t": t, "training": of_training.MODEL, "metric": metric}
            questions = {
                k: Message("test", facts | {"counted": counted[k]}, server) for k in members.joined
            }
            answers = members.ask(questions, {}, f"test after round {t}", {"score": float})
            for k, answer in answers.items():
                scores[k] = answer.facts["score"]
        return scores

    return train(members, of_training.MODEL, options.rounds, test).outcome()


@dataclass
class Progress:
    """What the server keeps after a round.

    Attributes
    ----------
    server
        What the algorithm keeps at the server, by name.
    t
        Rounds so far.
    present, scores, seconds
        ``[T, K]``, ``[T, K]`` and ``[T]``, as an outcome has them.
    counted
        ``[K]``: the last round of each client that the server counts; 0: none.
    """

    server: Arrays
    t: int
    present: np.ndarray
    scores: np.ndarray
    seconds: np.ndarray
    counted: np.ndarray

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        arrays = {f"server_{name}": values for name, values in self.server.items()}
        own = {name: getattr(self, name) for name in OWN}
        with atomic(path) as temporary:
            npz.save(temporary, t=np.array(self.t), **own, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Progress":
        """Read what :meth:`save` wrote."""
        saved = npz.load(path, "progress of a federation", ["t", *OWN])
        server = {n.removeprefix("server_"): v for n, v in saved.items() if n.startswith("server_")}
        return cls(server, int(saved["t"]), *(saved[name] for name in OWN))

    def outcome(self) -> Outcome:
        """Return what came of all rounds."""
        return Outcome(
            server=self.server, present=self.present, scores=self.scores, seconds=self.seconds
        )


OWN = ("present", "scores", "seconds", "counted")


def train(members: Members, training: str, rounds: int, test: Test | None = None) -> Progress:
    """Train in rounds, from the last one that is kept.

    Parameters
    ----------
    training
        Name of the training (:mod:`fedreact.federation.training`).
    test
        Tests models after each round; ``None``: nobody does.

    Raises
    ------
    UserError
        Too few clients answer, or the training diverges.
    """
    plan, task, K = members.plan, members.known_task, members.serving.clients
    sizes = [members.joined[k].n_train if k in members.joined else 1 for k in range(K)]
    made = of_training.job(plan, task, training, sizes)
    theta = of_training.first_weights(plan, made, training)
    path = Path(members.serving.folder) / f"{members.run}-{training}.npz"
    if path.exists():
        progress = Progress.load(path)
        log.info("%s: going on after round %d of %d", training, progress.t, rounds)
    else:
        progress = Progress(
            server=made.algorithm.server(theta, K),
            t=0,
            present=np.zeros((rounds, K), bool),
            scores=np.full((rounds, K), np.nan),
            seconds=np.zeros(rounds),
            counted=np.zeros(K, np.int64),
        )
    for t in range(progress.t + 1, rounds + 1):
        begun, what = time.monotonic(), f"{training}, round {t} of {rounds}"
        drawn = made.participants(t)
        asked = list(range(K)) if drawn is None else drawn.tolist()
        sent = made.algorithm.sent(progress.server)
        rehearsed = of_training.rehearsed(made, task, theta, sent)
        expected = like({name: values[0] for name, values in rehearsed.items()})
        answers = _answers(members, sent, asked, progress, expected, what)
        uploads = {
            name: np.stack([answer.arrays[name] for answer in answers.values()])
            for name in expected
        }
        n_samples = np.array([members.joined[k].n_train for k in answers])
        server = made.algorithm.aggregate(progress.server, uploads, n_samples)
        if not np.isfinite(server["theta"]).all():
            raise UserError(f"{what}: diverged; use a smaller learning rate")
        progress.server, progress.t = server, t
        progress.present[t - 1, list(answers)] = True
        progress.counted[list(answers)] = t
        if test is not None:
            progress.scores[t - 1] = test(t, server, dict(enumerate(progress.counted.tolist())))
        progress.seconds[t - 1] = time.monotonic() - begun
        progress.save(path)
        shown = progress.scores[t - 1][np.isfinite(progress.scores[t - 1])]
        log.info(
            "%s: %d of %d clients%s, %.0f s",
            what,
            len(answers),
            len(asked),
            f", score {shown.mean():.3f}" if len(shown) else "",
            progress.seconds[t - 1],
        )
    return progress


def _answers(
    members: Members,
    sent: Arrays,
    asked: Sequence[int],
    progress: Progress,
    expected: Mapping[str, Expected],
    what: str,
) -> dict[int, Message]:
    """Ask clients to train, and those that are missing again if too few answer."""
    t, training = progress.t + 1, what.partition(",")[0]
    questions = {
        k: Message(
            "train", {"t": t, "training": training, "counted": int(progress.counted[k])}, sent
        )
        for k in asked
    }
    answers: dict[int, Message] = {}

    def one_round() -> bool:
        left = {k: question for k, question in questions.items() if k not in answers}
        answers.update(members.ask(left, expected, what))
        return len(answers) >= min(members.serving.least, len(asked))

    members.again(what, one_round)
    return dict(sorted(answers.items()))
