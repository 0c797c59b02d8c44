import hashlib

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fedreact.data.sources.air_writing_sim import PLANS, RATE, _move, _plan_strokes, simulate
from fedreact.errors import UserError


@pytest.fixture(scope="module")
def small():
    return simulate(0, n_per_digit=80)


def digest(dataset):
    parts = (dataset.X, dataset.lengths, dataset.y, dataset.owner)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def test_form(small):
    assert small.name == "air-writing-sim"
    assert small.X.shape == (800, 3, 100)
    assert small.X.dtype == np.float32
    assert np.bincount(small.y).tolist() == [80] * 10
    assert np.bincount(small.owner).tolist() == [20] * 40
    assert all(np.unique(small.owner[small.y == digit]).size == 40 for digit in range(10))


def test_values_start_at_zero_and_are_of_order_one(small):
    assert not small.X[:, :, 0].any()
    assert np.abs(small.X).max() < 3
    assert np.all(small.X.std(axis=(0, 2)) > (0.15, 0.2, 0.05))


def test_lengths_vary_as_in_air_writing(small):
    assert small.lengths.max() <= 100
    assert 50 < np.median(small.lengths) < 80
    assert np.quantile(small.lengths, 0.05) < 45
    assert np.quantile(small.lengths, 0.95) > 85
    # A stroke takes less time than five.
    assert small.lengths[small.y == 1].mean() < 0.7 * small.lengths[small.y == 5].mean()


def test_a_movement_longer_than_n_steps_is_resampled_not_cut():
    long, short = simulate(3, 10), simulate(3, 10, n_steps=30)
    assert short.X.shape[2] == 30
    assert short.lengths.max() == 30
    end = [d.X[np.arange(100), :2, d.lengths - 1] for d in (long, short)]
    np.testing.assert_allclose(end[0], end[1], atol=0.1)


def test_same_seed_gives_identical_bytes_and_another_seed_does_not(small):
    assert digest(simulate(0, n_per_digit=80)) == digest(small)
    assert digest(simulate(1, n_per_digit=80)) != digest(small)


def test_a_sample_does_not_depend_on_how_many_there_are(small):
    few = simulate(0, n_per_digit=3)
    for digit in range(10):
        np.testing.assert_array_equal(few.X[few.y == digit], small.X[small.y == digit][:3])


def test_strokes_end_at_their_target_and_follow_their_arc():
    # A half circle to the left: from (0, 0) heading down, over (0.5, -0.5), to (1, 0).
    half = np.array([[(0, 0, 0), (1, 0, np.pi)]])
    strokes = _plan_strokes(half, np.ones((1, 1)))
    path = _move(strokes, np.linspace(0, strokes.end, 200).T)
    np.testing.assert_allclose(np.abs(path - 0.5), 0.5, atol=1e-9)
    assert path.imag.min() == pytest.approx(-0.5, abs=1e-3)
    assert path[0, -1] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("digit", PLANS)
def test_every_plan_fills_the_box(digit):
    for plan in PLANS[digit]:
        x, y, _ = np.transpose(plan)
        assert x.min() >= 0
        assert x.max() <= 70
        assert (y.min(), y.max()) == (0, 100)


def test_writers_differ_more_than_one_writers_samples():
    dataset = simulate(5, n_per_digit=60, n_writers=6)
    height = np.log(np.ptp(dataset.X[:, 1], axis=1))[dataset.y == 0].reshape(10, 6)
    tempo = np.log(dataset.lengths)[dataset.y == 0].reshape(10, 6)
    for trait in (height, tempo):
        assert trait.mean(axis=0).std() > trait.std(axis=0).mean()


def test_tremor_lies_between_8_and_12_hz(small):
    # Mean spectrum of the long series, differenced twice to take off the slow movement.
    series = small.X[small.lengths >= 90][:, 1, :90]
    power = (np.abs(np.fft.rfft(np.diff(series, 2) * np.hanning(88))) ** 2).mean(axis=0)
    hz = np.fft.rfftfreq(88, 1 / RATE)
    noise_gain = np.sin(np.pi * hz / RATE) ** 4  # twice differenced white noise
    flat = power / np.maximum(noise_gain, 1e-9)
    assert flat[(hz > 8.5) & (hz < 11.5)].mean() > 2 * flat[hz > 13].mean()


def test_unseen_writers_are_recognised_neither_perfectly_nor_by_chance(small):
    features = small.X.reshape(len(small.X), -1)
    test = small.owner % 5 == 0
    scores = {}
    for name, model in {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=500)),
        "forest": RandomForestClassifier(100, random_state=0),
    }.items():
        model.fit(features[~test], small.y[~test])
        scores[name] = model.score(features[test], small.y[test])
    assert 0.65 < scores["linear"] < 0.97
    assert 0.80 < scores["forest"] < 1
    assert scores["linear"] < scores["forest"]


@pytest.mark.parametrize(
    "bad",
    [
        {"seed": -1},
        {"seed": 0.5},
        {"n_per_digit": 0},
        {"n_per_digit": True},
        {"n_steps": 9},
        {"n_writers": 0},
        {"n_writers": "40"},
    ],
)
def test_nonsense_arguments_are_refused_in_one_line(bad):
    with pytest.raises(
        UserError, match=f"^air-writing-sim: {next(iter(bad))} must be .+$"
    ) as error:
        simulate(**{"seed": 0, "n_per_digit": 1, **bad})
    assert "\n" not in str(error.value)
