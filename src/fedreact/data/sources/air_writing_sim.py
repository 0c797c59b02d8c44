"""Simulated air-written digits: a stand-in for the RTD recordings where no network is reached.

The RTD dataset (Alam, Kwon, Alam, Abbass, Imtiaz & Kim 2020, "Trajectory-Based Air-Writing
Recognition Using Deep Neural Network and Depth Sensor", Sensors 20(2):376) holds 20,000 digits
(the abstract counts 21,000) written in the air before a depth camera, 2,000 a digit, as 3-D
trajectories of up to 100 steps.
This module makes series of the same form; they are *not* RTD and carry another dataset name.

Movement follows the sigma-lognormal model (Plamondon 1995, Biol. Cybern. 72:295-307; O'Reilly &
Plamondon 2009, Pattern Recognition 42:3324-3337). The pen-tip velocity is a sum of strokes,

    v(t) = sum_j D_j(t) Lambda(t; t0_j, mu_j, sigma_j),

where Lambda is the lognormal density, D_j has constant length and turns from angle theta_s to
theta_e in step with the stroke's covered share w_j(t) = Phi((ln(t - t0_j) - mu_j) / sigma_j).
Each stroke is thus a circular arc, and its integral has a closed form. With the chord c_j between
two virtual targets (a complex number) and the turn d_j = theta_e - theta_s,

    p(t) = p_0 + sum_j c_j exp(i d_j (w_j - 1) / 2) sin(d_j w_j / 2) / sin(d_j / 2).

Strokes overlap in time, so corners are rounded as in real writing. Air writing has no pen-up: the
travel between two parts of a digit is a stroke like any other.

Series are normalised by root-point translation: the first point is subtracted. No series is
scaled on its own; the common unit is the nominal height of a digit.
"""

from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fedreact.data.dataset import SeriesDataset, thin_out
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count, Natural
from fedreact.rng import generator

NAME = "air-writing-sim"
RATE = 30.0  # Hz, frames of a depth camera
MIN_STEPS = 10  # fewer cannot hold the strokes of an 8

# Digit -> allographs -> virtual targets (x, y, turn): x to the right and y up in percent of the
# nominal height; turn in degrees on the way to the target, counter-clockwise positive.
# fmt: off
PLANS = {
    0: [[(32, 100, 0), (0, 50, 80), (30, 0, 80), (60, 50, 80), (32, 100, 80)],
        [(28, 100, 0), (60, 50, -80), (30, 0, -80), (0, 50, -80), (28, 100, -80)]],
    1: [[(30, 100, 0), (30, 0, 0)],
        [(5, 72, 0), (30, 100, 10), (30, 0, 0)]],
    2: [[(3, 76, 0), (28, 100, -80), (54, 72, -90), (0, 0, -40), (60, 0, 0)]],
    3: [[(4, 88, 0), (30, 100, -60), (50, 77, -90), (20, 53, -80), (57, 27, -110),
         (30, 0, -80), (0, 12, -50)]],
    4: [[(42, 100, 0), (0, 36, 0), (64, 36, 0), (46, 88, 15), (42, 0, 0)],
        [(8, 100, 0), (4, 48, 10), (60, 48, 0), (48, 95, 20), (46, 0, 0)]],
    5: [[(56, 100, 0), (8, 100, 0), (5, 54, 0), (32, 63, -50), (57, 30, -90), (30, 0, -85),
         (0, 10, -45)]],
    6: [[(48, 100, 0), (2, 28, 50), (30, 0, 95), (56, 27, 90), (30, 51, 90), (5, 24, 70)]],
    7: [[(0, 100, 0), (60, 100, 0), (20, 0, 15)],
        [(0, 100, 0), (60, 100, 0), (20, 0, 15), (8, 48, -30), (58, 50, 0)]],
    8: [[(54, 86, 0), (30, 100, 80), (7, 77, 95), (30, 52, 60), (57, 24, -70), (30, 0, -95),
         (3, 24, -95), (30, 52, -60), (54, 84, 60)],
        [(6, 86, 0), (30, 100, -80), (53, 77, -95), (30, 52, -60), (3, 24, 70), (30, 0, 95),
         (57, 24, 95), (30, 52, 60), (6, 84, -60)]],
    9: [[(53, 84, 0), (29, 100, 80), (3, 75, 90), (28, 50, 90), (54, 84, 80), (50, 0, 0)],
        [(53, 84, 0), (29, 100, 80), (3, 75, 90), (28, 50, 90), (54, 82, 70), (50, 30, -10),
         (30, 0, -50), (5, 10, -60)]],
}
# fmt: on
# How common the first allograph is, judged, not measured; the second has the rest.
FIRST_SHARE = {0: 0.8, 1: 0.6, 4: 0.5, 7: 0.6, 8: 0.75, 9: 0.5}
TARGETS = max(len(plan) for plans in PLANS.values() for plan in plans)

