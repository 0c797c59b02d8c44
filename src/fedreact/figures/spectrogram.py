"""Spectrograms of EEG of imagined movements (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import LEFT, RIGHT, Preprocessing
from fedreact.errors import UserError
from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ELECTRODES = ("C3", "C4")  # over the hand areas, left and right
FREQUENCIES = np.arange(8, 31)
WIDTH = 0.2  # s, standard deviation of a wavelet; 0.8 Hz in frequency


@dataclass(frozen=True)
class Spectrogram(FigureKind):
    """Power of C3 and C4 over time and frequency, left against right, and one crop as it is."""

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for crops as :class:`~fedreact.data.eeg.Preprocessing` makes them by default."""
        return [ask.dataset("eeg")]

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels of both electrodes and hands, and a crop below them."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading

        data, settings = SeriesDataset.load(files[0]), Preprocessing()
        figure = Figure(figsize=(7.2, 5.4), layout="constrained")
        grid = figure.add_gridspec(3, 3, height_ratios=[1, 1, 0.7])
        power = {electrode: _decibels(data, electrode, settings) for electrode in ELECTRODES}
        # One colour scale for all panels, which single cells of noise do not stretch.
        all_panels = [decibels for panels in power.values() for decibels in panels.values()]
        most = np.quantile(np.abs(all_panels), 0.98)
        steps = settings.starts[-1] + settings.n_steps
        seconds = settings.epoch[0] + np.arange(steps) / settings.rate
        panels = []
        for row, (electrode, of_electrode) in enumerate(power.items()):
            for column, (name, decibels) in enumerate(of_electrode.items()):
                axes = figure.add_subplot(grid[row, column])
                image = axes.pcolormesh(
                    seconds,
                    FREQUENCIES,
                    decibels,
                    cmap="RdBu_r",
                    vmin=-most,
                    vmax=most,
                    rasterized=True,
                )
                axes.set_title(name if row == 0 else "", fontsize="small")
                axes.set(xticks=[1, 2, 3, 4], yticks=[10, 20, 30])
                axes.tick_params(labelbottom=row == 1, labelleft=column == 0, labelsize="small")
                if row == 1:
                    axes.set_xlabel("Time after the cue (s)", fontsize="small")
                if column == 0:
                    axes.set_ylabel(f"{electrode}: frequency (Hz)", fontsize="small")
                panels.append(axes)
        bar = figure.colorbar(image, ax=panels, extend="both", pad=0.01)
        bar.ax.tick_params(labelsize="small")
        bar.set_label("Power (dB) of each hand,\nminus the mean of both", fontsize="small")
        _draw_crop(figure.add_subplot(grid[2, :]), data, settings)
        heading(figure, title)
        return figure


def _decibels(
    data: SeriesDataset, electrode: str, settings: Preprocessing
) -> dict[str, np.ndarray]:
    """Return the power ``[frequencies, steps]`` of each hand and their difference, in dB."""
    if data.trial is None:
        raise UserError("figure of spectrograms: nothing says which crops are of one trial")
    X = data.X[:, settings.channels.index(electrode)]
    hands = {"Left hand": data.y == LEFT, "Right hand": data.y == RIGHT}
    left, right = (_mean_power(X[own], data.trial[own], settings) for own in hands.values())
    usual = np.log10((left + right) / 2).mean(axis=1, keepdims=True)
    of_hands = {hand: 10 * (np.log10(power) - usual) for hand, power in zip(hands, (left, right))}
    return of_hands | {"Left − right": 10 * np.log10(left / right)}


def _draw_crop(axes: "Axes", data: SeriesDataset, settings: Preprocessing) -> None:
    """Draw both electrodes in the first crop of the left hand."""
    from fedreact.figures.style import COLOURS

    first = int(np.flatnonzero(data.y == LEFT)[0])
    seconds = settings.epoch[0] + np.arange(settings.n_steps) / settings.rate
    for i, electrode in enumerate(ELECTRODES):
        values = data.X[first, settings.channels.index(electrode)]
        axes.plot(seconds, values - 5 * i, color=COLOURS[i], linewidth=0.9)
    axes.set(yticks=[0, -5], yticklabels=ELECTRODES)
    axes.set_xlabel("Time after the cue (s)", fontsize="small")
    axes.tick_params(labelsize="small")
    axes.set_title("The first series of the left hand, two of its channels", fontsize="small")
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)


def _mean_power(X: np.ndarray, trial: np.ndarray, settings: Preprocessing) -> np.ndarray:
    """Return the mean power ``[frequencies, steps of the epoch]`` of a channel of crops ``[N, T]``.

    Near the ends of a crop, a wavelet is cut off. Its power is scaled up accordingly, and counts
    less where crops overlap.
    """
    n = settings.n_steps
    total = np.zeros((len(FREQUENCIES), settings.starts[-1] + n))
    weights = np.zeros_like(total)
    # Crops of a trial follow each other in time.
    place = np.arange(len(trial)) - np.searchsorted(trial, trial)
    weight = np.hanning(n + 2)[1:-1]
    for f, frequency in enumerate(FREQUENCIES):
        wavelet = _wavelet(float(frequency), settings.rate)
        seen = np.convolve(np.ones(n), np.abs(wavelet) ** 2, "same") / (np.abs(wavelet) ** 2).sum()
        power = np.array([np.abs(np.convolve(x, wavelet, "same")) ** 2 for x in X]) / seen
        for k, start in enumerate(settings.starts):
            total[f, start : start + n] += (weight * power[place == k]).sum(axis=0)
            weights[f, start : start + n] += weight * (place == k).sum()
    return total / weights


def _wavelet(frequency: float, rate: float) -> np.ndarray:
    """Return a Morlet wavelet of this frequency (Hz), sampled at this rate (Hz)."""
    t = np.arange(-round(3 * WIDTH * rate), round(3 * WIDTH * rate) + 1) / rate
    wavelet = np.exp(2j * np.pi * frequency * t - 0.5 * (t / WIDTH) ** 2)
    return wavelet / np.abs(wavelet).sum()


FIGURE = Spectrogram
