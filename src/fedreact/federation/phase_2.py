"""A clustered kind at the server: Phase 1, then rounds of task models (Phase 2).

A client uploads its task model, or answers what an algorithm asks; it receives its merged model,
with the next question, and nothing else. What clients answer in a round is kept in a file. The
server goes through kept rounds again when it is started again, so it keeps no state besides.
"""

import hashlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.train import encode, first_weights, local_training, make_encoder
from fedreact.errors import UserError
from fedreact.federation import rounds
from fedreact.federation.members import Members
from fedreact.federation.messages import Expected, Fact, Message
from fedreact.federation.outcome import Outcome
from fedreact.federation.plan import Plan, clustered_algorithm, present
from fedreact.federation.training import ENCODER
from fedreact.kinds.clustered.contract import Algorithm, Uploads
from fedreact.metrics.contract import PRIMARY
from fedreact.task import Task

log = logging.getLogger("fedreact")


def run(members: Members) -> Outcome:
    """Train the encoder, then run the rounds of task models."""
    plan, task, K = members.plan, members.known_task, members.serving.clients
    phase_1, T = plan.phase_1, plan.clustered.rounds
    if phase_1.rounds:
        encoder = rounds.train(members, ENCODER, phase_1.rounds).server["theta"]
    else:
        encoder = first_weights(local_training(phase_1, task.channels), plan.seed)
    outcome = Outcome(
        encoder=encoder,
        labels=np.full((T, K), -1),
        present=np.zeros((T, K), bool),
        scores=np.full((T, K), np.nan),
        seconds=np.zeros(T),
    )
    server = _Server(members, clustered_algorithm(plan), encoder, outcome)
    drawn = present(plan, K)
    for t in range(1, T + 1):
        server.round(t, drawn[t - 1])
    server.send_last()
    return outcome


