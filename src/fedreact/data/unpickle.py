"""Read pickles of numbers without running what is in them.

A pickle is a program: it names functions and calls them. The names that a pickle of lists and
numpy arrays needs are answered here by stand-ins that do nothing but rebuild numbers from bytes;
any other name is refused. numpy's own functions are not lent out, since they trust their
arguments: a forged ``dtype`` state, say, makes numpy take raw bytes for object pointers. What a
hostile file can still do is to ask for much memory.
"""

import io
import pickle
import re
from typing import Any

import numpy as np

from fedreact.errors import UserError


def load(data: bytes, name: str) -> object:
    """Return what a pickle of numbers, lists and numpy arrays holds.

    Pickles of protocol 0 to 5, by Python 2 or 3 and numpy 1 or 2, are understood.

    Parameters
    ----------
    data
        The whole file.
    name
        What to call the file in errors.

    Returns
    -------
    object
        A list or tuple is returned as a list. Arrays of numbers, there, in a mapping and at the
        top, are ``numpy.ndarray``; arrays of objects are lists.

    Raises
    ------
    UserError
        If the pickle is empty, cut short or damaged, or names anything but arrays of numbers.
    """
    return _load_next(io.BytesIO(data), name)


def load_each(data: bytes, name: str) -> list[object]:
    """Return what each pickle of a file holds that has several one after the other.

    Old torch wrote such files. Parameters, values and errors are those of :func:`load`.
    """
    stream, values = io.BytesIO(data), []
    while stream.tell() < len(data):
        values.append(_load_next(stream, name))
    return values


def _load_next(stream: io.BytesIO, name: str) -> object:
    try:
        value = _plain(_Unpickler(stream, encoding="latin1").load())
    except _Refused as error:
        raise UserError(f"{name}: {error}; refused, as a pickle can run code") from error
    except Exception as error:  # damaged bytes can fail anywhere, as the pickle docs warn
        raise UserError(f"{name}: not a readable pickle ({error!r}); download it again") from error
    return _listed(value)


class _Refused(Exception):
    """The pickle asks for something that a file of numbers does not need."""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        path = f"{module}.{name}"
        try:
            return _STAND_INS[path.replace("numpy._core.", "numpy.core.")]  # numpy 2 and 1
        except KeyError:
            raise _Refused(f"it names {path[:80]!r}, which files of numbers do not need") from None


class _Array:
    """An array while the pickle is read; ``value`` is the ``numpy.ndarray`` once it is known."""

    value: np.ndarray | None = None

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, fortran, content = state
        self.value = dtype.array(content, shape, "F" if fortran else "C")


class _Dtype:
    """A ``numpy.dtype`` of plain numbers or of objects, e.g. code ``"f8"``."""

    def __init__(self, code: str, *_: object) -> None:
        if not re.fullmatch(r"b1|[iu][1248]|f[248]|O\d?", code):
            raise _Refused(f"it holds an array of dtype {code!r}, not of numbers")
        self.code = code
        self.byteorder = "="

    def __setstate__(self, state: Any) -> None:
        # The rest of the state only matters to structured dtypes.
        if state[1] not in ("<", ">", "=", "|"):
            raise _Refused(f"it holds an array of byte order {state[1]!r}")
        self.byteorder = state[1]

    def array(self, content: Any, shape: Any, order: Any) -> np.ndarray:
        """Rebuild an array of this type from bytes, or from a list of objects."""
        if self.code.startswith("O"):  # numpy writes these as a list, in C order whatever the flag
            return np.fromiter(content, dtype=object, count=len(content)).reshape(shape)
        if isinstance(content, str):  # bytes by Python 2
            content = content.encode("latin1")
        return np.frombuffer(content, self.byteorder + self.code).reshape(shape, order=order)


def _reconstruct(_subtype: object, _shape: object, _typecode: object) -> _Array:
    return _Array()


def _frombuffer(content: Any, dtype: _Dtype, shape: Any, order: Any) -> _Array:
    array = _Array()
    array.value = dtype.array(content, shape, order)
    return array


def _scalar(dtype: _Dtype, content: Any) -> object:
    return dtype.array(content, (), "C").item()


def _encode(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise _Refused(f"it encodes text as {encoding!r}")
    return text.encode("latin1")


_STAND_INS: dict[str, Any] = {
    "numpy.ndarray": None,  # only ever passed to _reconstruct
    "numpy.dtype": _Dtype,
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy.core.multiarray.scalar": _scalar,
    "numpy.core.numeric._frombuffer": _frombuffer,  # arrays in protocol 5
    "_codecs.encode": _encode,  # bytes by Python 3 in protocols 0 to 2
}


def _listed(value: object) -> object:
    """Apply :func:`_plain` to the items of a list, a tuple or a mapping."""
    if isinstance(value, dict):
        return {key: _listed(_plain(item)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _plain(value: object) -> object:
    """Replace a stand-in by its array, and an array of objects by a list."""
    if isinstance(value, _Array):
        value = value.value
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.tolist()
    return value
