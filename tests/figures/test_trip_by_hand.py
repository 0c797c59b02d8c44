"""The figure of a trip, of a town that is made up."""

import numpy as np
import pytest
from small_figures import drawn, town

from fedreact.errors import UserError
from fedreact.figures.trip import Trip


def test_way_and_panels_are_those_of_the_vehicle(tmp_path):
    figure = drawn("trip", tmp_path)
    # 120 seconds of 10 m/s; the last step is 119 s after the first.
    what = "VW e-up! (private), vehicle 30: 1 km in 2 minutes"
    assert figure.get_suptitle() == f"a title\n{what}"
    ground, charge, height, speed = [axes for axes in figure.axes if axes.get_label() == ""][:4]
    assert charge.lines[0].get_ydata() == pytest.approx(90 - np.arange(120) / 60)
    assert height.lines[0].get_ydata() == pytest.approx(400 + np.arange(120) / 10)
    assert set(speed.lines[0].get_ydata()) == {36.0}
    assert charge.lines[0].get_xdata()[-1] == pytest.approx(119 / 60)
    start, end = (line.get_xydata()[0] for line in ground.lines)
    # In km from the mean of the streets' points, 7.815 and 48.0025 degrees.
    east = 111.32 * np.cos(np.deg2rad(48.0025))
    assert start == pytest.approx([-0.015 * east, -0.0025 * 111.13])
    assert end - start == pytest.approx([1.19, 0], abs=1e-3)
    streets, way = ground.collections
    assert len(streets.get_segments()) == 2
    assert list(streets.get_linewidths()) == [1.8, 0.8]  # faster ones are broad
    assert len(way.get_segments()) == 119
    assert np.asarray(way.get_array()) == pytest.approx(400 + np.arange(1, 120) / 10)


def test_another_vehicle_is_refused(tmp_path):
    with pytest.raises(UserError, match="vehicle 3 is not in this region; its vehicles are 30 to"):
        Trip("valley", 3).draw("t", {}, [town(tmp_path / "v.npz")])
