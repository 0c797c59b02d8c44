"""Figures that show what the data looks like: EEG of imagined movements, and digits."""

import numpy as np
from matplotlib.figure import Figure

from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import LEFT, RIGHT, Preprocessing
from fedreact.paper.figures import COLOURS

ELECTRODES = ("C3", "C4")  # over the hand areas, left and right
FREQUENCIES = np.arange(8, 31)
WIDTH = 0.2  # s, standard deviation of a wavelet; 0.8 Hz in frequency


def eeg_trial(data: SeriesDataset, title: str) -> Figure:
    """Power of C3 and C4 over time and frequency, left against right, and one crop as it is.

    Parameters
    ----------
    data
        Crops as :class:`~fedreact.data.eeg.Preprocessing` makes them by default.
    """
    settings = Preprocessing()
    figure = Figure(figsize=(7.2, 5.4), layout="constrained")
    grid = figure.add_gridspec(3, 3, height_ratios=[1, 1, 0.7])
    steps = settings.starts[-1] + settings.n_steps
    seconds = settings.epoch[0] + np.arange(steps) / settings.rate
    hands = {"Left hand": data.y == LEFT, "Right hand": data.y == RIGHT}
    panels = []
    for row, electrode in enumerate(ELECTRODES):
        X = data.X[:, settings.channels.index(electrode)]
        power = [_mean_power(X[of], data.trial[of], settings) for of in hands.values()]
        usual = np.log10(sum(power) / 2).mean(axis=1, keepdims=True)
        shown = {hand: 10 * (np.log10(p) - usual) for hand, p in zip(hands, power, strict=True)} | {
            "Left − right": 10 * np.log10(power[0] / power[1])
        }
        for column, (what, decibel) in enumerate(shown.items()):
            panels.append((row, column, electrode, what, decibel))
    # One colour scale for all panels, which single cells of noise do not stretch.
    most = np.quantile(np.abs([decibel for *_, decibel in panels]), 0.98)
    axes_of = []
    for row, column, electrode, what, decibel in panels:
        axes = figure.add_subplot(grid[row, column])
        image = axes.pcolormesh(
            seconds, FREQUENCIES, decibel, cmap="RdBu_r", vmin=-most, vmax=most, rasterized=True
        )
        axes.set_title(what if row == 0 else "", fontsize="small")
        axes.set(xticks=[1, 2, 3, 4], yticks=[10, 20, 30])
        axes.tick_params(labelbottom=row == 1, labelleft=column == 0, labelsize="small")
        if row == 1:
            axes.set_xlabel("Seconds after the cue", fontsize="small")
        if column == 0:
            axes.set_ylabel(f"{electrode}: frequency (Hz)", fontsize="small")
        axes_of.append(axes)
    bar = figure.colorbar(image, ax=axes_of, extend="both", pad=0.01)
    bar.ax.tick_params(labelsize="small")
    bar.set_label("Power (dB), for each hand\nbeside the mean of both", fontsize="small")

    axes = figure.add_subplot(grid[2, :])
    first = int(np.flatnonzero(data.y == LEFT)[0])
    at = settings.epoch[0] + np.arange(settings.n_steps) / settings.rate
    for i, electrode in enumerate(ELECTRODES):
        values = data.X[first, settings.channels.index(electrode)]
        axes.plot(at, values - 5 * i, color=COLOURS[i], linewidth=0.9)
    axes.set(yticks=[0, -5], yticklabels=ELECTRODES)
    axes.set_xlabel("Seconds after the cue", fontsize="small")
    axes.tick_params(labelsize="small")
    axes.set_title("The first series of the left hand, two of its channels", fontsize="small")
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, fontsize="small", x=0.01, ha="left")
    return figure


def _mean_power(X: np.ndarray, trial: np.ndarray, settings: Preprocessing) -> np.ndarray:
    """Mean power ``[frequencies, steps of the epoch]`` of one channel of crops ``[N, T]``.

    Near the ends of a crop a wavelet sees but a part of itself: its power is made up for that, and
    counts less where crops overlap.
    """
    n = settings.n_steps
    total = np.zeros((len(FREQUENCIES), settings.starts[-1] + n))
    weights = np.zeros_like(total)
    # Crops of a trial follow each other in time.
    place = np.arange(len(trial)) - np.searchsorted(trial, trial)
    weight = np.hanning(n + 2)[1:-1]
    for f, frequency in enumerate(FREQUENCIES):
        wavelet = _wavelet(frequency, settings.rate)
        seen = np.convolve(np.ones(n), np.abs(wavelet) ** 2, "same") / (np.abs(wavelet) ** 2).sum()
        power = np.array([np.abs(np.convolve(x, wavelet, "same")) ** 2 for x in X]) / seen
        for k, start in enumerate(settings.starts):
            total[f, start : start + n] += (weight * power[place == k]).sum(axis=0)
            weights[f, start : start + n] += weight * (place == k).sum()
    return total / weights


def _wavelet(frequency: float, rate: float) -> np.ndarray:
    t = np.arange(-round(3 * WIDTH * rate), round(3 * WIDTH * rate) + 1) / rate
    wavelet = np.exp(2j * np.pi * frequency * t - 0.5 * (t / WIDTH) ** 2)
    return wavelet / np.abs(wavelet).sum()


def digits_of_writers(data: SeriesDataset, title: str) -> Figure:
    """Digits of three writers as the pen went; three samples of each where none is known.

    Parameters
    ----------
    data
        Series of digits whose first channels are x (right) and y (up).
    """
    rows = _samples(data)
    figure = Figure(figsize=(7.2, 0.5 + 0.82 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), 10, squeeze=False)
    for (name, samples), line in zip(rows.items(), panels):
        for digit, axes in enumerate(line):
            axes.set(xticks=[], yticks=[], aspect="equal")
            axes.set_adjustable("datalim")
            axes.spines[:].set_visible(False)
            axes.margins(0.1)
            if digit in samples:
                _draw(axes, data, samples[digit])
        line[0].set_ylabel(name, fontsize="small")
    figure.suptitle(title, fontsize="small", x=0.01, ha="left")
    return figure


def _samples(data: SeriesDataset) -> dict[str, dict[int, int]]:
    """Which series are drawn: by the name of the row and the digit."""
    digits = np.unique(data.y)
    if data.subject is None:
        of = {d: np.flatnonzero(data.y == d) for d in digits}
        return {
            f"Sample {i + 1}": {d: int(which[i]) for d, which in of.items() if i < len(which)}
            for i in range(3)
        }
    rows = {}
    for writer in np.unique(data.subject)[:3]:
        mine = {d: np.flatnonzero((data.y == d) & (data.subject == writer)) for d in digits}
        rows[f"Writer {writer}"] = {d: int(which[0]) for d, which in mine.items() if len(which)}
    return rows


def _draw(axes, data, i):
    x, y = data.X[i, :2, : data.lengths[i]]
    third = data.X[i, 2, : data.lengths[i]] if data.X.shape[1] > 2 else np.ones(len(x))
    # Pendigits' third channel is the pen: 0 on the last point before it is lifted.
    pen = set(np.unique(third)) <= {0.0, 1.0}
    ends = np.flatnonzero(third == 0) if pen else []
    for stroke in np.split(np.arange(len(x)), np.asarray(ends, dtype=int) + 1):
        axes.plot(x[stroke], y[stroke], color=COLOURS[0], linewidth=1.2)
    axes.plot(x[0], y[0], "o", color=COLOURS[1], markersize=3)