# Spread (standard deviation) of each trait between writers and between one writer's samples;
# log for the first group, radians for angles, nominal heights for lengths.
TRAITS = {
    "size": (0.16, 0.06),
    "aspect": (0.13, 0.05),
    "tempo": (0.14, 0.07),
    "tremor": (0.35, 0.20),
    "drift": (0.35, 0.20),
    "slant": (0.14, 0.05),
    "rotation": (0.10, 0.06),
    "tilt_x": (0.20, 0.06),
    "tilt_y": (0.20, 0.06),
}
# The same for the (x, y, turn) of each virtual target.
SHAPE_SPREAD = np.array([(0.035, 0.035, 0.15), (0.030, 0.030, 0.12)])
STROKE_TIME_SPREAD = 0.10  # log
FAITHFULNESS = 0.9  # how often writers keep to their own allograph
STROKE_TIME = 0.90  # s, of a stroke one nominal height long
SIGMA = 0.3  # lognormal skew of a stroke's speed
PAUSE = 0.15  # s, the longest rest before and after the movement
WAVES = 3  # sinusoids that make up a tremor or a drift
TREMOR, DRIFT = 0.006, 0.05  # nominal heights
NOISE = np.array([0.004, 0.004, 0.010])  # depth is what a depth camera measures worst


def simulate(
    seed: int, n_per_digit: int = 2000, n_steps: int = 100, n_writers: int = 40
) -> SeriesDataset:
    """Write each digit ``n_per_digit`` times, by ``n_writers`` writers in turn.

    Writers have their own size, aspect, slant, rotation, tempo, tremor (8-12 Hz), writing plane,
    depth drift, allographs and letter shapes. Sample ``index`` of a digit is by writer
    ``index % n_writers`` and is the same whatever ``n_per_digit`` is.

    Parameters
    ----------
    seed
        Non-negative; the same seed gives identical bytes.
    n_per_digit
        Samples of each digit, at least 1.
    n_steps
        Length of the padded series, at least 10. Frames come at 30 Hz; a movement that needs
        more than ``n_steps`` frames is sampled at ``n_steps`` even times instead.
    n_writers
        At least 1.

    Returns
    -------
    SeriesDataset
        ``10 * n_per_digit`` series in the order of digits; channels x (right), y (up) and depth
        (away from the writer) relative to the first point, in nominal digit heights.

    Raises
    ------
    UserError
        If an argument is not an integer or is below its least value.
    """
    for label, value, least in (
        ("seed", seed, 0),
        ("n_per_digit", n_per_digit, 1),
        ("n_steps", n_steps, MIN_STEPS),
        ("n_writers", n_writers, 1),
    ):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise UserError(f"{NAME}: {label} must be an integer >= {least}, got {value!r}")

    writers = _Writers(seed, n_writers)
    writer = np.arange(n_per_digit) % n_writers
    blocks = [_write(seed, digit, writer, writers, n_steps) for digit in range(10)]
    return SeriesDataset(
        name=NAME,
        X=np.concatenate([X for X, _ in blocks]),
        lengths=np.concatenate([lengths for _, lengths in blocks]),
        y=np.repeat(np.arange(10, dtype=np.int64), n_per_digit),
        owner=np.tile(writer.astype(np.int64), 10),
    )


class _Writers:
    """Constant traits of each writer; one stream each, so more writers change no other."""

    def __init__(self, seed: int, n: int):
        streams = [generator(seed, f"{NAME} writer", w) for w in range(n)]
        self.traits = np.stack([g.standard_normal(len(TRAITS)) for g in streams])
        self.shapes = np.stack([g.standard_normal((10, TARGETS, 3)) for g in streams])
        self.habits = np.stack([g.random(10) for g in streams])


