"""Sleep-EDF Expanded: nights of people, a stage of sleep every 30 seconds (Kemp et al. 2000).

The 20 people 0 to 19 of the study "sleep cassette", one or two nights each, one electrode (Fpz-Cz)
at 100 Hz: https://physionet.org/content/sleep-edfx/1.0.0/, ODC-By 1.0. Files are named and checked
by the list of SHA-1 digests that MNE-Python has of them.
"""

import csv
import hashlib
import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.files import file_of_package
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DataFile, DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Natural, Share

NAME = "sleep-edf"
URL = "https://physionet.org/files/sleep-edfx/1.0.0/sleep-cassette"
ELECTRODE, RATE, EPOCH = "EEG Fpz-Cz", 100.0, 30
STAGES = {"W": 0, "1": 1, "2": 2, "3": 3, "4": 3, "R": 4}
"""Stages 3 and 4 are one, as in the manual of 2007; movement and unknown are left out."""
AWAKE = 30 * 60
"""Seconds awake that are used before and after sleep; recordings include the days around nights."""


@dataclass(frozen=True)
class Night:
    """Files of a night of a person, each a name and a SHA-1."""

    person: int
    number: int
    signal: tuple[str, str]
    stages: tuple[str, str]


@cache
def nights() -> list[Night]:
    """List all nights, by the list of MNE-Python.

    Raises
    ------
    UserError
        MNE-Python is missing.
    """
    path = file_of_package("mne", "datasets/sleep_physionet/age_records.csv")
    if path is None:
        raise UserError(f"{NAME}: MNE-Python is missing, which lists its files; run make setup")
    files: dict[tuple[int, int], dict[str, tuple[str, str]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            night = int(row["subject"]), int(row["night"])
            files.setdefault(night, {})[row["record type"]] = row["fname"], row["sha"]
    return [
        Night(person, number, signal=pair["PSG"], stages=pair["Hypnogram"])
        for (person, number), pair in sorted(files.items())
    ]


class Epochs(NamedTuple):
    """Epochs of a night, each 30 s.

    Attributes
    ----------
    X
        ``float64 [n, 1, 3000]``, microvolts.
    stages
        ``int64 [n]``, see ``STAGES``.
    ends
        ``float64 [n]``: when each ends, in seconds from the start of the recording.
    """

    X: np.ndarray
    stages: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True)
class SleepEDF(Source):
    """Nights of some people.

    Attributes
    ----------
    people
        Numbers of people, from 0 to 82.
    share
        Share of a night's epochs, evenly spread; 0.1 uses every tenth.
    """

    people: tuple[Natural, ...] = tuple(range(20))
    share: Share = 1.0

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the two files of each night."""
        pairs = [file for night in self._nights() for file in (night.signal, night.stages)]
        files = {name: DataFile((name,), f"{URL}/{name}") for name, _ in pairs}
        return replace(entry, files=files)

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Check the files and cut nights into epochs of 30 s."""
        parts = []
        for night in self._nights():
            for name, sha1 in (night.signal, night.stages):
                check_sha1(raw[name], sha1)
            whole = read_epochs(raw[night.signal[0]], raw[night.stages[0]])
            used = np.arange(0, len(whole.stages), 1 / self.share).astype(int)
            parts.append((night, Epochs(*(values[used] for values in whole))))
        return assemble(parts)

    def _nights(self) -> list[Night]:
        own = [night for night in nights() if night.person in self.people]
        if absent := set(self.people) - {night.person for night in own}:
            raise UserError(f"{NAME}: there is no person {min(absent)}")
        return own


def check_sha1(path: Path, sha1: str) -> None:
    """Raise a ``UserError`` unless a file has the digest."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha1").hexdigest()
    if digest != sha1:
        raise UserError(
            f"{path}: not the registered file (SHA-1 {digest}, expected {sha1}); delete it and run "
            "again"
        )


def read_epochs(signal: Path, stages: Path) -> Epochs:
    """Read a night and cut it into epochs.

    Raises
    ------
    UserError
        A file is damaged, or not of such a night.
    """
    import mne  # it takes a while to load

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            raw = mne.io.read_raw_edf(signal, include=[ELECTRODE], preload=True, verbose="error")
            marks = mne.read_annotations(stages)
    except Exception as error:  # damaged bytes can fail anywhere in MNE
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{signal}: not a readable night ({reason}); download it again") from error
    if ELECTRODE not in raw.ch_names or raw.info["sfreq"] != RATE:
        raise UserError(f"{signal}: has no {ELECTRODE} at {RATE:g} Hz")
    values, steps = raw.get_data()[0] * 1e6, int(EPOCH * RATE)
    first_steps, numbers = [], []
    for mark in marks:
        stage = STAGES.get(mark["description"].removeprefix("Sleep stage "))
        if stage is None:
            continue
        for i in range(int(mark["duration"] // EPOCH)):
            start = round((mark["onset"] + i * EPOCH) * RATE)
            if start + steps <= len(values):
                first_steps.append(start)
                numbers.append(stage)
    starts, labels = np.array(first_steps, dtype=np.int64), np.array(numbers, dtype=np.int64)
    asleep = starts[labels > 0] if len(labels) else starts
    if not len(asleep):
        raise UserError(f"{stages}: it has no sleep stages")
    near = (starts >= asleep.min() - AWAKE * RATE) & (starts <= asleep.max() + AWAKE * RATE)
    starts, labels = starts[near], labels[near]
    cut = values[starts[:, None] + np.arange(steps)][:, None]
    return Epochs(cut, labels, (starts + steps) / RATE)


def assemble(parts: list[tuple[Night, Epochs]]) -> SeriesDataset:
    """Make a dataset of nights, in the order of people and time; an owner is a person."""
    sizes = [len(epochs.stages) for _, epochs in parts]
    X = np.concatenate([epochs.X for _, epochs in parts])
    ends = np.concatenate([epochs.ends for _, epochs in parts])
    owner = np.repeat([night.person for night, _ in parts], sizes)
    return SeriesDataset(
        name=NAME,
        X=standardise_owners(X, owner),
        lengths=np.full(len(X), X.shape[2]),
        y=np.concatenate([epochs.stages for _, epochs in parts]),
        owner=owner,
        time=ends + np.repeat([1e6 * night.number for night, _ in parts], sizes),
    )


SOURCE = SleepEDF
