"""Bonn EEG, which FedST calls Epilepsy (Andrzejak et al. 2001): with and without seizures.

R. G. Andrzejak, K. Lehnertz, F. Mormann, C. Rieke, P. David, C. E. Elger (2001), "Indications of
nonlinear deterministic and finite-dimensional structures in time series of brain electrical
activity", Physical Review E 64:061907. Five sets of 100 recordings of 4,097 steps at 173.61 Hz:
eyes open (Z) and closed (O) of healthy people, between seizures (N, F), and seizures (S). As in
UCI's table of them, a recording is cut into 23 windows of 178 steps, each with one of two labels,
seizure or not.
"""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "bonn"
SETS = ("z", "o", "n", "f", "s")
RECORDINGS, STEPS, WINDOW, RATE = 100, 4097, 178, 173.61
MAX_BYTES = 2**20  # of a recording


@dataclass(frozen=True)
class Bonn(Source):
    """Windows of all recordings.

    Attributes
    ----------
    owner
        Owner of a window. A recording has one label, so a client of one recording would have one
        class. ``mixed``: owner i has recording i of each of the five sets. ``recording``: each
        recording is an owner; 5 i + j is recording i of the j-th set.
    recordings
        Recordings per set, the first ones.
    """

    owner: Literal["mixed", "recording"] = "mixed"
    recordings: Count = RECORDINGS

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the five archives."""
        sets = {name: read_set(raw[name], name)[: self.recordings] for name in SETS}
        return windows(sets, self.owner)


def read_set(path: Path, name: str) -> np.ndarray:
    """Read the recordings ``[100, 4097]`` of a set's archive of text files, one number a line.

    Raises
    ------
    UserError
        The archive is damaged, or holds other files.
    """
    recordings = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                match = re.fullmatch(rf"(?:.*/)?({name})(\d{{3}})\.txt", member.filename, re.I)
                if match is None or "__MACOSX" in member.filename:
                    continue
                if member.file_size > MAX_BYTES:
                    raise ValueError(f"{member.filename} is too large")
                values = np.array(archive.read(member).split(), dtype=np.float64)
                if values.shape != (STEPS,) or not np.isfinite(values).all():
                    raise ValueError(f"{member.filename} has no {STEPS} numbers")
                recordings[int(match[2])] = values
    except Exception as error:  # damaged bytes can fail anywhere
        raise UserError(
            f"{path}: not set {name.upper()} of the Bonn EEG ({error}); download it again"
        ) from error
    if len(recordings) != RECORDINGS:
        raise UserError(
            f"{path}: holds {len(recordings)} recordings of set {name.upper()}, not {RECORDINGS}"
        )
    return np.stack([recordings[number] for number in sorted(recordings)])


def windows(sets: dict[str, np.ndarray], owner: str) -> SeriesDataset:
    """Cut the recordings ``[n, 4097]`` of each set into windows.

    Windows are in the order of owners, recordings and time.
    """
    n, per_recording = len(sets[SETS[0]]), STEPS // WINDOW
    all_sets = np.stack([sets[name] for name in SETS], 1)  # [n, 5, steps]
    cut = all_sets[:, :, : per_recording * WINDOW].reshape(n * 5 * per_recording, 1, WINDOW)
    number, set_number, place = (i.ravel() for i in np.indices((n, 5, per_recording)))
    owners = number if owner == "mixed" else 5 * number + set_number
    return SeriesDataset(
        name=NAME,
        X=standardise_owners(cut, owners),
        lengths=np.full(len(cut), WINDOW),
        y=(set_number == SETS.index("s")).astype(np.int64),
        owner=owners,
        time=(place + 1) * WINDOW / RATE,
    )


SOURCE = Bonn
