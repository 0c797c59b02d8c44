"""Pickles of numbers, read without running what they name (more in sources/test_rtd.py)."""

import numpy as np
import pytest

from fedreact.data.unpickle import load
from fedreact.errors import UserError

ROW = [2.0, 2, 2, 1, 2, 4]


@pytest.mark.parametrize("numpy_module", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_python_2_pickle(numpy_module):
    """What numpy 1 under Python 2 wrote: its bytes are text to Python 3."""
    row = np.array(ROW, dtype="<f8").tobytes()
    data = (
        b"\x80\x02c" + numpy_module + b"\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x01K\x06\x86cnumpy\ndtype\nU\x02f8K\x00K\x01\x87R"
        b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U"
        + bytes([len(row)])
        + row
        + b"tb."
    )
    value = load(data, "x")
    assert value.shape == (1, 6)
    assert value[0].tolist() == ROW


def test_names_are_shown_on_one_line():
    name = "a\nb\ud800" + "c" * 1000
    data = b"".join(
        (b"\x80\x04", *(b"X" + len(t).to_bytes(4, "little") + t for t in encoded(name)), b"\x93.")
    )
    with pytest.raises(UserError, match=r"^x: it names 'os\.a\\nb[^\n]*$") as caught:
        load(data, "x")
    assert len(str(caught.value)) < 300
    str(caught.value).encode()


def encoded(name):
    return b"os", name.encode("utf-8", "surrogatepass")
