"""The clients of a federation as its server knows them: who is there, and what they answer."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fedreact.errors import UserError
from fedreact.federation.messages import Expected, Fact, Message, wrong
from fedreact.federation.plan import Plan, Serving
from fedreact.metrics.contract import PRIMARY
from fedreact.task import Task

log = logging.getLogger("fedreact")


class Link(Protocol):
    """What carries messages to nodes and their answers back."""

    def nodes(self) -> list[int]:
        """Return the ids of the nodes that are connected now."""

    def ask(
        self, questions: Mapping[int, Message], seconds: float
    ) -> dict[int, tuple[Message | str, int, int]]:
        """Ask nodes, and wait for their answers so long.

        Returns
        -------
        dict
            For each node that answered: the answer, or what is wrong with it in a line; bytes of
            the question; bytes of the answer. Nodes that did not answer in time are missing.
        """


@dataclass(frozen=True)
class Member:
    """A client that has joined: its node, its samples, its task, and a digest of its names."""

    node: int
    n_train: int
    n_test: int
    task: Task
    names: str = ""


@dataclass
class Members:
    """Clients by number, and the questions that they are asked.

    Attributes
    ----------
    joined
        Clients that have joined, by number.
    task
        The task of all clients, once the first round has begun.
    traffic
        Bytes to and from each client: ``(number, "down" or "up", what)``.
    """

    link: Link
    plan: Plan
    serving: Serving
    run: str = "0"
    joined: dict[int, Member] = field(default_factory=dict)
    task: Task | None = None
    traffic: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    _refused: set[int] = field(default_factory=set)

    def gather(self) -> Task:
        """Wait until all clients have joined, or as long as the plan says; return their task.

        Raises
        ------
        UserError
            Too few have joined, or their data is of different kinds.
        """
        end = time.monotonic() + self.serving.wait
        while True:
            self.greet()
            if len(self.joined) == self.serving.clients:
                break
            if time.monotonic() > end:
                if len(self.joined) < self.serving.least:
                    raise UserError(
                        f"{len(self.joined)} of {self.serving.clients} clients have joined in "
                        f"{self.serving.wait:.0f} s, {self.serving.least} are needed; are their "
                        "nodes started, and do they reach this server?"
                    )
                absent = [k for k in range(self.serving.clients) if k not in self.joined]
                log.info("going on without clients %s, which may join later", absent)
                break
            time.sleep(min(1.0, self.serving.wait / 10))
        first = next(iter(self.joined.values())).task
        outputs = max(member.task.outputs for member in self.joined.values())
        task = Task(first.kind, outputs, first.channels, first.steps)
        self.plan.check_task(task)
        self.task = task
        for number, member in list(self.joined.items()):
            if why := _other(member.task, task):
                raise UserError(f"client {number}: {why}")
        return task

    @property
    def known_task(self) -> Task:
        """The task of all clients.

        Raises
        ------
        TypeError
            Nobody has joined yet.
        """
        if self.task is None:
            raise TypeError("clients are asked after they have joined")
        return self.task

    def again(self, what: str, one_round: Callable[[], bool]) -> None:
        """Try a round until enough clients have taken part.

        Raises
        ------
        UserError
            They have not, after as many tries as the plan allows.
        """
        serving = self.serving
        for _ in range(serving.tries):
            self.greet()
            if one_round():
                return
            log.info("%s: fewer than %d clients have answered; once more", what, serving.least)
            time.sleep(min(5.0, serving.answer / 10))
        raise UserError(
            f"{what}: fewer than {serving.least} clients have answered in {serving.tries} tries "
            f"of {serving.answer:.0f} s; finished rounds are kept, so start the server again when "
            "clients are back"
        )

    def greet(self) -> None:
        """Ask nodes that are new who they are."""
        nodes = self.link.nodes()
        there = {member.node for member in self.joined.values()}
        new = [node for node in nodes if node not in there and node not in self._refused]
        if not new:
            return
        answers = self.link.ask({node: Message("hello") for node in new}, self.serving.answer)
        for node, (answer, _, _) in sorted(answers.items()):
            why = self._join(node, answer, nodes)
            if why:
                self._refused.add(node)
                log.info("node %d may not join: %s", node, why)

    def _join(self, node: int, answer: Message | str, nodes: list[int]) -> str | None:
        """Let a node join; else say why not."""
        if isinstance(answer, str):
            return answer
        if answer.do != "hello":
            return str(answer.facts.get("why", "it did not say who it is"))
        try:
            number, n_train, n_test, outputs, channels, steps = (
                _natural(answer.facts[name])
                for name in ("number", "train", "test", "outputs", "channels", "steps")
            )
        except (KeyError, ValueError):
            return "it did not say who it is"
        kind = next((kind for kind in PRIMARY if kind == answer.facts.get("kind")), None)
        if kind is None:
            return "it did not say who it is"
        if number >= self.serving.clients:
            return f"it is client {number}, but clients have numbers below {self.serving.clients}"
        if min(n_train, n_test, outputs, channels, steps) < 1:
            return f"client {number} has no samples"
        before = self.joined.get(number)
        if before is not None and before.node in nodes:
            return f"there is a client {number} already"
        names = str(answer.facts.get("names", ""))[:64]
        if names and any(names != one.names for one in self.joined.values() if one.names):
            return (
                f"client {number} names its labels or channels otherwise than the others, or in "
                "another order; a label must have the same number at all clients"
            )
        member = Member(node, n_train, n_test, Task(kind, outputs, channels, steps), names)
        if before is not None and (before.n_train, before.n_test) != (n_train, n_test):
            return f"client {number} is back with other data"
        if self.task is not None and (why := _other(member.task, self.task)):
            return f"client {number}: {why}"
        self.joined[number] = member
        log.info("client %d has joined: %d train samples", number, n_train)
        return None

    def ask(
        self,
        questions: Mapping[int, Message],
        expected: Mapping[str, Expected],
        what: str,
        facts: Mapping[str, type] | None = None,
    ) -> dict[int, Message]:
        """Ask clients, and return the answers that are as expected.

        Others are left out, with a line in the log.

        Parameters
        ----------
        expected
            Arrays of an answer.
        what
            The question in messages, e.g. ``round 3``, and by its first word in the traffic.
        facts
            Facts that an answer may have, with their types.
        """
        asked = {k: question for k, question in questions.items() if k in self.joined}
        node_of = {k: self.joined[k].node for k in asked}
        also: dict[str, Fact] = {
            "plan": self.plan.as_text(),
            "run": self.run,
            "outputs": self.known_task.outputs,
        }
        sent = {node_of[k]: Message(q.do, dict(q.facts) | also, q.arrays) for k, q in asked.items()}
        answers = self.link.ask(sent, self.serving.answer) if sent else {}
        good: dict[int, Message] = {}
        for k, question in asked.items():
            if node_of[k] not in answers:
                log.info("%s: client %d has not answered; it counts as absent", what, k)
                continue
            answer, down, up = answers[node_of[k]]
            self.traffic[k, "down", question.do] += down
            self.traffic[k, "up", question.do] += up
            why = _unusable(answer, question.do, expected, facts or {})
            if why:
                log.info("%s: client %d is left out: %s", what, k, why)
            elif isinstance(answer, Message):
                good[k] = answer
        return dict(sorted(good.items()))


def _unusable(
    answer: Message | str,
    do: str,
    expected: Mapping[str, Expected],
    facts: Mapping[str, type],
) -> str | None:
    """Say why an answer is of no use; ``None`` if it is."""
    if isinstance(answer, str):
        return answer
    if answer.do == "refused":
        return " ".join(str(answer.facts.get("why", "it says not why")).split())[:300]
    if answer.do != do:
        return f"it answered {answer.do!r} instead of {do!r}"
    if odd := [name for name, v in answer.facts.items() if type(v) is not facts.get(name)]:
        return f"it sent the fact {odd[0]!r}, which nobody asked for"
    return wrong(answer.arrays, expected)


def _natural(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value


def _other(task: Task, first: Task) -> str | None:
    """Say how a task differs from that of the others."""
    if (task.kind, task.channels, task.steps) != (first.kind, first.channels, first.steps):
        return (
            f"its series are {task.kind} of {task.channels} channels and {task.steps} steps, those "
            f"of others {first.kind} of {first.channels} channels and {first.steps} steps"
        )
    if task.outputs > first.outputs:
        return f"it has label {task.outputs - 1}, which no client had when the rounds began"
    return None