class _Asked(Uploads):
    """Uploads whose task models are asked for when an algorithm reads them."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        return value() if name == "models" and callable(value) else value


class _Gone(Exception):
    """Clients that have not answered, so that the round begins anew without them."""

    def __init__(self, clients: list[int]):
        super().__init__(f"clients {clients} are gone")
        self.clients = clients


@dataclass(frozen=True)
class _Round:
    """What clients answered in a round; all else follows from it.

    Attributes
    ----------
    present
        ``bool [K]``: who takes part.
    n_samples
        ``[K]`` samples that each fits on; 0 for those that never joined.
    width
        Samples that clients pad theirs to.
    known
        Answers by client and digest of the question.
    """

    present: np.ndarray
    n_samples: np.ndarray
    width: int
    known: dict[tuple[int, str], np.ndarray]

    def save(self, path: Path, scores: np.ndarray) -> None:
        """Write it, whole or not at all, with the scores ``[T, K]`` so far."""
        arrays = {f"{k}_{digest}": values for (k, digest), values in self.known.items()}
        with atomic(path) as temporary:
            npz.save(
                temporary,
                present=self.present,
                n_samples=self.n_samples,
                width=np.array(self.width),
                scores=scores,
                **arrays,
            )

    @classmethod
    def load(cls, path: Path) -> tuple["_Round", np.ndarray]:
        """Read what :meth:`save` wrote."""
        own = ("present", "n_samples", "width", "scores")
        arrays = npz.load(path, "round of a federation", list(own))
        here, n_samples, width, scores = (arrays.pop(name) for name in own)
        known = {}
        for name, values in arrays.items():
            k, _, digest = name.partition("_")
            known[int(k), digest] = values
        return cls(here, n_samples, int(width), known), scores


@dataclass
class _Server:
    """The server between rounds.

    Attributes
    ----------
    has_encoder
        Clients that have the encoder.
    unsent
        Merged models that clients are still to receive, each with its round.
    """

    members: Members
    algorithm: Algorithm
    encoder: np.ndarray
    outcome: Outcome
    has_encoder: set[int] = field(default_factory=set)
    unsent: dict[int, tuple[int, np.ndarray]] = field(default_factory=dict)
    state: Any = None
    width: int = 0

    def __post_init__(self) -> None:
        members = self.members
        D = n_features(members.plan, members.known_task, self.encoder)
        self.shape = (members.known_task.outputs, D + 1)
        self.state = self.algorithm.init(members.serving.clients, self.shape)
        self.width = int(self.n_samples().max())

    def n_samples(self) -> np.ndarray:
        """Count the samples ``[K]`` that clients fit on in a round."""
        counts = np.zeros(self.members.serving.clients, dtype=np.int64)
        for k, member in self.members.joined.items():
            counts[k] = min(self.members.plan.clustered.samples_per_round, member.n_train)
        return counts

    def round(self, t: int, drawn: np.ndarray) -> None:
        """Run round t with clients ``bool [K]``, or go through it again if it is kept."""
        begun, T = time.monotonic(), self.members.plan.clustered.rounds
        path = Path(self.members.serving.folder) / f"{self.members.run}-round{t:04d}.npz"
        what, result = f"round {t} of {T}", None
        if path.exists():
            kept, self.outcome.scores = _Round.load(path)
            self.width = kept.width
            result = self._merged(t, kept)
        else:
            known: dict[tuple[int, str], np.ndarray] = {}

            def one_round() -> bool:
                nonlocal result, kept
                kept, result = self._gathered(t, drawn, known, what)
                return result is not None

            self.members.again(what, one_round)
        if result is None:
            raise TypeError("a round without a result")
        self.state, models, labels = result
        if not np.isfinite(models[kept.present]).all():
            raise UserError(f"{what}: merged models are NaN or infinite; use a smaller rate")
        if not path.exists():
            kept.save(path, self.outcome.scores)
        self.outcome.present[t - 1], self.outcome.models = kept.present, models
        if labels is not None:
            self.outcome.labels[t - 1] = labels
        self.unsent |= {k: (t, models[k]) for k in np.flatnonzero(kept.present).tolist()}
        self.outcome.seconds[t - 1] = time.monotonic() - begun
        n = f", {len(set(labels[labels >= 0].tolist()))} clusters" if labels is not None else ""
        here, seconds = int(kept.present.sum()), self.outcome.seconds[t - 1]
        log.info("%s: %d of %d clients%s, %.0f s", what, here, int(drawn.sum()), n, seconds)

    def _gathered(
        self, t: int, drawn: np.ndarray, known: dict[tuple[int, str], np.ndarray], what: str
    ) -> tuple[_Round, Any]:
        """Run a round without those that do not answer; without a result if too few do."""
        here = drawn & np.isin(np.arange(len(drawn)), list(self.members.joined))
        least = min(self.members.serving.least, int(drawn.sum()))
        while True:
            of_round = _Round(here, self.n_samples(), self.width, known)
            if here.sum() < least:
                return of_round, None
            try:
                return of_round, self._merged(t, of_round)
            except _Gone as error:
                self.has_encoder.difference_update(error.clients)
                here = here & ~np.isin(np.arange(len(drawn)), error.clients)

    def _merged(self, t: int, of_round: _Round) -> Any:
        """Let the algorithm take the round; it asks clients by itself."""
        clients = _Clients(self, t, of_round)
        uploads = _Asked(
            t=t,
            last=t == self.members.plan.clustered.rounds,
            models=clients.models,  # type: ignore[arg-type]
            n_samples=of_round.n_samples,
            present=of_round.present,
            clients=clients,
        )
        return self.algorithm.round(self.state, uploads)

    def with_extras(self, k: int, question: Message) -> Message:
        """Add what a client is still to receive to a question."""
        facts: dict[str, Fact] = dict(question.facts) | {"width": self.width}
        arrays = dict(question.arrays)
        if k not in self.has_encoder:
            arrays["encoder"] = self.encoder
        if k in self.unsent:
            arrays["held"] = self.unsent[k][1].astype(np.float32)  # memory may have more digits
            facts["metric"] = PRIMARY[self.members.known_task.kind]
        return Message(question.do, facts, arrays)

    def received(self, k: int, answer: Message) -> None:
        """Note that a client has received what came with a question, and its score."""
        self.has_encoder.add(k)
        if k in self.unsent and "score" in answer.facts:
            self.outcome.scores[self.unsent[k][0] - 1, k] = answer.facts["score"]
        self.unsent.pop(k, None)

    def send_last(self) -> None:
        """Send clients their last merged models."""
        hold = Message("hold", {"t": self.members.plan.clustered.rounds})
        questions = {k: self.with_extras(k, hold) for k in self.unsent}
        answers = self.members.ask(questions, {}, "last models", {"score": float})
        for k, answer in answers.items():
            self.received(k, answer)


@dataclass(frozen=True)
class _Clients:
    """The clients of a round of Phase 2, as an algorithm asks them.

    A question that is known is not asked again: a round may begin anew without a client that is
    gone, or be gone through again after the server was started again.
    """

    server: _Server
    t: int
    of_round: _Round

    def models(self) -> np.ndarray:
        """Ask for task models ``[K, P]``."""
        return self._ask({k: Message("fit", {"t": self.t}) for k in self._here}, "model")

    def losses(self, models: np.ndarray) -> np.ndarray:
        """Ask for the mean losses ``[K, M]`` of models ``[M, P]``."""
        arrays = {"models": np.asarray(models, np.float32)}
        questions = {k: Message("losses", {"t": self.t}, arrays) for k in self._here}
        return self._ask(questions, "losses", Expected((len(models),), "float64"))

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        """Ask for models ``[K, P]`` that are trained from ``start [K, P]``."""
        facts = {"t": self.t, "rate": float(learning_rate), "steps": int(steps)}
        start = np.asarray(start, np.float32)
        questions = {k: Message("descend", facts, {"start": start[k]}) for k in self._here}
        return self._ask(questions, "model")

    @property
    def _here(self) -> list[int]:
        here: list[int] = np.flatnonzero(self.of_round.present).tolist()
        return here

    def _ask(
        self, questions: Mapping[int, Message], name: str, expected: Expected | None = None
    ) -> np.ndarray:
        """Ask clients for an array, a row each; rows of clients that are absent are zeros."""
        server, known = self.server, self.of_round.known
        expected = expected or Expected((server.shape[0] * server.shape[1],))
        keys = {k: (k, _digest(question)) for k, question in questions.items()}
        new = {k: server.with_extras(k, questions[k]) for k in keys if keys[k] not in known}
        answers = server.members.ask(new, {name: expected}, f"round {self.t}", {"score": float})
        for k, answer in answers.items():
            known[keys[k]] = answer.arrays[name]
            server.received(k, answer)
        if gone := sorted(set(new) - set(answers)):
            raise _Gone(gone)
        rows = np.zeros((len(self.of_round.present), *expected.shape), expected.dtype)
        for k, key in keys.items():
            rows[k] = known[key]
        return rows


def _digest(question: Message) -> str:
    return hashlib.sha256(question.to_bytes()).hexdigest()[:32]


def n_features(plan: Plan, task: Task, theta: np.ndarray) -> int:
    """Count the features of a series, by those of a series of zeros."""
    X = np.zeros((1, task.channels, task.steps), np.float32)
    nothing = SeriesDataset("zeros", X, np.full(1, task.steps), np.zeros(1, np.int64))
    return encode(nothing, make_encoder(plan.phase_1.encoder, task.channels), theta).shape[1]
