"""The figure of a vehicle's trip."""

import pytest
from towns import needs_sumo, simulated

from fedreact.errors import UserError
from fedreact.figures.trip import FIGURE


def test_a_trip_of_a_simulated_vehicle(tmp_path):
    needs_sumo()
    files = [simulated("valley", 0.001, tmp_path / "valley.npz")]
    figure = FIGURE("valley", 33).draw("title", {}, files)
    assert "VW e-up! (private), vehicle 33" in figure.get_suptitle()
    with pytest.raises(UserError, match="vehicle 3 is not in this region; its vehicles are 30"):
        FIGURE("valley", 3).draw("title", {}, files)
