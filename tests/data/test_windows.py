"""Windows of recordings are read as the array that they stand for."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fedreact.data.windows import Windows

VALUES = np.arange(14, dtype=np.float32).reshape(7, 2)
STARTS = np.array([4, 0, 3, 3])
WRITTEN_OUT = np.stack([VALUES[s : s + 3] for s in STARTS])  # [4, 3, 2]


def numpys():
    return Windows(VALUES, STARTS, 3)


def torchs():
    return numpys().tensors(lambda tensor: tensor)


@pytest.mark.parametrize("make", [numpys, torchs])
def test_by_hand(make):
    windows = make()
    assert len(windows) == 4
    assert windows.shape == (4, 3, 2)
    assert windows[0].tolist() == [[8, 9], [10, 11], [12, 13]]
    index = np.array if make is numpys else torch.tensor
    assert windows[index([1, 0]), index([0, 2])].tolist() == [[0, 1], [12, 13]]
    assert windows[index([[2]])].tolist() == [[[[6, 7], [8, 9], [10, 11]]]]


@pytest.mark.parametrize(
    "at",
    [
        2,
        -1,
        slice(1, 3),
        np.array(2),
        np.array([3, 0, 0]),
        np.array([[0, 1], [2, 3]]),
        np.zeros(0, int),
        np.array([True, False, False, True]),
    ],
    ids=str,
)
def test_indexed_like_the_array(at):
    np.testing.assert_array_equal(numpys()[at], WRITTEN_OUT[at])
    at = torch.from_numpy(at) if isinstance(at, np.ndarray) else at
    there = torch.from_numpy(WRITTEN_OUT)
    torch.testing.assert_close(torchs()[at], there[at], rtol=0, atol=0)


@given(st.integers(0, 2**31), st.lists(st.integers(1, 4), max_size=3))
def test_pairs_of_indices_are_steps_of_windows(seed, shape):
    rng = np.random.default_rng(seed)
    series, step = (rng.integers(0, n, shape) for n in (4, 3))
    np.testing.assert_array_equal(numpys()[series, step], WRITTEN_OUT[series, step])
    pair = torch.as_tensor(series), torch.as_tensor(step)
    torch.testing.assert_close(torchs()[pair], torch.from_numpy(WRITTEN_OUT)[pair], rtol=0, atol=0)
    # As training asks: steps [..., T, B] of series [..., 1, B].
    pair = torch.tensor([[3, 0]]), torch.tensor([[0, 1], [1, 2], [2, 2]])
    torch.testing.assert_close(torchs()[pair], torch.from_numpy(WRITTEN_OUT)[pair], rtol=0, atol=0)


def test_windows_that_do_not_exist_are_no_others():
    with pytest.raises(IndexError):
        numpys()[4]
    with pytest.raises(IndexError):
        numpys()[np.array([0, 4]), np.array([0, 0])]


def test_tensors_are_placed_one_by_one():
    placed = []

    def place(tensor):
        placed.append(tensor)
        return tensor.double() if tensor.is_floating_point() else tensor

    windows = numpys().tensors(place)
    assert [tensor.shape for tensor in placed] == [(7, 2), (4,)]
    assert windows.values.dtype == torch.float64
    assert windows.length == 3
    assert windows.device == torch.device("cpu")
    # They share the memory of numpy's: recordings are not there twice.
    assert placed[0].data_ptr() == VALUES.ctypes.data


def test_nothing_is_copied_until_it_is_read():
    values = VALUES.copy()
    windows = Windows(values, STARTS, 3)
    before = windows[0]
    values[4:] = -1
    assert before.tolist() == WRITTEN_OUT[0].tolist()
    assert (windows[0] == -1).all()
