"""Windows of traces, and the sensors that show them."""

import numpy as np
import pytest
from towns import region_of

from fedreact.data.sumo.regions import REGIONS
from fedreact.data.sumo.windows import CHANNELS, SCALES, cut_windows, read_sensor
from fedreact.errors import UserError
from fedreact.rng import generator
from fedreact.task import Task


def test_sensors_err_for_minutes_and_show_steps():
    true = np.full(200_000, 10.2)
    shown = read_sensor(true, 0.4, 0.5, generator(0, "test"))
    assert np.array_equal(shown * 2, np.round(shown * 2))
    error = shown - true
    # Rounding adds 0.5^2 / 12 to the variance.
    assert error.std() == pytest.approx(np.sqrt(0.4**2 + 0.5**2 / 12), rel=0.1)
    assert np.corrcoef(error[:-50], error[50:])[0, 1] == pytest.approx(0.99**50, abs=0.1)


def test_towns_are_told_apart_and_places_within_them_too():
    for name in ("latitude", "longitude"):
        centre, scale = SCALES[name]
        towns = [(getattr(region, name) - centre) / scale for region in REGIONS.values()]
        assert max(map(abs, towns)) < 3
        km = 111.3 * (1 if name == "latitude" else np.cos(np.deg2rad(48)))
        assert 0.25 < 2 / km / scale < 0.5  # 2 km from the middle


def test_windows_by_hand():
    data = cut_windows([region_of([100], first=2), region_of([119, 141])], thermometer="none")
    assert data.name == "sumo-ev"
    assert data.owner.tolist() == [0, 1, 1, 1, 2]  # 141 steps: windows from 0, 20 and 40
    assert data.X.shape == (5, 14, 100)
    np.testing.assert_allclose(data.y, [89.01, 89.01, 88.81, 88.61, 89.01], rtol=1e-6)
    assert data.task == Task("regression", 1, 14, 100)
    speed = data.X[3, CHANNELS.index("speed")]
    np.testing.assert_array_equal(speed, np.arange(40, 140))
    np.testing.assert_array_equal(data.X[1:4, 8:, 0], np.eye(6)[[1, 1, 1]])
    others = [i for i, name in enumerate(SCALES) if name != "speed"]
    assert not data.X[:, others].any()


def test_sensors_err_in_two_channels_only_and_alike_whatever_is_cut_with_them():
    alone = cut_windows([region_of([200], first=1)])
    both = cut_windows([region_of([150]), region_of([200], first=1)])
    np.testing.assert_array_equal(alone.X, both.take(both.owner == 1).X)
    changed = (alone.X != cut_windows([region_of([200], first=1)], "none").X).any(axis=(0, 2))
    assert [CHANNELS[i] for i in np.flatnonzero(changed)] == ["temperature", "humidity"]


@pytest.mark.parametrize(
    ("regions", "thermometer", "words"),
    [
        ([region_of([99])], "none", "vehicle 0 has 99 steps"),
        ([region_of([120]), region_of([120])], "none", "given twice"),
        ([region_of([120])], "broken", "thermometer must be one of noisy, none"),
    ],
)
def test_windows_that_cannot_be_cut(regions, thermometer, words):
    with pytest.raises(UserError, match=words):
        cut_windows(regions, thermometer)
