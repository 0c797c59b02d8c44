"""Free Spoken Digit Dataset: English digits that six people spoke, as log-mel spectrograms.

Z. Jackson, C. Souza, J. Flaks, Y. Pan, H. Nicolas, A. Thite (2018), "Jakobovski/free-spoken-digit-
dataset: v1.0.8", https://doi.org/10.5281/zenodo.1342401; files at
https://github.com/Jakobovski/free-spoken-digit-dataset, CC BY-SA 4.0. 50 recordings of each digit
and speaker, mono, 8 kHz, trimmed to the word. Its authors test on recordings 0 to 4.
"""

import re
import wave
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from fedreact.data.dataset import SeriesDataset, pad
from fedreact.data.registry import DatasetEntry
from fedreact.data.resample import shorten
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "fsdd"
RATE = 8000  # Hz
WINDOW, HOP, POINTS = 200, 80, 256  # samples: 25 ms, 10 ms, and of the Fourier transform
BANDS, STEPS = 20, 80
RANGE = 80.0  # dB
LONGEST = 60 * RATE  # samples
TESTED = 5  # recordings of each digit and speaker, the first ones
Speaker = Literal["george", "jackson", "lucas", "nicolas", "theo", "yweweler"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)
FILE = re.compile(rf"recordings/(\d)_({'|'.join(SPEAKERS)})_(\d{{1,2}})\.wav")


class Name(NamedTuple):
    """Speaker, 0 to 5, digit, and number of a recording, as the name of its file says."""

    speaker: int
    digit: int
    number: int


@dataclass(frozen=True)
class FSDD(Source):
    """Spoken digits; an owner is a speaker, numbered from 0 on in alphabetical order.

    A channel is a band of frequencies and a step 10 ms. Values are from 0, which is 80 dB or more
    below the loudest point of a recording, to 1. ``tested`` marks the authors' test recordings.

    Attributes
    ----------
    speakers
        Names of speakers; ``null``: all.
    recordings
        Recordings of each digit and speaker, the first ones. The first 5 are for testing.
    """

    speakers: tuple[Speaker, ...] | None = None
    recordings: Count = 50

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the speakers, by speaker, digit and number."""
        names = {path: parse(path) for path in (entry.listed.sha256 if entry.listed else ())}
        speakers = {SPEAKERS.index(speaker) for speaker in self.speakers or SPEAKERS}
        return entry.only(
            path
            for path in sorted(names, key=names.__getitem__)
            if names[path].speaker in speakers and names[path].number < self.recordings
        )

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the files."""
        return spoken({parse(name): read_wav(path) for name, path in raw.items()})


def parse(path: str) -> Name:
    """Return what the path of a recording below the dataset's folder says.

    Raises
    ------
    UserError
        It is not such a path.
    """
    match = FILE.fullmatch(path)
    if match is None:
        raise UserError(f"{NAME}: {path} is not recordings/<digit>_<speaker>_<number>.wav")
    return Name(SPEAKERS.index(match[2]), int(match[1]), int(match[3]))


def read_wav(path: Path) -> np.ndarray:
    """Read a recording ``float64 [samples]``, from -1 to 1.

    Raises
    ------
    UserError
        The file is damaged, or holds no mono sound of 16 bits and 8 kHz.
    """
    try:
        with wave.open(str(path)) as file:
            form = (file.getnchannels(), file.getsampwidth(), file.getframerate())
            if form != (1, 2, RATE):
                raise ValueError(f"{form[0]} channels of {8 * form[1]} bits at {form[2]} Hz")
            n = file.getnframes()
            samples = np.frombuffer(file.readframes(min(n, LONGEST)), dtype="<i2")
        if len(samples) != n or n < WINDOW:
            raise ValueError(f"{len(samples)} samples of {n}; wanted {WINDOW} to {LONGEST}")
    except (wave.Error, EOFError, ValueError) as error:
        reason = " ".join(str(error).split()) or "it ends early"
        raise UserError(
            f"{path}: not a mono recording of 16 bits and {RATE} Hz ({reason}); download it again"
        ) from error
    return samples / 2.0**15


def log_mel(sound: np.ndarray) -> np.ndarray:
    """Return the log-mel spectrogram ``[20, frames]`` of a sound ``[samples]``.

    Frames are windows of 25 ms that lie in the sound, 10 ms apart. Power is in decibels below the
    loudest point, scaled so that this point is 1, and what is 80 dB or more below it is 0; silence
    is 0 everywhere.
    """
    hann = np.hanning(WINDOW + 1)[:-1]  # periodic, as for spectra
    frames = sliding_window_view(sound, WINDOW)[::HOP] * hann
    power = mel_filters() @ (np.abs(np.fft.rfft(frames, POINTS)) ** 2).T
    loudest = power.max()
    if loudest == 0:
        return power
    decibels = 10 * np.log10(np.maximum(power / loudest, 10 ** (-RANGE / 10)))
    return 1 + decibels / RANGE


@cache
def mel_filters() -> np.ndarray:
    """Return the weights ``[20, 129]`` of the frequencies of a Fourier transform in each band.

    Bands are triangles between 0 Hz and 4 kHz whose corners are equally spaced in mel (S. B. Davis,
    P. Mermelstein 1980, "Comparison of Parametric Representations for Monosyllabic Word Recognition
    in Continuously Spoken Sentences", IEEE Transactions on Acoustics, Speech, and Signal Processing
    28(4):357-366). Here mel = 2595 log10(1 + f / 700 Hz) (D. O'Shaughnessy 1987, Speech
    Communication: Human and Machine, Addison-Wesley, p. 150).
    """
    frequencies = np.fft.rfftfreq(POINTS, 1 / RATE)
    top = 2595 * np.log10(1 + RATE / 2 / 700)
    corners = 700 * (10 ** (np.linspace(0, top, BANDS + 2) / 2595) - 1)
    low, peak, high = (corners[i : BANDS + i, None] for i in range(3))
    rising, falling = (frequencies - low) / (peak - low), (high - frequencies) / (high - peak)
    return np.maximum(0, np.minimum(rising, falling))


def spoken(sounds: Mapping[Name, np.ndarray]) -> SeriesDataset:
    """Make the dataset of sounds ``[samples]``, by their names.

    One of more than 80 frames is resampled to 80.
    """
    X, lengths = pad([shorten(log_mel(sound), STEPS) for sound in sounds.values()], STEPS)
    return SeriesDataset(
        name=NAME,
        X=X,
        lengths=lengths,
        y=np.array([name.digit for name in sounds], dtype=np.int64),
        owner=np.array([name.speaker for name in sounds], dtype=np.int64),
        tested=np.array([name.number < TESTED for name in sounds]),
    )


SOURCE = FSDD
