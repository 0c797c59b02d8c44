"""Pendigits, digits written on a tablet, as recorded.

Source: E. Alpaydin & F. Alimoglu (1996), "Pen-Based Recognition of Handwritten Digits", UCI Machine
Learning Repository, https://doi.org/10.24432/C5MG6K, CC BY 4.0. The original trajectories
(``pendigits-orig.tra.Z`` and ``.tes.Z``) are UNIPEN text in Unix compress; 44 people wrote about
250 digits each on a WACOM PL-100V in boxes of 500 × 500 pixels, sampled every 100 ms.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset, pad, thin_out
from fedreact.data.files import check_content
from fedreact.data.normalise import scale_to_unit_box
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "pendigits"
COUNTS = {"pendigits-orig.tra": 7494, "pendigits-orig.tes": 3498}


@dataclass(frozen=True, eq=False)
class Digit:
    """One written digit as recorded.

    Attributes
    ----------
    trace
        ``int64 [3, length]``: x (right) and y (up) in tablet pixels, and the pen: 1 while it is
        down, 0 on the last point before it is lifted. Nothing is recorded while it is up.
    label
        The digit, 0 to 9.
    writer
        Number of the writer within the file.
    """

    trace: np.ndarray
    label: int
    writer: int


def read(tra: bytes, tes: bytes, n_steps: int = 100, *, sha256: str | None = None) -> SeriesDataset:
    """Read the two original files of pendigits.

    Parameters
    ----------
    tra, tes
        The files' content, compressed or not.
    n_steps
        Steps of the padded series. A longer digit (44 of them exceed 100) is resampled to
        ``n_steps``.
    sha256
        The expected :func:`~fedreact.data.files.content_sha256`, from the registry.

    Returns
    -------
    SeriesDataset
        ``X [10992, 3, n_steps]``: x and y in the unit box (see
        :func:`~fedreact.data.normalise.scale_to_unit_box`) and the pen, 1 while it is down and 0
        on a stroke's last step. First ``tra``, by writers 1 to 30, then ``tes``; each file numbers
        its writers from 1, though they are different people, so those of ``tes`` are 31 to 44.

    Raises
    ------
    UserError
        If a file is damaged or does not hold as many digits as it should.
    """
    train, test = (parse(data, name) for data, name in zip((tra, tes), COUNTS))
    for digits, (name, count) in zip((train, test), COUNTS.items()):
        if len(digits) != count:
            raise UserError(
                f"{name}: holds {len(digits)} digits, not {count}; delete it and download it again"
            )
    last = max(d.writer for d in train)
    digits = train + [replace(d, writer=d.writer + last) for d in test]
    y = np.array([d.label for d in digits], dtype=np.int64)
    writer = np.array([d.writer for d in digits], dtype=np.int64)
    check_content(NAME, sha256, [d.trace for d in digits], y, writer)
    X, lengths = pad([resample(d.trace, n_steps) for d in digits], n_steps)
    return SeriesDataset(NAME, scale_to_unit_box(X, lengths, [0, 1]), lengths, y, writer)


def resample(trace: np.ndarray, n_steps: int) -> np.ndarray:
    """Shorten a trace to ``n_steps`` evenly spaced steps; shorter ones are returned as they are.

    Positions are interpolated linearly over the step index. Each lift of the pen goes to the
    nearest new step, so none is lost.

    Parameters
    ----------
    trace
        ``[3, length]``, as in :class:`Digit`.
    n_steps
        The most steps of the result, at least 2.

    Returns
    -------
    numpy.ndarray
        ``[3, min(length, n_steps)]``.
    """
    length = trace.shape[1]
    if length <= n_steps:
        return trace
    position = np.linspace(0, length - 1, n_steps)
    out = np.ones((3, n_steps))
    for channel in range(2):
        out[channel] = np.interp(position, np.arange(length), trace[channel])
    lifts = np.flatnonzero(trace[2] == 0)
    out[2, np.rint(lifts * (n_steps - 1) / (length - 1)).astype(int)] = 0
    return out


_HEADER, _POINT = "a header line", "a point"
_NEXT_STROKE, _NEXT_DIGIT = "next stroke", "next digit"
_LINES = {
    _HEADER: re.compile(r"\.(INCLUDE|LEXICON|HIERARCHY)\b.*"),
    ".SEGMENT": re.compile(r'\.SEGMENT\s+DIGIT\s+(\d{1,6})(?:-(\d{1,6}))?\s+\?\s+"(\d)"'),
    ".COMMENT": re.compile(r"\.COMMENT\s+(\d)\s+(\d{1,4})\s+\d{1,6}"),
    ".PEN_DOWN": re.compile(r"\.PEN_DOWN"),
    _POINT: re.compile(r"(\d{1,3})\s+(\d{1,3})"),
    ".PEN_UP": re.compile(r"\.PEN_UP"),
    ".DT": re.compile(r"\.DT\s+\d{1,6}"),
}
_MAY_FOLLOW = {  # the states of the parser: the kind of the last line, or what it completed
    _HEADER: (_HEADER, ".SEGMENT"),
    ".SEGMENT": (".COMMENT",),
    ".COMMENT": (".PEN_DOWN",),
    ".PEN_DOWN": (_POINT,),
    _POINT: (_POINT, ".PEN_UP"),
    ".PEN_UP": (".DT",),
    _NEXT_STROKE: (".PEN_DOWN",),
    _NEXT_DIGIT: (".SEGMENT",),
}


def parse(data: bytes, name: str) -> list[Digit]:
    """Parse one UNIPEN file of pendigits.

    ``.SEGMENT DIGIT 6-7 ? "4"`` opens a digit: its pen components (strokes), numbered through the
    file, and its label. ``.COMMENT 4 1 117`` repeats the label and gives the writer and a running
    number. Each stroke follows as ``.PEN_DOWN``, its points, ``.PEN_UP`` and ``.DT``.

    Parameters
    ----------
    data
        The file's content; it is decompressed first if it is in Unix compress format. Blank lines
        and the kind of line ends do not matter.
    name
        What to call the file in errors.

    Returns
    -------
    list of Digit
        In the order of the file.

    Raises
    ------
    UserError
        If a line is malformed or out of place, or the file ends within a digit.
    """
    parser = _Parser(name)
    for line in _decompress(data, name).splitlines():
        parser.read(line.decode("latin1").strip())
    if parser.state != _NEXT_DIGIT:
        raise parser.error("ends there, within a digit or before the first")
    return parser.digits


class _Parser:
    """State of a file that is read line by line.

    Attributes
    ----------
    state
        Kind of the last line, or what it completed.
    digits
        The whole digits so far.
    """

    def __init__(self, name: str):
        self._name, self._line = name, 0
        self.state = _HEADER
        self.digits: list[Digit] = []
        self._points: list[tuple[int, int, int]] = []
        self._label = self._writer = self._strokes_left = 0

    def error(self, reason: str) -> UserError:
        """Make an error that names the file and the line."""
        return UserError(f"{self._name} line {self._line}: {reason}")

    def read(self, line: str) -> None:
        """Read the next line, which may be blank."""
        self._line += 1
        if not line:
            return
        word = line.split(None, 1)[0]
        kind = word if word in _LINES else _HEADER if word.startswith(".") else _POINT
        match = _LINES[kind].fullmatch(line) if kind in _MAY_FOLLOW[self.state] else None
        if not match:
            wanted = " or ".join(_MAY_FOLLOW[self.state])
            raise self.error(f"wanted {wanted}, found {line[:40]!r}")
        self.state = kind
        self._add(kind, match)

    def _add(self, kind: str, match: re.Match[str]) -> None:
        """Add the content of a line to the digit that it is part of."""
        if kind == _POINT:
            self._points.append((int(match[1]), int(match[2]), 1))
        elif kind == ".SEGMENT":
            first, last, self._label = int(match[1]), int(match[2] or match[1]), int(match[3])
            self._strokes_left, self._points = last - first + 1, []
            if self._strokes_left < 1:
                raise self.error(f"strokes {first} to {last} are no range")
        elif kind == ".COMMENT":
            self._writer = int(match[2])
            if int(match[1]) != self._label:
                raise self.error(f"the digit is {self._label}, found {match.string[:40]!r}")
        elif kind == ".PEN_UP":
            x, y, _ = self._points[-1]
            self._points[-1] = (x, y, 0)
            self._strokes_left -= 1
        elif kind == ".DT":
            self.state = _NEXT_STROKE if self._strokes_left else _NEXT_DIGIT
            if self.state == _NEXT_DIGIT:
                trace = np.array(self._points, dtype=np.int64).T
                self.digits.append(Digit(trace, self._label, self._writer))


def _decompress(data: bytes, name: str) -> bytes:
    """Undo Unix compress, if the bytes start with its magic number.

    The format has neither a length nor a checksum, so a file cut short decompresses to less text;
    the grammar and the number of digits tell.
    """
    if not data.startswith(b"\x1f\x9d"):
        return data
    import ncompress  # only these files need it

    try:
        return ncompress.decompress(data)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"{name}: damaged .Z ({reason}); delete it and download it again"
        ) from error


@dataclass(frozen=True)
class Pendigits(Source):
    """Digits of 44 writers.

    Attributes
    ----------
    per_label
        Series per digit, drawn at random; ``null``: all.
    """

    per_label: Count | None = None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read both files."""
        tra, tes = (raw[name].read_bytes() for name in ("tra", "tes"))
        return thin_out(read(tra, tes, sha256=entry.content_sha256), self.per_label)


SOURCE = Pendigits
