"""The figure of what the errors of thermometers change."""

import numpy as np
import pytest
from towns import region_of

from fedreact import npz
from fedreact.data.sumo.windows import cut_windows
from fedreact.errors import UserError
from fedreact.figures.thermometer import FIGURE, own_errors


@pytest.fixture
def cooling():
    """A vehicle whose charge falls with a temperature that falls steadily."""
    steps = np.arange(3000)
    region = region_of([3000])
    region["speed"] = np.full(3000, 10.0)  # a clock, too, in region_of
    region["temperature"] = (15 - steps / 300).astype(np.float32)
    region["charge"] = (90 - steps / 50).astype(np.float32)
    return region


def test_perfect_thermometers_make_the_charge_easier(cooling):
    """As the ledger says (`sumo-sensors`)."""
    perfect, noisy = (own_errors(cut_windows([cooling], kind)) for kind in ("none", "noisy"))
    assert perfect.shape == (1,)
    assert perfect[0] < 0.9 * noisy[0]


def test_it_shows_one_vehicle_and_the_errors_of_all(cooling, tmp_path):
    file = tmp_path / "town.npz"
    npz.save(file, **cooling)
    figure = FIGURE(0).draw("title", {}, [file])
    left, right = figure.axes
    windows = len(cut_windows([cooling]).y)
    assert [len(line.get_ydata()) for line in left.lines] == [windows, windows]
    errors = [own_errors(cut_windows([cooling], kind)) for kind in ("noisy", "none")]
    for line, wanted in zip(right.lines, errors, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), wanted)
    with pytest.raises(UserError, match="vehicle 99 is in none of the regions"):
        FIGURE(99).draw("title", {}, [file])
