import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GroupKFold, cross_val_score

from fedreact.data.eeg import MOTOR_STRIP, Preprocessing
from fedreact.data.sources import eeg_sim
from fedreact.errors import UserError

C3, C4 = MOTOR_STRIP.index("C3"), MOTOR_STRIP.index("C4")


def log_band_power(X):
    power = np.abs(np.fft.rfft(X * np.hanning(X.shape[2]), axis=2)) ** 2
    hertz = np.fft.rfftfreq(X.shape[2], 1 / 80)
    bands = [(hertz >= low) & (hertz < high) for low, high in ((8, 13), (13, 30))]
    return np.stack([np.log(power[:, :, band].sum(axis=2)) for band in bands], axis=1)


@pytest.fixture(scope="module")
def data():
    return eeg_sim.simulate(0)


@pytest.mark.campaign
def test_the_same_seed_gives_the_same_bytes(data, tmp_path):
    first, again, other = (eeg_sim.simulate(seed, 2, 20) for seed in (0, 0, 1))
    for number, one in enumerate((first, again)):
        one.save(tmp_path / f"{number}.npz")
    assert (tmp_path / "0.npz").read_bytes() == (tmp_path / "1.npz").read_bytes()
    assert not np.array_equal(first.X, other.X)
    # A trial is the same however many there are.
    for subject in (1, 2):
        more = data.take((data.owner == subject) & ((data.trial % 45) < 20))
        assert np.array_equal(more.X, first.X[first.owner == subject])
        assert np.array_equal(more.y, first.y[first.owner == subject])


def test_form_and_counts(data):
    assert data.name == "eeg-sim"
    assert data.X.shape == (8 * 45 * 5, 21, 160)
    assert np.array_equal(data.trial, np.repeat(np.arange(360), 5))
    assert np.array_equal(data.owner, np.repeat(np.arange(1, 9), 225))
    labels = data.y[::5]
    assert np.array_equal(np.repeat(labels, 5), data.y)
    for block in labels.reshape(-1, 15):
        assert sorted(np.bincount(block)) == [7, 8]
    assert np.allclose((data.X**2).mean(axis=(1, 2)), 1, atol=1e-5)


@pytest.mark.parametrize("band", [0, 1])
def test_rhythms_weaken_opposite_to_the_hand(data, band):
    power = log_band_power(data.X)[:, band]
    lateral = power[:, C3] - power[:, C4]
    difference = lateral[data.y == 0].mean() - lateral[data.y == 1].mean()
    assert 0.2 < difference < 2


def test_neither_trivial_nor_at_chance(data):
    features = log_band_power(data.X).reshape(len(data.X), -1)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    scores = cross_val_score(model, features, data.y, groups=data.trial, cv=GroupKFold(5))
    assert 0.6 < scores.mean() < 0.9
    # People differ: what is learnt from some does less well on others.
    alone = [features[data.owner == s].mean(axis=0) for s in range(1, 9)]
    assert np.std(alone, axis=0).max() > 0.2


def test_parts_of_the_signal():
    white = np.random.default_rng(0).standard_normal((200, 2, 976))
    rhythm = np.array([eeg_sim._rhythm(w, 10.0, 1.5) for w in white])
    assert np.isclose(rhythm.var(), 1, rtol=0.1)
    assert np.isclose(rhythm[:, 0].var(), rhythm[:, -1].var(), rtol=0.4)  # stationary
    spectrum = (np.abs(np.fft.rfft(rhythm, axis=1)) ** 2).mean(axis=0)
    assert abs(np.fft.rfftfreq(976, 1 / 160)[spectrum.argmax()] - 10) < 0.5
    pink = eeg_sim._pink(white[:, 0])
    assert np.isclose(pink.var(), 1, rtol=0.1)
    spectrum = (np.abs(np.fft.rfft(pink, axis=1)) ** 2).mean(axis=0)
    hertz = np.fft.rfftfreq(976, 1 / 160)
    at = [spectrum[(hertz > f / 1.2) & (hertz < f * 1.2)].mean() for f in (5, 40)]
    assert np.isclose(at[0] / at[1], 8, rtol=0.2)
    course = eeg_sim._course(976)
    assert course[: round(1.3 * 160)].max() == 0
    assert course[round(1.8 * 160) : round(5.1 * 160)].min() == 1
    fields, _ = eeg_sim._fields(np.random.default_rng(0))
    best = [MOTOR_STRIP[i] for i in fields.argmax(axis=1)]
    assert best[:4] == ["C3", "C4", "C3", "C4"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": -1}, "seed must be an integer >= 0"),
        ({"n_subjects": 0}, "n_subjects must be an integer >= 1"),
        ({"n_trials": 1.5}, "n_trials must be an integer >= 1, got 1.5"),
    ],
)
def test_wrong_arguments(changes, words):
    with pytest.raises(UserError, match=words):
        eeg_sim.simulate(**({"seed": 0} | changes))


def test_other_crops():
    settings = Preprocessing(channels=("C3", "C4"), window=1.0, stride=1.0)
    data = eeg_sim.simulate(0, 1, 3, settings)
    assert data.X.shape == (9, 2, 80)
