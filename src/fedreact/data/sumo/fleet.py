"""The vehicles: types with published parameters, roles, and each vehicle's day."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.sumo.climate import (
    SUMO_DENSITY,
    Cabin,
    Weather,
    air_density,
    usable_share,
)
from fedreact.data.sumo.regions import NAME, REGIONS, VEHICLES_PER_REGION, Region
from fedreact.rng import generator

MMPEVEM = "SUMO data/emissions/MMPEVEM; Koch et al. 2021, ITSC, 10.1109/ITSC48978.2021.9564463"
DARMSTADT = "World Electr. Veh. J. 2025, 16(9):500, table of the fleet"


@dataclass(frozen=True)
class VehicleType:
    """Physical parameters of a vehicle type.

    Attributes
    ----------
    mass, loading
        kg, without and of load; a vehicle carries 0 to ``loading``, the same all day.
    front, drag, roll, radial
        Front surface in m2, and coefficients of air drag, rolling and cornering.
    capacity
        Wh.
    propulsion, recuperation
        Efficiency from and to the battery.
    auxiliary
        Power of all but heating and cooling, W.
    shape
        Attributes of SUMO's vehicle type: class, length in m, top speed in m/s.
    source
        Where the numbers are from; those that are estimated are named.
    """

    mass: float
    loading: float
    front: float
    drag: float
    roll: float
    radial: float
    capacity: float
    propulsion: float
    recuperation: float
    auxiliary: float
    cabin: Cabin
    shape: dict[str, str | float]
    source: str


_CAR, _VAN = Cabin(60, 0.04, 400, 6000), Cabin(75, 0.05, 300, 7000)
_BUS = Cabin(500, 0.3, 2500, 24000)
# mass, loading, front, drag, roll, radial, capacity, propulsion, recuperation, auxiliary, cabin
# fmt: off
TYPES = {
    "VW e-up!": VehicleType(1235, 320, 2.07, 0.32, 0.008, 0, 32300, 0.82, 0.82, 360, _CAR,
        {"vClass": "passenger", "length": 3.6, "maxSpeed": 36}, MMPEVEM),
    "VW ID.3": VehicleType(1794, 380, 2.36, 0.26, 0.007, 0, 58000, 0.82, 0.82, 360, _CAR,
        {"vClass": "passenger", "length": 4.3, "maxSpeed": 44}, MMPEVEM),
    "VW ID.4": VehicleType(2124, 420, 2.54, 0.28, 0.0075, 0, 77000, 0.82, 0.82, 360, _CAR,
        {"vClass": "passenger", "length": 4.6, "maxSpeed": 44}, MMPEVEM),
    "Kia Soul EV": VehicleType(1830, 240, 2.6, 0.35, 0.01, 0.1, 64000, 0.98, 0.96, 100, _CAR,
        {"vClass": "passenger", "length": 4.2, "maxSpeed": 29},
        "SUMO documentation, Models/Electric"),
    "eDeliver 9": VehicleType(2460, 500, 4.2, 0.32, 0.01, 0, 72000, 0.82, 0.82, 360, _VAN,
        {"vClass": "delivery", "length": 5.9, "maxSpeed": 33},
        f"{DARMSTADT} (load 250 kg); estimated: roll, capacity, efficiencies"),
    "eCitaro G": VehicleType(20365, 5400, 8.0, 0.6, 0.008, 0, 396000, 0.82, 0.82, 2000, _BUS,
        {"vClass": "bus", "length": 18.1, "maxSpeed": 22},
        f"{DARMSTADT} (load 5475 kg); capacity: maker; estimated: roll, efficiencies, auxiliary"),
}
# fmt: on


@dataclass(frozen=True)
class Role:
    """Role of a vehicle: ranges of its charge at the start, its windows and its stops.

    Attributes
    ----------
    types
        Types that vehicles of the role are of.
    start
        Charge at the start, as a share of the battery's capacity.
    windows
        How many windows its trace yields at most.
    dwell
        How long it stands at each goal, s; ``None`` if it drives on.
    """

    types: tuple[str, ...]
    start: tuple[float, float]
    windows: tuple[int, int]
    dwell: tuple[float, float] | None


_CARS = ("VW e-up!", "VW ID.3", "VW ID.4", "Kia Soul EV")
ROLES = {
    "private": Role(_CARS, (0.3, 1), (110, 450), None),
    "ride-hail": Role(_CARS[1:], (0.6, 1), (450, 1300), (30, 180)),
    "delivery": Role(("eDeliver 9",), (0.75, 1), (400, 1000), (60, 240)),
    "bus": Role(("eCitaro G",), (0.8, 1), (700, 1300), (15, 30)),
}
# Roles of a region's vehicles: five are driven by private persons.
OF_REGION = ("private",) * 5 + ("ride-hail",) * 2 + ("delivery",) * 2 + ("bus",)


@dataclass(frozen=True)
class Vehicle:
    """One vehicle and its day.

    Attributes
    ----------
    number
        0 to 49, over all regions.
    type, role
        Keys of ``TYPES`` and ``ROLES``.
    windows
        Windows that its trace yields at most, if all of them are wanted.
    capacity, start
        Energy of the battery when full, after ageing and cold, and at the start; Wh.
    drag
        The type's coefficient, corrected for the density of the day's air.
    loading
        kg.
    speed_factor
        Its speed as a share of the speed limit.
    thermostat, heat_pump
        Temperature of the cabin, and how it is heated.
    weather, hour
        Its day's weather, and the hour of the day at which it sets off.
    """

    number: int
    type: str
    role: str
    windows: int
    capacity: float
    start: float
    drag: float
    loading: float
    speed_factor: float
    thermostat: float
    heat_pump: bool
    weather: Weather
    hour: float


def vehicles_of(region: Region, seed: int) -> list[Vehicle]:
    """Draw the ten vehicles of a region; each has a stream of its own."""
    first = VEHICLES_PER_REGION * list(REGIONS).index(region.name)
    return [_draw(region, role, first + i, seed) for i, role in enumerate(OF_REGION)]


def _draw(region: Region, role_name: str, number: int, seed: int) -> Vehicle:
    """Draw a vehicle and its day."""
    rng, role = generator(seed, f"{NAME} vehicle", number), ROLES[role_name]
    # Types go round, so that each is there whatever the seed is.
    type_name = role.types[(number // VEHICLES_PER_REGION + number) % len(role.types)]
    type_ = TYPES[type_name]
    season = region.season * np.cos(2 * np.pi * rng.random())
    mean = float(region.temperature + season + 2.5 * rng.standard_normal())
    weather = Weather(mean, region.day * rng.uniform(0.4, 1.2), mean - region.dew_gap)
    capacity = type_.capacity * rng.uniform(0.8, 1) * float(usable_share(mean))
    density = air_density(*weather.at(12), region.elevation)
    return Vehicle(
        number=number,
        type=type_name,
        role=role_name,
        windows=int(rng.integers(role.windows[0], role.windows[1] + 1)),
        capacity=capacity,
        start=capacity * rng.uniform(*role.start),
        drag=type_.drag * float(density) / SUMO_DENSITY,
        loading=rng.uniform(0, type_.loading),
        speed_factor=rng.uniform(0.85, 1.1),
        thermostat=rng.uniform(19, 23),
        heat_pump=bool(rng.random() < 0.5),
        weather=weather,
        hour=rng.uniform(5, 20),
    )
