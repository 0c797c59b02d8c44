"""The ServerApp: it runs the rounds of :mod:`fedreact.federation.server` over Flower's Grid."""

import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flwr.app import Context, Message
from flwr.serverapp import Grid, ServerApp

from fedreact.errors import UserError
from fedreact.federation import messages, plan
from fedreact.federation.server import serve
from fedreact_flower.records import message_of, records_of, size

app = ServerApp()

log = logging.getLogger("fedreact")

KINDS = {"hello": "query", "hold": "query", "test": "evaluate"}
"""Flower's types of messages; others are ``train``."""
ENDED = "the federation has ended"
PAUSE = 0.5
"""Seconds between two looks for answers."""


@dataclass
class GridLink:
    """Flower's Grid as a link of :mod:`fedreact.federation.members`."""

    grid: Grid

    def nodes(self) -> list[int]:
        """Return the ids of the nodes that are connected."""
        return list(self.grid.get_node_ids())

    def ask(
        self, questions: Mapping[int, messages.Message], seconds: float
    ) -> dict[int, tuple[messages.Message | str, int, int]]:
        """Push questions, and pull answers until all are there or the time is over."""
        sent = [
            Message(
                records_of(question),
                node,
                KINDS.get(question.do, "train"),
                ttl=seconds,
                group_id=str(question.facts.get("t", "")),
            )
            for node, question in questions.items()
        ]
        down = {node: size(one.content) for node, one in zip(questions, sent)}
        end = time.monotonic() + seconds
        waiting = {id_: node for id_, node in zip(self.grid.push_messages(sent), questions) if id_}
        answers: dict[int, tuple[messages.Message | str, int, int]] = {}
        while waiting and time.monotonic() < end:
            for reply in self.grid.pull_messages(list(waiting)):
                node = waiting.pop(reply.metadata.reply_to_message_id, None)
                if node is not None:
                    read, up = _read(reply)
                    answers[node] = read, down[node], up
            time.sleep(PAUSE)
        return answers


def _read(reply: Message) -> tuple[messages.Message | str, int]:
    """Return an answer, or what is wrong with it, and its bytes."""
    if reply.has_error():
        return f"its node says: {' '.join(reply.error.reason.split())[:200]}", 0
    try:
        return message_of(reply.content), size(reply.content)
    except UserError as error:
        return str(error), size(reply.content)


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run the federation that the file of the run's configuration describes."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        asked, serving = plan.read(Path(str(context.run_config["federation"])))
        folder = Path(serving.folder)
        folder.mkdir(parents=True, exist_ok=True)
        log.addHandler(logging.FileHandler(folder / "server.log", encoding="utf-8"))
        serve(asked, serving, GridLink(grid))
        log.info("%s: what came of it is in %s", ENDED, folder)
    except UserError as error:
        log.info("error: %s", error)
        raise SystemExit(1) from None
