"""From recordings of motor imagery to series, the same way for recorded and simulated EEG.

A recording is referenced to the mean of its electrodes, those over the motor cortex are picked,
band-pass filtered and thinned out in time; each trial is cut into overlapping crops. The choices
are entered in ``config/papers/fed_react/ledger.yaml``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

LEFT, RIGHT = 0, 1
# Three rows of the 10-10 system, over the premotor, motor and somatosensory cortex.
MOTOR_STRIP = tuple(f"{row}{place}" for row in ("FC", "C", "CP") for place in "531z246")


@dataclass(frozen=True)
class Preprocessing:
    """Settings of the steps from a recording to series.

    Attributes
    ----------
    channels
        Electrodes that are kept, in this order.
    band
        Edges of the pass band in Hz: the mu (8-13 Hz) and beta (13-30 Hz) rhythms.
    rate
        Steps per second of the series; it divides the rate of the recording.
    epoch
        Start and end of the part of a trial that is used, in seconds after the cue.
    window, stride
        Seconds that a crop lasts, and from the start of one to that of the next.
    """

    channels: tuple[str, ...] = MOTOR_STRIP
    band: tuple[float, float] = (8.0, 30.0)
    rate: float = 80.0
    epoch: tuple[float, float] = (0.5, 4.1)
    window: float = 2.0
    stride: float = 0.4

    def __post_init__(self) -> None:
        low, high = self.band
        start, end = self.epoch
        if not 0 < low < high:
            raise UserError(f"eeg: band: needs 0 < low < high, got {low} to {high} Hz")
        # The filter falls off within a quarter of the upper edge; what is above half the rate
        # would be folded back into the band.
        if self.rate < 2 * 1.25 * high:
            raise UserError(f"eeg: rate: {self.rate} Hz is too low for a band up to {high} Hz")
        if not (self.stride > 0 and 0 < self.window <= end - start):
            raise UserError(
                f"eeg: window: crops of {self.window} s every {self.stride} s do not fit into "
                f"the {end - start:.2f} s of the epoch"
            )

    @property
    def n_steps(self) -> int:
        """Steps of a crop."""
        return round(self.window * self.rate)

    @property
    def starts(self) -> np.ndarray:
        """First step of each crop, counted from the start of the epoch."""
        # A stride of 0.4 s fits four times into 1.6 s, though not in floating point.
        n = 1 + int((self.epoch[1] - self.epoch[0] - self.window) / self.stride + 1e-6)
        return np.rint(np.arange(n) * self.stride * self.rate).astype(int)

    def filtered(self, signal: np.ndarray, names: list[str], rate: float) -> np.ndarray:
        """Reference, pick, filter and thin out a recording.

        Parameters
        ----------
        signal
            ``float64 [..., electrodes, samples]``.
        names
            The electrodes, in the spelling of ``channels``.
        rate
            Samples per second.

        Returns
        -------
        numpy.ndarray
            ``float64 [..., channels, steps]``; step 0 is sample 0.

        Raises
        ------
        UserError
            If an electrode is missing, or ``rate`` is no multiple of the wanted one.
        """
        from mne.filter import filter_data  # it takes a while to load

        if missing := [name for name in self.channels if name not in names]:
            raise UserError(
                f"eeg: channel {', '.join(missing)} is not among the recorded: {', '.join(names)}"
            )
        every = Fraction(rate) / Fraction(self.rate)
        if every.denominator != 1:
            raise UserError(f"eeg: rate: {self.rate} Hz does not divide the recorded {rate} Hz")
        signal = signal - signal.mean(axis=-2, keepdims=True)
        picked = signal[..., [names.index(name) for name in self.channels], :]
        passed = filter_data(picked, rate, *self.band, method="fir", phase="zero", verbose="error")
        return passed[..., :: int(every)]

    def crops(self, signal: np.ndarray, cue: float) -> np.ndarray | None:
        """Cut a trial into crops, each scaled by its own root mean square.

        One factor serves all channels of a crop, which keeps what tells left from right: the
        power of one hemisphere beside that of the other.

        Parameters
        ----------
        signal
            ``[channels, steps]``, as :meth:`filtered` returns it.
        cue
            Seconds from its start to the trial's cue.

        Returns
        -------
        numpy.ndarray or None
            ``float32 [crops, channels, n_steps]``; ``None`` if the recording does not hold the
            whole epoch.
        """
        first = round((cue + self.epoch[0]) * self.rate)
        places = first + self.starts
        if first < 0 or places[-1] + self.n_steps > signal.shape[-1]:
            return None
        X = np.stack([signal[:, place : place + self.n_steps] for place in places])
        size = np.sqrt((X**2).mean(axis=(1, 2), keepdims=True))
        return (X / np.where(size > 0, size, 1)).astype(np.float32)


class Trial(NamedTuple):
    """Crops ``[crops, channels, steps]`` of a trial, its label, and the number of the person."""

    crops: np.ndarray
    label: int
    subject: int


def assemble(name: str, trials: Iterable[Trial]) -> SeriesDataset:
    """Make a dataset of trials, numbered in their order.

    Raises
    ------
    UserError
        There is no trial.
    """
    whole = list(trials)
    if not whole:
        raise UserError(f"{name}: the recordings hold no whole trial")
    X = np.concatenate([trial.crops for trial in whole])
    numbers = np.repeat(np.arange(len(whole)), [len(trial.crops) for trial in whole])
    labels = np.array([trial.label for trial in whole], dtype=np.int64)
    subjects = np.array([trial.subject for trial in whole], dtype=np.int64)
    return SeriesDataset(
        name=name,
        X=X,
        lengths=np.full(len(X), X.shape[2], dtype=np.int64),
        y=labels[numbers],
        owner=subjects[numbers],
        trial=numbers,
    )
