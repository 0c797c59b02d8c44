"""Air, weather and what heating and cooling draw, by hand."""

import numpy as np
import pytest

from fedreact.data.sumo import climate
from fedreact.data.sumo.climate import Cabin, Weather, air_density, hvac_power

CAR = Cabin(shell=60, air=0.04, gains=400, limit=6000)


def test_density_of_air():
    assert air_density(20, 0, 0) == pytest.approx(climate.SUMO_DENSITY, rel=1e-4)
    assert air_density(20, 1, 0) == pytest.approx(1.1936, abs=2e-4)  # damp air is lighter
    assert air_density(15, 0, 1000) == pytest.approx(1.0865, abs=2e-4)  # 89,875 Pa


def test_humidity_falls_as_the_day_warms():
    T, rh = Weather(mean=10, swing=5, dew_point=6).at(np.array([3.0, 15.0]))
    np.testing.assert_allclose(T, [5, 15])
    np.testing.assert_allclose(rh, [1, 0.548], atol=1e-3)  # fog; 935 Pa of 1705 Pa


def test_heating_and_cooling_by_hand():
    thermal = (60 + 1006 * 0.04) * 31 - 400  # from -10 to 21 C
    assert hvac_power(-10, 0.8, 0, CAR, 21, False) == pytest.approx(thermal / 0.95)
    assert hvac_power(-10, 0.8, 0, CAR, 21, True) == pytest.approx(thermal / 2.1)
    # Enthalpies of half saturated air at 30 and 21 C: 64,130 and 40,730 J/kg.
    cooled = 60 * 9 + 400 + 0.04 * (64130 - 40730)
    assert hvac_power(30, 0.5, 0, CAR, 21, True) == pytest.approx(cooled / 2.5, rel=0.01)
    assert hvac_power(30, 0.9, 0, CAR, 21, True) > 1.5 * hvac_power(30, 0.5, 0, CAR, 21, True)
    assert hvac_power(20, 0.5, 0, CAR, 21, False) == 0  # people warm the cabin
    assert hvac_power(-60, 0.5, 0, CAR, 21, False) == CAR.limit


def test_cold_takes_capacity():
    np.testing.assert_allclose(climate.usable_share(np.array([30, 20, -5])), [1, 1, 0.9])
