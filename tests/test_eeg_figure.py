import numpy as np
import pytest

from fedreact.data import eeg_sim
from fedreact.data.dataset import SeriesDataset
from fedreact.data.eeg import Preprocessing
from fedreact.paper import eeg_figure


def test_the_spectrogram_shows_which_hand(tmp_path):
    figure = eeg_figure.eeg_trial(eeg_sim.simulate(0, 2, 30), "a title")
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
    power = eeg_figure._mean_power(X, np.repeat(np.arange(60), 5), settings)
    assert power.shape == (23, 288)
    assert (eeg_figure.FREQUENCIES[power.argmax(axis=0)] == 15).all()
    row = power[7]
    assert row[20:-20].max() / row[20:-20].min() < 1.3  # no trace of where crops begin and end


@pytest.mark.parametrize("writers", [True, False])
def test_digits_of_writers(writers, tmp_path):
    n = 60
    X = np.random.default_rng(0).standard_normal((n, 3, 12)).astype(np.float32)
    X[:, 2] = 1
    X[:, 2, 5] = 0  # two strokes
    y = np.arange(n) % 10
    subject = np.arange(n) // 10 + 4 if writers else None
    lengths = np.full(n, 12)
    data = SeriesDataset("pendigits", X, lengths, y, subject)
    figure = eeg_figure.digits_of_writers(data, "a title")
    figure.savefig(tmp_path / "x.png")
    assert len(figure.axes) == 30
    assert {len(axes.lines) for axes in figure.axes} == {3}  # strokes, and the start
    names = [axes.get_ylabel() for axes in figure.axes[::10]]
    assert names == [f"{'Writer' if writers else 'Sample'} {i + 3 * writers}" for i in (1, 2, 3)]
    drawn = figure.axes[12].lines[0].get_xdata()  # the second row's 2
    assert np.array_equal(drawn, X[12, 0, :6])
