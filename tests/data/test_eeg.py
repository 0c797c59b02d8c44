"""What is done to recordings of motor imagery, recorded or simulated."""

import numpy as np
import pytest

from fedreact.data.eeg import Preprocessing, Trial, assemble
from fedreact.errors import UserError


def test_crops_by_hand():
    settings = Preprocessing(
        channels=("C3", "C4"), rate=10, band=(1.0, 4.0), epoch=(0.5, 1.5), window=0.4, stride=0.3
    )
    assert settings.n_steps == 4
    assert settings.starts.tolist() == [0, 3, 6]
    signal = np.stack([np.arange(30.0), -np.arange(30.0)])
    X = settings.crops(signal, cue=1.0)  # the epoch is steps 15 to 25
    expected = np.array([[15.0, 16, 17, 18], [18, 19, 20, 21], [21, 22, 23, 24]])
    size = np.sqrt((expected**2).mean(axis=1, keepdims=True))
    assert np.allclose(X[:, 0], expected / size)
    assert np.array_equal(X[:, 1], -X[:, 0])
    assert settings.crops(signal, cue=1.5) is not None  # ends with the last step
    assert settings.crops(signal, cue=1.6) is None
    assert settings.crops(signal, cue=-0.6) is None
    assert not settings.crops(np.zeros((2, 30)), cue=1.0).any()


def test_the_default_is_five_crops_of_160_steps():
    settings = Preprocessing()
    assert settings.n_steps == 160
    assert settings.starts.tolist() == [0, 32, 64, 96, 128]
    assert settings.starts[-1] + settings.n_steps == 288


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"band": (30.0, 8.0)}, "band"),
        ({"rate": 60.0}, "60.0 Hz is too low"),
        ({"window": 4.0}, "do not fit into the 3.60 s"),
        ({"stride": 0.0}, "every 0.0 s"),
    ],
)
def test_impossible_settings(settings, words):
    with pytest.raises(UserError, match=words):
        Preprocessing(**settings)


def test_the_filter_keeps_the_band_and_the_time():
    settings = Preprocessing(channels=("C3",))
    t = np.arange(0, 10, 1 / 160)
    slow, mu, fast = (np.sin(2 * np.pi * f * t) for f in (2, 12, 50))
    other = np.zeros_like(t)
    got = settings.filtered(np.stack([slow + mu + fast, other]), ["C3", "C4"], 160)[0]
    # The mean of the two electrodes is taken off, which halves the wave.
    middle = slice(100, -100)
    assert np.abs(got - mu[::2] / 2)[middle].max() < 0.01


def test_crops_of_a_trial_share_its_number():
    def crops(n):
        return np.ones((n, 2, 3), np.float32)

    data = assemble("eeg", [Trial(crops(2), 1, 5), Trial(crops(1), 0, 5), Trial(crops(2), 1, 8)])
    assert data.trial.tolist() == [0, 0, 1, 2, 2]
    assert data.y.tolist() == [1, 1, 0, 1, 1]
    assert data.owner.tolist() == [5, 5, 5, 8, 8]
    assert data.lengths.tolist() == [3] * 5
    with pytest.raises(UserError, match="no whole trial"):
        assemble("eeg", [])
