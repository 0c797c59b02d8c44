"""A link within one process, which turns each message into bytes and back: for tests and trials."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fedreact.errors import UserError
from fedreact.federation.client import Client
from fedreact.federation.messages import Message

Fault = Callable[[int, Message, Message], Message | bytes | None]
"""``fault(number, question, answer)``: what arrives at the server instead; ``None``: nothing."""


def no_fault(number: int, question: Message, answer: Message) -> Message:
    """Return the answer as it is."""
    return answer


@dataclass
class MemoryLink:
    """Clients of the same process, each a node with its number as id.

    Attributes
    ----------
    fault
        What goes wrong on the way.
    seen
        Bytes of all messages: number, direction, bytes.
    """

    clients: Mapping[int, Client]
    fault: Fault = no_fault
    seen: list[tuple[int, str, bytes]] = field(default_factory=list)

    def nodes(self) -> list[int]:
        """Return the clients."""
        return list(self.clients)

    def ask(
        self, questions: Mapping[int, Message], seconds: float
    ) -> dict[int, tuple[Message | str, int, int]]:
        """Ask clients one after the other."""
        answers: dict[int, tuple[Message | str, int, int]] = {}
        for node, question in questions.items():
            down = question.to_bytes()
            self.seen.append((node, "down", down))
            received = Message.from_bytes(down)
            arrived = self.fault(node, received, self.clients[node].answer(received))
            if arrived is None:
                continue
            up = arrived if isinstance(arrived, bytes) else arrived.to_bytes()
            self.seen.append((node, "up", up))
            try:
                answers[node] = (Message.from_bytes(up), len(down), len(up))
            except UserError as error:
                answers[node] = (str(error), len(down), len(up))
        return answers
