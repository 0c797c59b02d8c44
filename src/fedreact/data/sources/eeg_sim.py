"""Simulated EEG of imagined hand movements: a stand-in where no recordings can be reached.

Imagining to move a hand weakens the mu (8-13 Hz) and beta (13-30 Hz) rhythms over the hand area of
the other hemisphere, from about half a second after the cue, and less so over that of the same
hemisphere: event-related desynchronisation (G. Pfurtscheller & F. H. Lopes da Silva 1999,
"Event-related EEG/MEG synchronization and desynchronization: basic principles", Clin. Neurophysiol.
110:1842-1857). Trials here are

    x(t) = sum_s g_s a_s(t) r_s(t) + sum_b g_b n_b(t) + noise,

r a rhythm (a narrow-band Gaussian process) of each hand area and of the back of the head, n noise
with a 1/f spectrum from places all over the head, and g how a place of the cortex is seen by each
electrode: a Gaussian of the angle between the two on a spherical head, as the skull blurs what lies
beneath. The amplitude a falls where and while the rhythm desynchronises. People differ in the
frequencies and strengths of their rhythms and in how much these weaken; strengths drift from trial
to trial. The numbers are judged so that a simple classifier does about as well as on recordings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import LEFT, MOTOR_STRIP, RIGHT, Preprocessing, Trial, assemble
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count, Natural
from fedreact.rng import generator

NAME = "eeg-sim"
RATE = 160.0  # Hz, and
TRIAL = 4.1  # s, of eegmmidb
MARGIN = 1.0  # s before the cue and after the trial; the filter reaches 0.83 s
BLOCK = 15  # trials with as many of one hand as of the other, or one more

# Rows and columns of the 10-10 system are 18 degrees apart. Place of each source of a rhythm in
# degrees (right, front), degrees that it is blurred over, and Hz, width in Hz, microvolts.
STEP = 18.0
HAND = (36.0, -6.0)
RHYTHMS = {
    "mu": (14.0, 10.5, 1.5, 3.0),
    "beta": (14.0, 21.0, 3.0, 1.3),
    "alpha": (35.0, 10.0, 1.2, 4.0),
}
BACK = (0.0, -65.0)
# Rhythm and side of the head of each source.
SOURCES = [("mu", LEFT), ("mu", RIGHT), ("beta", LEFT), ("beta", RIGHT), ("alpha", None)]
N_BACKGROUND, BACKGROUND_BLUR, BACKGROUND = 24, 22.0, 14.0  # degrees; microvolts, all sources
NOISE = 1.0  # microvolts of each electrode

# How much of a rhythm's power is lost at most, over the other and over the same hemisphere.
LOSS = {"mu": (0.60, 0.20), "beta": (0.45, 0.15)}
ONSET, RISE = 0.3, 0.5  # s after the cue until the loss starts, and until it is whole
# Standard deviations between people: Hz, log strength of each source, logit of the loss.
FREQUENCY_SPREAD, STRENGTH_SPREAD, LOSS_SPREAD = 0.8, 0.30, 0.7
# Between trials of a person: log strength of each source, its step from trial to trial, logit.
TRIAL_STRENGTH_SPREAD, DRIFT, TRIAL_LOSS_SPREAD = 0.20, 0.04, 0.8


def simulate(
    seed: int,
    n_subjects: int = 8,
    n_trials: int = 45,
    preprocessing: Preprocessing | None = None,
) -> SeriesDataset:
    """Simulate trials of people who imagine to move their left or right hand.

    Parameters
    ----------
    seed
        Non-negative; the same seed gives identical bytes.
    n_subjects, n_trials
        People, and trials of each, at least 1. A trial is the same however many there are.
    preprocessing
        What is done to the signals, as to those of eegmmidb; its channels are some of the motor
        strip's, over which the mean is taken as reference.

    Returns
    -------
    SeriesDataset
        Labels 0 for left and 1 for right; subjects from 1 on.

    Raises
    ------
    UserError
        If a number is not an integer or is below its least value.
    """
    for label, value, least in (
        ("seed", seed, 0),
        ("n_subjects", n_subjects, 1),
        ("n_trials", n_trials, 1),
    ):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise UserError(f"{NAME}: {label} must be an integer >= {least}, got {value!r}")
    settings = preprocessing or Preprocessing()

    def trials() -> Iterator[Trial]:
        for subject in range(n_subjects):
            signals, labels = _record(seed, subject, n_trials)
            for signal, label in zip(settings.filtered(signals, list(MOTOR_STRIP), RATE), labels):
                crops = settings.crops(signal, MARGIN)
                if crops is not None:
                    yield Trial(crops, int(label), subject + 1)

    return assemble(NAME, trials())


def _record(seed: int, subject: int, n_trials: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the signals ``[trials, electrodes, samples]`` of a person, and the labels."""
    n_samples = round((TRIAL + 2 * MARGIN) * RATE)
    g = generator(seed, f"{NAME} subject", subject)
    spread = g.standard_normal((len(SOURCES), 3))
    steps = g.standard_normal((n_trials, len(SOURCES)))
    # Both hemispheres have the frequencies of the person, but strengths of their own.
    shift = FREQUENCY_SPREAD * spread[[0, 0, 2, 2, 4], 0]
    strength = STRENGTH_SPREAD * spread[:, 1] + DRIFT * np.cumsum(steps, axis=0)
    ability = LOSS_SPREAD * spread[0, 2]  # of the person, in mu and beta alike

    n_blocks = -(-n_trials // BLOCK)
    cues = [generator(seed, f"{NAME} cues", subject, b) for b in range(n_blocks)]
    labels = np.concatenate(
        [rng.permutation((np.arange(BLOCK) + b) % 2) for b, rng in enumerate(cues)]
    )[:n_trials]

    fields, background_fields = _fields(generator(seed, f"{NAME} head", subject))
    signals = np.empty((n_trials, len(MOTOR_STRIP), n_samples))
    for i, label in enumerate(labels):
        g = generator(seed, NAME, subject, i)
        strength_z, loss_z = g.standard_normal((2, len(SOURCES)))
        waves = g.standard_normal((2, len(SOURCES), n_samples + 1))
        pink = _pink(g.standard_normal((N_BACKGROUND, n_samples)))
        signals[i] = NOISE * g.standard_normal((len(MOTOR_STRIP), n_samples))
        signals[i] += background_fields.T @ pink * BACKGROUND / np.sqrt(N_BACKGROUND)
        for s, (rhythm, side) in enumerate(SOURCES):
            _, frequency, width, microvolts = RHYTHMS[rhythm]
            wave = _rhythm(waves[:, s], frequency + shift[s], width)
            wave *= microvolts * np.exp(strength[i, s] + TRIAL_STRENGTH_SPREAD * strength_z[s])
            if side is not None:
                most = LOSS[rhythm][0 if side != label else 1]
                logit = np.log(most / (1 - most)) + ability + TRIAL_LOSS_SPREAD * loss_z[s]
                wave *= np.sqrt(1 - _course(n_samples) / (1 + np.exp(-logit)))
            signals[i] += fields[s][:, None] * wave
    return signals * 1e-6, labels


def _fields(g: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return how each electrode sees the rhythms ``[sources, electrodes]`` and the background."""
    rows, columns = np.meshgrid([1, 0, -1], np.arange(-3, 4), indexing="ij")
    electrodes = _directions(STEP * columns.ravel(), STEP * rows.ravel())
    places = [
        BACK if side is None else (HAND[0] * (1 if side == RIGHT else -1), HAND[1])
        for _, side in SOURCES
    ]
    blur = np.array([RHYTHMS[rhythm][0] for rhythm, _ in SOURCES])
    fields = _seen(_directions(*np.array(places).T), electrodes, blur)
    anywhere = _directions(*g.uniform(-90, 90, (2, N_BACKGROUND)))
    sign = g.choice([-1.0, 1.0], (N_BACKGROUND, 1))
    return fields, sign * _seen(anywhere, electrodes, np.full(N_BACKGROUND, BACKGROUND_BLUR))


def _directions(right: np.ndarray, front: np.ndarray) -> np.ndarray:
    """Return unit vectors to places given in degrees from the vertex."""
    right, front = np.deg2rad(right), np.deg2rad(front)
    x, y = np.sin(right) * np.cos(front), np.sin(front)
    return np.stack([x, y, np.cos(right) * np.cos(front)], axis=-1)


def _seen(sources: np.ndarray, electrodes: np.ndarray, blur: np.ndarray) -> np.ndarray:
    """Return the share of each source that each electrode sees, ``[sources, electrodes]``."""
    angle = np.rad2deg(np.arccos(np.clip(sources @ electrodes.T, -1, 1)))
    return np.exp(-0.5 * (angle / blur[:, None]) ** 2)


def _rhythm(white: np.ndarray, frequency: float, width: float) -> np.ndarray:
    """Turn white noise ``[2, n + 1]`` into a unit-variance rhythm ``[n]``; both in Hz.

    It is a stationary complex Ornstein-Uhlenbeck process, turned at the frequency.
    """
    from scipy.signal import lfilter  # the workflow asks sources for options, and starts often

    keep = np.exp(-np.pi * width / RATE)
    noise = white[0] + 1j * white[1]
    drive, start = noise[1:] * np.sqrt(1 - keep**2), keep * noise[:1]
    envelope = lfilter([1], [1, -keep], drive, zi=start)[0]
    return (envelope * np.exp(2j * np.pi * frequency / RATE * np.arange(len(drive)))).real


def _pink(white: np.ndarray) -> np.ndarray:
    """Give white noise a 1/f power spectrum from 1 Hz on, and unit variance."""
    n = white.shape[-1]
    weight = 1 / np.sqrt(np.maximum(np.fft.rfftfreq(n, 1 / RATE), 1))
    weight[0] = 0
    scale = np.sqrt(n / (2 * (weight**2).sum()))
    return np.fft.irfft(np.fft.rfft(white, axis=-1) * weight * scale, n, axis=-1)


def _course(n_samples: int) -> np.ndarray:
    """Return the share of the loss over a trial's samples: none, rising, whole, none after it."""
    t = np.arange(n_samples) / RATE - MARGIN
    rising = np.clip((t - ONSET) / RISE, 0, 1)
    falling = np.clip((TRIAL + RISE - t) / RISE, 0, 1)
    return np.minimum(rising, falling)


@dataclass(frozen=True)
class EEGSim(Source):
    """Trials of simulated people.

    Attributes
    ----------
    n_subjects, n_trials
        Number of people, and of trials per person.
    seed
        Seed of the people and their trials.
    """

    n_subjects: Count = 8
    n_trials: Count = 45
    seed: Natural = 0

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Simulate the trials."""
        return simulate(self.seed, self.n_subjects, self.n_trials)


SOURCE = EEGSim
