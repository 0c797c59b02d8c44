"""The figure of what EEG of imagined movements looks like."""

import numpy as np
from small_figures import drawn

from fedreact.data.eeg import Preprocessing
from fedreact.figures.spectrogram import FREQUENCIES, _mean_power


def test_the_spectrogram_shows_which_hand(tmp_path):
    figure = drawn("spectrogram", tmp_path)
    figure.savefig(tmp_path / "x.png")
    images = [axes.collections[0].get_array() for axes in figure.axes[:6]]
    C3, C4 = images[2], images[5]  # left less right, in dB
    assert C3.mean() > 0.3
    assert C4.mean() < -0.3


def test_mean_power_is_even_over_crops_of_even_power():
    settings = Preprocessing()
    t = np.arange(288) / 80
    rng = np.random.default_rng(0)
    trials = np.sin(2 * np.pi * (15 * t + rng.random((60, 1))))
    X = np.concatenate([[trial[s : s + 160] for s in settings.starts] for trial in trials])
    power = _mean_power(X, np.repeat(np.arange(60), 5), settings)
    assert power.shape == (23, 288)
    assert (FREQUENCIES[power.argmax(axis=0)] == 15).all()
    row = power[7]
    assert row[20:-20].max() / row[20:-20].min() < 1.3  # no trace of where crops begin and end
