"""Sleep-EDF Expanded: nights of people, a stage of sleep every 30 seconds (Kemp et al. 2000).

The 20 people 0 to 19 of the study "sleep cassette", one or two nights each, one electrode (Fpz-Cz)
at 100 Hz: https://physionet.org/content/sleep-edfx/1.0.0/, ODC-By 1.0. Files are named and checked
by the list of SHA-1 digests that MNE-Python has of them.
"""

import csv
import hashlib
import importlib.util
import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DataFile
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Natural, Share

NAME = "sleep-edf"
URL = "https://physionet.org/files/sleep-edfx/1.0.0/sleep-cassette"
ELECTRODE, RATE, EPOCH = "EEG Fpz-Cz", 100.0, 30
STAGES = {"W": 0, "1": 1, "2": 2, "3": 3, "4": 3, "R": 4}
"""Stages 3 and 4 are one, as in the manual of 2007; movement and unknown are left out."""
AWAKE = 30 * 60
"""Seconds awake that are kept before and after sleep; days lie around the nights."""


@dataclass(frozen=True)
class Night:
    """Files of a night of a person, each a name and a SHA-1."""

    person: int
    number: int
    signal: tuple[str, str]
    stages: tuple[str, str]


@cache
def nights() -> list[Night]:
    """All nights of MNE-Python's list."""
    found = importlib.util.find_spec("mne")
    path = Path(found.origin).parent / "datasets/sleep_physionet/age_records.csv" if found else None
    if path is None or not path.is_file():
        raise UserError(f"{NAME}: MNE-Python is missing, which lists its files; run make setup")
    files: dict[tuple[int, int], dict[str, tuple[str, str]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            night = int(row["subject"]), int(row["night"])
            files.setdefault(night, {})[row["record type"]] = row["fname"], row["sha"]
    return [Night(*n, of["PSG"], of["Hypnogram"]) for n, of in sorted(files.items())]


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

    def wanted(self, entry):
        """Two files of each night."""
        listed = [file for night in self._nights() for file in (night.signal, night.stages)]
        files = {name: DataFile((name,), f"{URL}/{name}") for name, _ in listed}
        return replace(entry, files=files)

    def read(self, raw, entry):
        """Check the files and cut nights into epochs of 30 s."""
        parts = []
        for night in self._nights():
            for name, sha1 in (night.signal, night.stages):
                check_sha1(raw[name], sha1)
            found = epochs(raw[night.signal[0]], raw[night.stages[0]])
            taken = np.arange(0, len(found[1]), 1 / self.share).astype(int)
            parts.append((night, tuple(values[taken] for values in found)))
        return assemble(parts)

    def _nights(self):
        found = [night for night in nights() if night.person in self.people]
        if absent := set(self.people) - {night.person for night in found}:
            raise UserError(f"{NAME}: there is no person {min(absent)}")
        return found


def check_sha1(path: Path, sha1: str) -> None:
    """Raise a ``UserError`` unless a file has the digest."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha1").hexdigest()
    if found != sha1:
        raise UserError(
            f"{path}: not the registered file (SHA-1 {found}, expected {sha1}); delete it and run "
            "again"
        )


def epochs(signal: Path, stages: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Epochs ``[n, 1, 3000]`` of a night in microvolts, their stages, and when each ends.

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
    except Exception as error:  # whatever MNE stumbles over in a damaged file
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{signal}: not a readable night ({reason}); download it again") from error
    if ELECTRODE not in raw.ch_names or raw.info["sfreq"] != RATE:
        raise UserError(f"{signal}: has no {ELECTRODE} at {RATE:g} Hz")
    values, steps = raw.get_data()[0] * 1e6, int(EPOCH * RATE)
    starts, labels = [], []
    for mark in marks:
        stage = STAGES.get(mark["description"].removeprefix("Sleep stage "))
        if stage is None:
            continue
        for i in range(int(mark["duration"] // EPOCH)):
            start = round((mark["onset"] + i * EPOCH) * RATE)
            if start + steps <= len(values):
                starts.append(start)
                labels.append(stage)
    starts, labels = np.array(starts, dtype=np.int64), np.array(labels, dtype=np.int64)
    asleep = starts[labels > 0] if len(labels) else starts
    if not len(asleep):
        raise UserError(f"{stages}: it has no sleep stages")
    near = (starts >= asleep.min() - AWAKE * RATE) & (starts <= asleep.max() + AWAKE * RATE)
    starts, labels = starts[near], labels[near]
    cut = values[starts[:, None] + np.arange(steps)][:, None]
    return cut, labels, (starts + steps) / RATE


def assemble(parts: list[tuple[Night, tuple]]) -> SeriesDataset:
    """The dataset of some nights, in the order of people and time; an owner is a person."""
    X, y, time = (np.concatenate([of[i] for _, of in parts]) for i in range(3))
    sizes = [len(of[1]) for _, of in parts]
    owner = np.repeat([night.person for night, _ in parts], sizes)
    time = time + np.repeat([1e6 * night.number for night, _ in parts], sizes)
    X = standardise_owners(X, owner)
    lengths = np.full(len(X), X.shape[2])
    return SeriesDataset(NAME, X, lengths, y, owner, time=time)


SOURCE = SleepEDF
