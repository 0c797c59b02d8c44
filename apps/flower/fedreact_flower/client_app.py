"""The ClientApp: it reads its own file, and answers as :mod:`fedreact.federation.client` does.

The node's configuration names its files: ``data``, the file of this client; ``state``, a folder for
what it keeps between rounds; and ``number``, if the name of the file has none.
"""

from pathlib import Path

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from fedreact.errors import UserError
from fedreact.federation.client import Client
from fedreact.federation.messages import refusal
from fedreact_flower.records import message_of, records_of

app = ClientApp()


@app.query()
@app.train()
@app.evaluate()
def answer(message: Message, context: Context) -> Message:
    """Answer a question of the server."""
    try:
        question = message_of(message.content)
        content = client(context).answer(question)
    except UserError as error:
        content = refusal(str(error))
    return Message(records_of(content), reply_to=message)


def client(context: Context) -> Client:
    """Make the client of this node.

    Raises
    ------
    UserError
        The node's configuration does not say where its data is.
    """
    config = context.node_config
    missing = [name for name in ("data", "state") if not isinstance(config.get(name), str)]
    if missing:
        raise UserError(f"this node does not say its {missing[0]} (--node-config)")
    number = config.get("number")
    return Client(
        Path(str(config["data"])),
        Path(str(config["state"])),
        number if isinstance(number, int) else None,
    )
