"""Messages between a server and its clients: arrays and small facts, and nothing that runs.

Arrays are packed in numpy's own format, of four types alone and without pickles. A reader looks at
the header first, so that an array is as long as its bytes and no memory is asked for in advance.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np

from fedreact.errors import UserError

Fact = int | float | str | bool
TYPES = ("float32", "float64", "int64", "bool")
MOST_FACTS = 2**16
"""Bytes that the facts of a message may have."""


@dataclass(frozen=True)
class Message:
    """A question of the server, or the answer of a client.

    Attributes
    ----------
    do
        What is asked, or what an answer answers; ``refused`` says in the fact ``why`` why not.
    facts
        Numbers and texts by name.
    arrays
        Arrays by name.
    """

    do: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the message as bytes."""
        packed = {name: pack(values) for name, values in self.arrays.items()}
        sizes = {name: len(data) for name, data in packed.items()}
        head = json.dumps({"do": self.do, "facts": dict(self.facts), "arrays": sizes}).encode()
        return b"".join([len(head).to_bytes(4, "big"), head, *packed.values()])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Message":
        """Read what :meth:`to_bytes` wrote.

        Raises
        ------
        UserError
            It is no message.
        """
        try:
            end = 4 + int.from_bytes(data[:4], "big")
            head = json.loads(data[4:end])
            do, facts, sizes = head["do"], head["facts"], head["arrays"]
            arrays = {}
            for name, size in sizes.items():
                arrays[name] = unpack(data[end : end + size])
                end += size
            return checked(cls(do, facts, arrays))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"not a message ({error})") from error


@dataclass(frozen=True)
class Expected:
    """Shape and type of an array that an answer must have; all its values must be finite."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    @property
    def nbytes(self) -> int:
        """Bytes of such an array."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def refusal(why: str) -> Message:
    """Make the answer of a client that cannot do what is asked."""
    return Message("refused", {"why": why})


def checked(message: Message) -> Message:
    """Return a message whose facts are few, and plain numbers or texts.

    Raises
    ------
    UserError
        They are not.
    """
    if not isinstance(message.do, str):
        raise UserError("a message must say what it asks or answers")
    for name, value in message.facts.items():
        if not isinstance(name, str) or not isinstance(value, Fact):
            raise UserError(f"the fact {name!r} of a message is no number and no text")
    if len(json.dumps(dict(message.facts))) > MOST_FACTS:
        raise UserError(f"the facts of a message are longer than {MOST_FACTS} bytes")
    return message


def wrong(arrays: Mapping[str, np.ndarray], expected: Mapping[str, Expected]) -> str | None:
    """Say what is wrong with the arrays of an answer; ``None`` if they are as expected."""
    if set(arrays) != set(expected):
        wanted, got = (", ".join(sorted(names)) or "nothing" for names in (expected, arrays))
        return f"it sent {got} instead of {wanted}"
    for name, like in expected.items():
        values = arrays[name]
        if values.shape != like.shape or values.dtype != like.dtype:
            got = f"{values.dtype} {list(values.shape)}"
            return f"its {name} is {got} instead of {like.dtype} {list(like.shape)}"
        if not np.isfinite(values).all():
            return f"its {name} holds NaN or infinite values"
    return None


def like(arrays: Mapping[str, np.ndarray]) -> dict[str, Expected]:
    """Return what arrays of the same shapes and types are expected to be."""
    return {name: Expected(v.shape, v.dtype.name) for name, v in arrays.items()}


def pack(values: np.ndarray) -> bytes:
    """Return an array as bytes, in numpy's format.

    Raises
    ------
    UserError
        Messages carry no arrays of its type.
    """
    if values.dtype.name not in TYPES:
        raise UserError(f"messages hold {', '.join(TYPES)}, not {values.dtype}")
    file = BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(values), allow_pickle=False)
    return file.getvalue()


def unpack(data: bytes) -> np.ndarray:
    """Read what :func:`pack` wrote.

    Raises
    ------
    UserError
        It is no array of such a type, or not as long as it says.
    """
    file = BytesIO(data)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("an unknown version")
        shape, columns_first, dtype = np.lib.format.read_array_header_1_0(file)
    except (ValueError, TypeError, SyntaxError, OverflowError) as error:
        raise UserError(f"not an array: {error}") from error
    if dtype.name not in TYPES or dtype.hasobject or columns_first:
        raise UserError(f"messages hold {', '.join(TYPES)} in order of rows, not {dtype}")
    rest = data[file.tell() :]
    if len(rest) != math.prod(shape) * dtype.itemsize:
        raise UserError(f"an array of {len(rest)} bytes says that it is {dtype} {list(shape)}")
    return np.frombuffer(rest, dtype).reshape(shape).copy()
