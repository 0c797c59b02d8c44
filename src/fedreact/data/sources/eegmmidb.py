"""PhysioNet's EEG Motor Movement/Imagery Dataset: left and right fist, imagined and moved.

Source: G. Schalk, D. J. McFarland, T. Hinterberger, N. Birbaumer, J. R. Wolpaw (2004), "BCI2000: A
General-Purpose Brain-Computer Interface (BCI) System", IEEE Trans. Biomed. Eng. 51:1034-1043;
A. L. Goldberger et al. (2000), "PhysioBank, PhysioToolkit, and PhysioNet", Circulation
101:e215-e220; https://physionet.org/content/eegmmidb/1.0.0/, ODC-By 1.0. 109 people, 64 electrodes,
160 Hz, EDF+. A run is two minutes of 15 trials of 4.1 s after 4.2 s of rest each; a target at the
left (T1) or the right (T2) of the screen tells which fist to open and close, or to imagine so.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import LEFT, RIGHT, Preprocessing, Trial, assemble
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

if TYPE_CHECKING:
    import mne

NAME = "eegmmidb"
RATE = 160.0
IMAGINED, EXECUTED = (4, 8, 12), (3, 7, 11)
LABELS = {"T1": LEFT, "T2": RIGHT}  # in these runs; elsewhere both fists and both feet
# Anomalous recordings, left out of the curated copy of the dataset by Z. Shuqfa, A. Lakas,
# A. N. Belkacem (2024), Data in Brief 54:110181.
EXCLUDED = {
    88: "recorded at 128 Hz",
    89: "its run 3 lasts 181 s",
    92: "recorded at 128 Hz",
    100: "recorded at 128 Hz",
    104: "its run 8 breaks off",
    106: "anomalous",
}
SUBJECTS = tuple(s for s in range(1, 110) if s not in EXCLUDED)


@dataclass(frozen=True)
class EegRun:
    """A recorded run of one person.

    Attributes
    ----------
    subject, run
        As PhysioNet numbers them.
    """

    subject: int
    run: int

    @property
    def file(self) -> str:
        """Its file below the dataset's folder."""
        return f"S{self.subject:03}/S{self.subject:03}R{self.run:02}.edf"


def recordings(
    subjects: Iterable[int] | None = None, runs: Iterable[int] = IMAGINED
) -> list[EegRun]:
    """Return the recordings of some people in the order of people and time.

    Parameters
    ----------
    subjects
        Their numbers; ``None`` for all but those in ``EXCLUDED``.
    runs
        Some of ``IMAGINED`` and ``EXECUTED``.

    Raises
    ------
    UserError
        If there is no such person or run.
    """
    subjects = SUBJECTS if subjects is None else sorted(set(subjects))
    runs = sorted(set(runs))
    if not subjects or not runs:
        raise UserError(f"{NAME}: no subjects or no runs are asked for")
    for subject in subjects:
        if not 1 <= subject <= 109:
            raise UserError(f"{NAME}: subject {subject} does not exist; they are 1 to 109")
    for run in runs:
        if run not in IMAGINED + EXECUTED:
            raise UserError(
                f"{NAME}: run {run} is not of the left and right fist; those are "
                f"{', '.join(map(str, IMAGINED))} (imagined) and "
                f"{', '.join(map(str, EXECUTED))} (executed)"
            )
    return [EegRun(subject, run) for subject in subjects for run in runs]


def read(
    files: Iterable[tuple[EegRun, Path]], preprocessing: Preprocessing | None = None
) -> SeriesDataset:
    """Read recordings and cut their trials into crops.

    A trial that its recording does not hold whole is left out.

    Parameters
    ----------
    files
        Each recording with its file, in the order of people and time.
    preprocessing
        What is done to the recordings.

    Returns
    -------
    SeriesDataset
        Labels 0 for left and 1 for right; subjects as PhysioNet numbers them; trials numbered
        over the whole dataset.

    Raises
    ------
    UserError
        If a file is no such recording, or is damaged.
    """
    settings = preprocessing or Preprocessing()
    trials = (trial for recording, path in files for trial in _trials(recording, path, settings))
    return assemble(NAME, trials)


def _trials(recording: EegRun, path: Path, settings: Preprocessing) -> Iterator[Trial]:
    """Read a recording, and cut each of its whole trials into crops."""
    raw = _open(path)
    if raw.info["sfreq"] != RATE:
        raise UserError(
            f"{path}: recorded at {raw.info['sfreq']:g} Hz, not at {RATE:g} Hz; "
            f"leave out subject {recording.subject}"
        )
    marks = [mark for mark in raw.annotations if mark["description"] in LABELS]
    if not marks:
        raise UserError(f"{path}: no trial is marked as T1 or T2; download it again")
    signal = raw.get_data()
    nonzero = np.flatnonzero(signal.any(axis=0))
    if len(nonzero) == 0:
        raise UserError(f"{path}: holds zeros only; download it again")
    # Files are filled up with zeros to whole seconds; the jump to them would ring in the filter.
    signal = signal[:, : nonzero[-1] + 1]
    try:
        signal = settings.filtered(signal, [_electrode(name) for name in raw.ch_names], RATE)
    except UserError as error:
        raise UserError(f"{error} [in {path}]") from error
    for mark in marks:
        # Onset and length are written in tenths of seconds.
        whole = mark["duration"] > settings.epoch[1] - 0.05
        crops = settings.crops(signal, mark["onset"]) if whole else None
        if crops is not None:
            yield Trial(crops, LABELS[mark["description"]], recording.subject)


def _open(path: Path) -> "mne.io.BaseRaw":
    """Read an EDF file with MNE.

    Its warning of a truncated file is raised as an error; a last trial that the recording cuts off
    is left out with a warning.
    """
    import mne  # it takes a while to load

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", ".*does not match the file size")
            return mne.io.read_raw_edf(path, preload=True, verbose="warning")
    except Exception as error:  # damaged bytes can fail anywhere in MNE
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{path}: not a readable EDF file ({reason}); download it again") from error


def _electrode(name: str) -> str:
    """Spell a name of the files, ``Fcz.``, in the usual way, ``FCz``."""
    name = name.strip(".").upper()
    for written, usual in (("Z", "z"), ("FP", "Fp")):
        name = name.replace(written, usual)
    return name


@dataclass(frozen=True)
class EEGMMIDB(Source):
    """Recordings of some people, pinned one by one.

    Attributes
    ----------
    subjects
        Numbers of people; ``null``: all people with sound recordings.
    runs
        Numbers of runs. 4, 8, 12: imagined movements; 3, 7, 11: executed ones.
    """

    subjects: tuple[Count, ...] | None = None
    runs: tuple[Count, ...] = IMAGINED

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the people and runs."""
        return entry.only(r.file for r in recordings(self.subjects, self.runs))

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read each recording, with a bar, as there may be hundreds."""
        from tqdm import tqdm

        by_file = {r.file: r for r in recordings(self.subjects, self.runs)}
        progress = tqdm(raw.items(), unit="recording", disable=None)
        return read((by_file[name], path) for name, path in progress)


SOURCE = EEGMMIDB
