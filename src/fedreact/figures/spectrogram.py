"""What EEG of imagined movements looks like (in no paper)."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import LEFT, RIGHT, Preprocessing
from fedreact.figures.contract import FigureKind

ELECTRODES = ("C3", "C4")  # over the hand areas, left and right
FREQUENCIES = np.arange(8, 31)
WIDTH = 0.2  # s, standard deviation of a wavelet; 0.8 Hz in frequency


@dataclass(frozen=True)
class Spectrogram(FigureKind):
    """Power of C3 and C4 over time and frequency, left against right, and one crop as it is."""

    def inputs(self, ask):
        """Crops as :class:`~fedreact.data.eeg.Preprocessing` makes them by default."""
        return [ask.dataset("eeg")]

    def draw(self, title, cells, files):
        """Draw the panels of both electrodes and hands."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import COLOURS

        data = SeriesDataset.load(files[0])
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
            shown = {
                hand: 10 * (np.log10(p) - usual) for hand, p in zip(hands, power, strict=True)
            } | {"Left − right": 10 * np.log10(power[0] / power[1])}
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
                axes.set_xlabel("Time after the cue (s)", fontsize="small")
            if column == 0:
                axes.set_ylabel(f"{electrode}: frequency (Hz)", fontsize="small")
            axes_of.append(axes)
        bar = figure.colorbar(image, ax=axes_of, extend="both", pad=0.01)
        bar.ax.tick_params(labelsize="small")
        bar.set_label("Power (dB) of each hand,\nminus the mean of both", fontsize="small")

        axes = figure.add_subplot(grid[2, :])
        first = int(np.flatnonzero(data.y == LEFT)[0])
        at = settings.epoch[0] + np.arange(settings.n_steps) / settings.rate
        for i, electrode in enumerate(ELECTRODES):
            values = data.X[first, settings.channels.index(electrode)]
            axes.plot(at, values - 5 * i, color=COLOURS[i], linewidth=0.9)
        axes.set(yticks=[0, -5], yticklabels=ELECTRODES)
        axes.set_xlabel("Time after the cue (s)", fontsize="small")
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


FIGURE = Spectrogram
