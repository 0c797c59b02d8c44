"""Weather, and its effects on a vehicle: air density, heating and cooling, the battery's capacity.

Moist air follows the ASHRAE Handbook of Fundamentals (ch. 1, Psychrometrics); the saturation
pressure is Alduchov and Eskridge's (1996, J. Appl. Meteor. 35:601-609). Temperatures are in degrees
C, humidity is relative, 0 to 1, heights are in m. All functions take arrays too.
"""

from dataclasses import dataclass

import numpy as np

LAPSE = 0.0065  # K/m, of the standard atmosphere
SUMO_DENSITY = 1.2041  # kg/m3, which SUMO's energy model takes for all air
COLD_LOSS = 0.004  # of the capacity for each K below 20 C
COP_COOLING = 2.5
Values = float | np.ndarray


@dataclass(frozen=True)
class Weather:
    """A day's weather where a region has its mean height.

    Attributes
    ----------
    mean, swing
        Mean temperature, and half its range over the day; it is warmest at 15 h.
    dew_point
        The same all day.
    """

    mean: float
    swing: float
    dew_point: float

    def at(self, hour: Values) -> tuple[np.ndarray, np.ndarray]:
        """Return temperature and humidity at an hour of the day."""
        T = self.mean + self.swing * np.cos(2 * np.pi * (np.asarray(hour) - 15) / 24)
        return T, humidity(T, self.dew_point)


@dataclass(frozen=True)
class Cabin:
    """Cabin that is heated and cooled: shell in W/K, fresh air in kg/s, gains and limit in W.

    Gains are people and sun; the limit is the electrical power at most.
    """

    shell: float
    air: float
    gains: float
    limit: float


def saturation(T: Values) -> np.ndarray:
    """Return the pressure of water vapour in saturated air, Pa."""
    return 610.94 * np.exp(17.625 * T / (T + 243.04))


def humidity(T: Values, dew_point: Values) -> np.ndarray:
    """Return the relative humidity; at most 1, where fog forms."""
    return np.minimum(saturation(dew_point) / saturation(T), 1.0)


def pressure(z: Values) -> Values:
    """Return the air pressure of the standard atmosphere, Pa."""
    return 101325 * (1 - 2.25577e-5 * z) ** 5.25588


def air_density(T: Values, rh: Values, z: Values) -> Values:
    """Return the density of moist air, kg/m3."""
    vapour = rh * saturation(T)
    return ((pressure(z) - vapour) / 287.05 + vapour / 461.5) / (T + 273.15)


def enthalpy(T: Values, rh: Values, z: Values) -> Values:
    """Return the enthalpy of moist air, J for each kg of dry air."""
    vapour = rh * saturation(T)
    ratio = 0.622 * vapour / (pressure(z) - vapour)
    return 1006 * T + ratio * (2.501e6 + 1860 * T)


def hvac_power(
    T: Values, rh: Values, z: Values, cabin: Cabin, wanted: float, heat_pump: bool
) -> np.ndarray:
    """Return the electrical power that holds a cabin at the temperature ``wanted``, W.

    Heating makes up for losses through the shell and to fresh air, less the gains; cooling takes
    away gains, what comes through the shell, and the enthalpy of fresh air over that of air at
    ``wanted`` and half saturated. A heat pump delivers 1.2 to 3.5 times its power (2.6 at 0 C), a
    resistive heater 0.95 times.
    """
    T = np.asarray(T, dtype=float)
    loss = (cabin.shell + 1006 * cabin.air) * (wanted - T) - cabin.gains
    efficiency = np.clip(2.6 + 0.05 * T, 1.2, 3.5) if heat_pump else 0.95
    fresh = cabin.air * (enthalpy(T, rh, z) - enthalpy(wanted, 0.5, z))
    gain = cabin.shell * (T - wanted) + cabin.gains + np.maximum(fresh, 0)
    cooling = np.where(wanted < T, np.maximum(gain, 0) / COP_COOLING, 0)
    return np.minimum(np.maximum(loss, 0) / efficiency + cooling, cabin.limit)


def usable_share(T: Values) -> Values:
    """Return the share of its capacity that a battery gives at a temperature."""
    return 1 - COLD_LOSS * np.maximum(20 - T, 0)
