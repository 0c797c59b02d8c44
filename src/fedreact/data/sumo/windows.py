"""Cutting traces into series: windows, sensors, fixed scales."""

from itertools import accumulate

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.sumo.fleet import TYPES
from fedreact.data.sumo.regions import NAME
from fedreact.errors import UserError
from fedreact.rng import generator

LENGTH, STRIDE = 100, 20  # steps of a second
# Centre and scale of each channel in its physical unit. They stand for what any vehicle might meet
# around these towns, and are no statistics of the data: no window tells of another, and a
# vehicle needs no others to normalise its own. Latitude and longitude share a scale of 5.6 km, so
# that towns lie up to 1.6 from the centre and places up to 0.5 from their town's: both can be seen.
SCALES = {
    "latitude": (48.0, 0.05),
    "longitude": (7.85, 0.075),
    "elevation": (400.0, 150.0),
    "temperature": (10.0, 10.0),
    "humidity": (70.0, 20.0),
    "speed": (10.0, 10.0),
    "max_speed": (15.0, 10.0),
    "acceleration": (0.0, 1.0),
}
CHANNELS = (*SCALES, *TYPES)
THERMOMETERS = ("noisy", "none")
NEEDED = (*SCALES, "vehicle", "charge", "number", "type", "region")
"""Arrays of a simulated region that windows are cut from."""
# Error of a car's sensors: standard deviation, and the step of what they show. 2% of humidity is
# what 0.4 K changes in it.
SENSORS = {"temperature": (0.4, 0.5), "humidity": (2.0, 1.0)}
MEMORY = 0.99  # correlation of the error from one second to the next


def read_sensor(values: np.ndarray, sd: float, step: float, rng: np.random.Generator) -> np.ndarray:
    """Return the readings of a sensor for ``values [S]`` of successive seconds.

    Its error is an AR(1) process of standard deviation ``sd`` that forgets in 100 s; it shows
    multiples of ``step``. With perfect sensors, temperature and humidity are a clock: they change
    smoothly over a drive, while charge only falls.
    """
    shocks = sd * rng.standard_normal(len(values))
    shocks[1:] *= np.sqrt(1 - MEMORY**2)
    error = list(accumulate(shocks, lambda before, shock: MEMORY * before + shock))
    return step * np.round((values + error) / step)


def cut_windows(
    regions: list[dict[str, np.ndarray]], thermometer: str = "noisy", seed: int = 0
) -> SeriesDataset:
    """Cut traces into windows of 100 s that begin every 20 s.

    Parameters
    ----------
    regions
        Arrays as :func:`fedreact.data.sumo.simulate.simulate` returns them.
    thermometer
        ``"noisy"``, or ``"none"`` for temperature and humidity of the air as they are.

    Returns
    -------
    SeriesDataset
        By vehicle and, within, in the order of time. ``X [N, 14, 100]``: the eight channels of
        ``SCALES``, then which of the six types the vehicle is, 0 or 1 (the papers name "vehicle
        type", not mass or drag). ``y``: charge in % at a window's last step. ``owner``: its number.

    Raises
    ------
    UserError
        An unknown thermometer; a vehicle twice or with a trace too short.
    """
    if thermometer not in THERMOMETERS:
        raise UserError(f"{NAME}: thermometer must be one of {', '.join(THERMOMETERS)}")
    numbers = np.concatenate([region["number"] for region in regions])
    if len(np.unique(numbers)) < len(numbers):
        names = ", ".join(str(region["region"]) for region in regions)
        raise UserError(f"{NAME}: a region is given twice, in {names}")
    cut = []
    for region in sorted(regions, key=lambda region: region["number"].min()):
        for number, type_ in zip(region["number"], region["type"]):
            trace = {key: region[key][region["vehicle"] == number] for key in (*SCALES, "charge")}
            if len(trace["charge"]) < LENGTH:
                raise UserError(
                    f"{NAME}: the trace of vehicle {number} has {len(trace['charge'])} steps, "
                    f"fewer than a window's {LENGTH}; simulate {region['region']} again"
                )
            if thermometer == "noisy":
                rng = generator(seed, f"{NAME} thermometer", int(number))
                for key, sensor in SENSORS.items():
                    trace[key] = read_sensor(trace[key], *sensor, rng)
                trace["humidity"] = trace["humidity"].clip(0, 100)
            cut.append((*_windows(trace, str(type_)), number))
    X = np.concatenate([X for X, _, _ in cut])
    return SeriesDataset(
        name=NAME,
        X=X,
        lengths=np.full(len(X), LENGTH),
        y=np.concatenate([y for _, y, _ in cut]),
        owner=np.repeat([number for _, _, number in cut], [len(y) for _, y, _ in cut]),
    )


def _windows(trace: dict[str, np.ndarray], type_: str) -> tuple[np.ndarray, np.ndarray]:
    """Cut a vehicle's windows ``float32 [n, channels, 100]``; return the charge at their ends, too.

    The charge is ``float32 [n]``, in %.
    """
    scaled = [(trace[key] - centre) / scale for key, (centre, scale) in SCALES.items()]
    steps = np.stack(scaled).astype(np.float32)
    view = np.lib.stride_tricks.sliding_window_view(steps, LENGTH, axis=1)[:, ::STRIDE]
    X = np.zeros((view.shape[1], len(CHANNELS), LENGTH), dtype=np.float32)
    X[:, : len(SCALES)] = view.transpose(1, 0, 2)
    X[:, CHANNELS.index(type_)] = 1
    return X, trace["charge"][LENGTH - 1 :: STRIDE].astype(np.float32)
