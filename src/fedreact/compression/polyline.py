"""Google's encoded polyline algorithm for weights, as FedAT's compressor uses it (section 7.4.1).

A value x becomes the whole number round(x 10^p); that is shifted left by one bit and inverted if it
is negative; the bits go out in chunks of five, lowest first, 32 added where more follow, and 63 to
each, so that all are letters.
"""

import numpy as np

from fedreact.errors import UserError


def encode(values: np.ndarray, precision: int, differences: bool = False) -> bytes:
    """Encode numbers ``[n]`` at a precision of so many decimals.

    Parameters
    ----------
    differences
        Whether each number is written as its difference from the one before, as coordinates of
        points along a line are. It does not shorten weights, since neighbours are not alike.

    Raises
    ------
    UserError
        A number is not finite, or has too many digits.
    """
    whole = _whole(np.asarray(values, dtype=np.float64), precision)
    if whole is None:
        raise UserError(f"numbers must be finite and below 2^60 / 10^{precision} to be encoded")
    if differences:
        whole = np.diff(whole, prepend=0)
    left = np.where(whole < 0, ~(whole << 1), whole << 1)
    chunks = []
    while True:
        more = left >= 0x20
        chunks.append((left & 0x1F) + np.where(more, 0x20, 0) + 63)
        left = left >> 5
        if not more.any():
            break
    letters = np.stack(chunks, axis=1).astype(np.uint8)
    return letters[np.arange(len(chunks)) < lengths(whole)[:, None]].tobytes()


def _whole(values: np.ndarray, precision: int) -> np.ndarray | None:
    """Return numbers times 10^precision, rounded; ``None`` if one is NaN or too large."""
    whole = np.rint(values * 10**precision)
    return whole.astype(np.int64) if (np.abs(whole) < 2**60).all() else None


def lengths(whole: np.ndarray) -> np.ndarray:
    """Count the letters ``[n]`` that each whole number takes."""
    left = np.where(whole < 0, ~(whole << 1), whole << 1)
    n = np.ones(len(left), dtype=np.int64)
    while (left := left >> 5).any():
        n += left > 0
    return n


def decode(text: bytes, precision: int, differences: bool = False) -> np.ndarray:
    """Decode numbers ``float64 [n]``; the arguments are those of :func:`encode`.

    Raises
    ------
    UserError
        The text is not an encoded polyline.
    """
    letters = np.frombuffer(text, dtype=np.uint8).astype(np.int64) - 63
    if len(letters) and (letters.min() < 0 or letters.max() > 63 or letters[-1] >= 0x20):
        raise UserError("not an encoded polyline, or cut off")
    last = letters < 0x20
    number: np.ndarray = np.cumsum(last) - last
    first = np.concatenate([[True], last])[: len(letters)]
    position = np.arange(len(letters))
    digit = position - np.maximum.accumulate(np.where(first, position, 0))
    left = np.zeros(int(last.sum()), dtype=np.int64)
    np.add.at(left, number, (letters & 0x1F) << (5 * digit))
    whole = np.where(left & 1, ~(left >> 1), left >> 1)
    if differences:
        whole = np.cumsum(whole)
    return whole / 10.0**precision


def rounded(values: np.ndarray, precision: int) -> tuple[np.ndarray, int]:
    """Return weights ``float32 [n]`` after encoding and decoding, and the bytes of their text.

    Weights that cannot be encoded become NaN, so that a training that diverges is seen.
    """
    whole = _whole(values.astype(np.float64), precision)
    if whole is None:
        return np.full_like(values, np.nan), values.nbytes
    return (whole / 10.0**precision).astype(np.float32), int(lengths(whole).sum())
