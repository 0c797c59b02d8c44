"""EDF recordings with annotations, read by MNE."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.errors import UserError, known
from fedreact.io.contract import Reader, Recording, Recordings, files_of
from fedreact.io.patterns import is_tested, matched


@dataclass(frozen=True)
class Edf(Reader):
    """An EDF file, or a folder of them; annotations are the labels of the steps they cover.

    Without a pattern, each file is a client of its own. Values are in microvolts.

    Attributes
    ----------
    pattern
        What the names of files say, from the folder on: {client}/{label}_{trial}.csv; an asterisk
        stands for any text.
    channels
        Columns that are channels, with commas between them; ``null``: all columns of numbers that
        have no other meaning.
    annotations
        Annotations that are labels, with commas between them; ``null``: all.
    """

    pattern: str | None = None
    channels: tuple[str, ...] | None = None
    annotations: tuple[str, ...] | None = None
    SUFFIXES: ClassVar[tuple[str, ...]] = (".edf",)
    FOLDERS: ClassVar[bool] = True
    TITLE: ClassVar[str] = "EDF with annotations, a file or a folder"

    def read(self, source: str) -> Recordings:
        """Read all files."""
        named, notes = matched(files_of(source, self.SUFFIXES), source, self.pattern)
        channels = self.channels
        parts = []
        for path, fixed in named:
            if self.pattern is None:
                fixed = {"client": path.stem}
            there, part = self._recording(path, channels, fixed)
            channels = channels or there
            parts.append(part)
        assert channels is not None
        files: list[Path] = [path for path, _ in named]
        return Recordings(channels, parts, files=files, notes=notes)

    def _recording(
        self, path: Path, channels: tuple[str, ...] | None, fixed: dict[str, str]
    ) -> tuple[tuple[str, ...], Recording]:
        """Read a file: its channels, and its recording."""
        try:
            import mne
        except ImportError:
            raise UserError(
                "EDF files need the package mne: pip install 'fedreact[workflow]'"
            ) from None
        try:
            raw = mne.io.read_raw_edf(path, preload=True, verbose="error")
        except Exception as error:  # damaged bytes can fail anywhere
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"{path}: not a readable EDF file ({reason})") from None
        names = channels or tuple(raw.ch_names)
        for name in names:
            if name not in raw.ch_names:
                raise UserError(
                    f"{path}: no channel {name!r}; there are {known(raw.ch_names, name)}"
                )
        values = raw.get_data(picks=list(names), units={"eeg": "uV"}).T
        label: np.ndarray | str | None = fixed.get("label")
        if label is None and len(raw.annotations):
            label = self._labels(raw)
        rate = float(raw.info["sfreq"])
        where = str(path)
        tested = is_tested(fixed["tested"], where) if "tested" in fixed else None
        client, trial = fixed.get("client"), fixed.get("trial")
        return names, Recording(values, where, client, trial, rate=rate, label=label, tested=tested)

    def _labels(self, raw: "object") -> np.ndarray:
        """Return the annotation of each step; a step without one has an empty text."""
        times, marks = raw.times, raw.annotations  # type: ignore[attr-defined]
        found = [
            (float(onset) - float(raw.first_time), float(duration), str(text))  # type: ignore[attr-defined]
            for onset, duration, text in zip(marks.onset, marks.duration, marks.description)
            if self.annotations is None or str(text) in self.annotations
        ]
        if not found:
            raise UserError(
                f"{raw.filenames[0]}: no annotation is one of {', '.join(self.annotations or ())}; "  # type: ignore[attr-defined]
                f"there are {', '.join(sorted(set(map(str, marks.description))))}"
            )
        width = max(len(text) for _, _, text in found)
        labels = np.zeros(len(times), f"<U{width}")
        for onset, duration, text in found:
            first, last = np.searchsorted(times, [onset - 1e-9, onset + duration - 1e-9])
            labels[first : max(last, first + 1)] = text
        return labels


READER = Edf
