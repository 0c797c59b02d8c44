"""Messages of fedreact as records of Flower.

Arrays are in an ArrayRecord, numbers in a MetricRecord, texts in a ConfigRecord. The bytes of
arrays are read by fedreact's own reader, which takes four types of numbers and nothing else.
"""

from flwr.app import Array, ArrayRecord, ConfigRecord, MetricRecord, RecordDict

from fedreact.errors import UserError
from fedreact.federation.messages import Message, checked, pack, unpack

ARRAYS, NUMBERS, TEXTS, DO = "arrays", "numbers", "texts", "do"


def records_of(message: Message) -> RecordDict:
    """Return a message as records."""
    arrays = {
        name: Array(values.dtype.name, tuple(values.shape), "numpy.ndarray", pack(values))
        for name, values in message.arrays.items()
    }
    texts = {name: value for name, value in message.facts.items() if isinstance(value, str)}
    numbers = {name: value for name, value in message.facts.items() if name not in texts}
    return RecordDict(
        {
            ARRAYS: ArrayRecord(arrays),
            NUMBERS: MetricRecord(numbers),
            TEXTS: ConfigRecord({DO: message.do, **texts}),
        }
    )


def message_of(records: RecordDict) -> Message:
    """Read what :func:`records_of` wrote.

    Raises
    ------
    UserError
        It is no message of fedreact.
    """
    arrays, numbers, texts = (records.get(name) for name in (ARRAYS, NUMBERS, TEXTS))
    known = (ArrayRecord, MetricRecord, ConfigRecord)
    if not all(type(part) is kind for part, kind in zip((arrays, numbers, texts), known)):
        raise UserError("not a message: its records are of others")
    facts = {**numbers, **texts}
    do = facts.pop(DO, None)
    return checked(Message(do, facts, {name: unpack(one.data) for name, one in arrays.items()}))


def size(records: RecordDict) -> int:
    """Count the bytes of records as they are sent: arrays with their headers, facts, names.

    Flower's own count fails on an empty text, which any node can send.
    """
    return sum(
        len(name) + _size(value) for record in records.values() for name, value in record.items()
    )


def _size(value: Array | str | bytes | float | list[float]) -> int:
    """Count the bytes of a value; a number has 8."""
    if isinstance(value, Array):
        return len(value.data)
    if isinstance(value, str | bytes):
        return len(value)
    return 8 * len(value) if isinstance(value, list) else 8