def _write(
    seed: int, digit: int, writer: np.ndarray, writers: _Writers, n_steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``X [n, 3, n_steps]`` and ``lengths [n]`` of one digit's samples."""
    n = len(writer)
    traits_z, noise = np.empty((n, len(TRAITS))), np.empty((n, n_steps, 3))
    strokes_z, uniform = np.empty((n, TARGETS, 4)), np.empty((n, 4 + 2 * 4 * WAVES))
    for i in range(n):  # one stream a sample, so that no sample depends on how many there are
        g = generator(seed, NAME, digit, i)
        g.standard_normal(out=traits_z[i])
        g.standard_normal(out=strokes_z[i])
        g.random(out=uniform[i])
        g.standard_normal(out=noise[i])

    between, within = np.array(list(TRAITS.values())).T
    trait = dict(zip(TRAITS, (between * writers.traits[writer] + within * traits_z).T))
    jitter = SHAPE_SPREAD[0] * writers.shapes[writer, digit] + SHAPE_SPREAD[1] * strokes_z[..., :3]
    slower = np.exp(STROKE_TIME_SPREAD * strokes_z[..., 3] - trait["tempo"][:, None])

    # A habit is a number in 0..1 that picks the allograph; now and then another one is written.
    faithful = uniform[:, 0] < FAITHFULNESS
    pick = np.where(faithful, writers.habits[writer, digit], uniform[:, 1])
    allograph = (pick >= FIRST_SHARE.get(digit, 1.0)).astype(int)
    path, lengths = np.empty((n, n_steps), complex), np.empty(n, dtype=np.int64)
    times = np.empty((n, n_steps))
    pauses = PAUSE * uniform[:, 2:4]
    for kind, plan in enumerate(PLANS[digit]):
        rows = np.flatnonzero(allograph == kind)
        shape = np.array(plan) / (100, 100, 180 / np.pi) + jitter[rows, : len(plan)]
        strokes = _plan_strokes(shape, slower[rows, 1 : len(plan)])
        seconds = strokes.end + pauses[rows].sum(axis=1)
        lengths[rows] = np.clip(seconds * RATE + 1, MIN_STEPS, n_steps).astype(int)
        times[rows] = np.arange(n_steps) * (seconds / (lengths[rows] - 1))[:, None]
        path[rows] = _move(strokes, times[rows] - pauses[rows, :1])

    # The writer's frame: aspect, slant, size and rotation of the digit, then the writing plane.
    x = path.real * np.exp(trait["aspect"])[:, None] + path.imag * trait["slant"][:, None]
    path = (x + 1j * path.imag) * np.exp(trait["size"] + 1j * trait["rotation"])[:, None]
    X = np.stack([path.real, path.imag, np.zeros((n, n_steps))], axis=1)
    tilt = np.stack([trait["tilt_x"], trait["tilt_y"]], axis=1)[..., None]
    X[:, 2] = (tilt * X[:, :2]).sum(axis=1)
    waves = uniform[:, 4:].reshape(n, 4, WAVES, 2)
    X += TREMOR * np.exp(trait["tremor"])[:, None, None] * _band(waves[:, :3], times, 8, 12)
    X[:, 2] += DRIFT * np.exp(trait["drift"])[:, None] * _band(waves[:, 3:], times, 0.1, 0.6)[:, 0]
    X += (NOISE * noise).transpose(0, 2, 1)
    X -= X[:, :, :1].copy()
    X = np.where(np.arange(n_steps) < lengths[:, None, None], X, 0)
    return X.astype(np.float32), lengths


class _Strokes(NamedTuple):
    """Chords, turns, onsets and durations ``[n, strokes]``, and the end ``[n]``; times in s."""

    chords: np.ndarray
    turns: np.ndarray
    onsets: np.ndarray
    durations: np.ndarray
    end: np.ndarray


def _plan_strokes(shape: np.ndarray, slower: np.ndarray) -> _Strokes:
    """Plan strokes through virtual targets ``[n, strokes + 1, 3]``."""
    chords = np.diff(shape[..., 0] + 1j * shape[..., 1])
    turns = shape[:, 1:, 2]
    turns = np.where(np.abs(turns) < 1e-6, 1e-6, turns)  # straight: the limit of an arc
    # Long strokes are written faster, so that time grows less than length (isochrony).
    durations = STROKE_TIME * np.sqrt(np.abs(chords)) * slower
    # The next stroke starts later where the direction changes more, which keeps corners sharp.
    heading = chords * np.exp(0.5j * turns)
    corner = np.angle(chords[:, 1:] * np.exp(-0.5j * turns[:, 1:]) / heading[:, :-1])
    delays = durations[:, :-1] * (0.5 + 0.3 * np.abs(corner) / np.pi)
    onsets = np.cumsum(np.pad(delays, ((0, 0), (1, 0))), axis=1)
    return _Strokes(chords, turns, onsets, durations, (onsets + durations).max(axis=1))


def _move(strokes: _Strokes, t: np.ndarray) -> np.ndarray:
    """Return the sigma-lognormal path ``p(t) [n, steps]`` from the origin (see the module)."""
    from scipy.special import ndtr  # the workflow asks sources for their options, and starts often

    path = np.zeros(t.shape, dtype=complex)
    low, high = np.exp(-3 * SIGMA), np.exp(3 * SIGMA)  # a stroke spans +-3 sigma of its lognormal
    for c, d, onset, duration in zip(*(values.T for values in strokes[:4])):
        scaled = (t - onset[:, None]) / duration[:, None] * (high - low) + low
        w = ndtr(np.log(np.maximum(scaled, 1e-9)) / SIGMA)
        c, d = c[:, None], d[:, None]
        path += c * np.exp(0.5j * d * (w - 1)) * np.sin(0.5 * d * w) / np.sin(0.5 * d)
    return path


def _band(uniform: np.ndarray, t: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return unit-variance noise ``[n, channels, steps]`` between two frequencies in Hz."""
    frequency = low + (high - low) * uniform[..., :1]
    angle = 2 * np.pi * (frequency * t[:, None, None] + uniform[..., 1:])
    return np.sin(angle).sum(axis=2) * np.sqrt(2 / WAVES)


@dataclass(frozen=True)
class AirWritingSim(Source):
    """Digits of 40 simulated writers, 2,000 of each.

    Attributes
    ----------
    per_label
        Series per digit, drawn at random; ``null``: all.
    seed
        Seed of the writers and their digits.
    """

    per_label: Count | None = None
    seed: Natural = 0

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Simulate the digits."""
        return thin_out(simulate(self.seed), self.per_label)


SOURCE = AirWritingSim
