"""Drives of a region's vehicles through its streets, among other traffic, with libsumo.

SUMO's energy model (Kurczveil, Lopez and Schnieder 2014, LNCS 8594:33-43) works out each step's
consumption from mass, slope, drag, rolling and acceleration. Its constants are set for
each vehicle before it starts (air density, capacity), or each minute by switching between types
that differ in their constant power (heating and cooling). Parked vehicles draw no power.
"""

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from xml.etree import ElementTree as ET

import numpy as np

from fedreact.data.sumo.climate import LAPSE, humidity, hvac_power
from fedreact.data.sumo.fleet import ROLES, TYPES, Vehicle, vehicles_of
from fedreact.data.sumo.install import find_sumo
from fedreact.data.sumo.network import Edge, build_network, read_edges
from fedreact.data.sumo.regions import NAME, REGIONS, Region
from fedreact.data.sumo.windows import LENGTH, STRIDE
from fedreact.errors import UserError
from fedreact.rng import generator

WARM_UP = 300  # s, in which the streets fill
TRAFFIC_GAP = 4.125  # s, between other vehicles that set off
LEAST_WAY = 1000.0  # m, of other vehicles, as the crow flies
OUTSIDE = 3.0  # how much oftener ways begin and end at the town's edge
EMPTY = 0.05  # share of charge at which a drive ends
LEAST_WINDOWS = 20
POWER_STEP = 250.0  # W
# Without precision 6, the charge would have two decimals. No vehicle ever jumps out of a jam.
OPTIONS = (
    *("--step-length", "1", "--precision", "6", "--threads", "1", "--xml-validation", "never"),
    *("--no-step-log", "true", "--no-warnings", "true", "--ignore-route-errors", "true"),
    *("--time-to-teleport", "-1", "--collision.action", "warn"),
)
STEPS = ("latitude", "longitude", "elevation", "speed", "max_speed", "acceleration", "charge")


@dataclass
class _Drive:
    """A vehicle's drive.

    Attributes
    ----------
    power
        ``int [minutes]``: constant power in each minute, in steps of ``POWER_STEP``.
    trace
        ``float64 [planned, 7]``: values of ``STEPS`` in each second.
    count
        Seconds that are recorded so far.
    """

    vehicle: Vehicle
    power: np.ndarray
    trace: np.ndarray
    count: int = 0

    @property
    def name(self) -> str:
        """Name of the vehicle in SUMO."""
        return f"ev{self.vehicle.number}"

    @property
    def planned(self) -> int:
        """Seconds that the vehicle is to drive."""
        return len(self.trace)

    def type_id(self, level: int) -> str:
        """Name SUMO's type of the vehicle at a level of its power."""
        return f"{self.name}/{level}"


def simulate(
    region: Region,
    share: float,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, np.ndarray]:
    """Simulate the drives of a region's vehicles; once in the life of a process.

    Parameters
    ----------
    share
        Share of its windows that each vehicle yields, in (0, 1]; 20 at least.
    progress
        Called with how many steps of vehicles are done, and how many there are to be at most.

    Returns
    -------
    dict
        A line a second and vehicle, all ``[S]``: ``vehicle`` (number), ``time`` (s since it set
        off), ``latitude`` and ``longitude`` (degrees), ``elevation`` (m), ``temperature`` (C) and
        ``humidity`` (%) of the air, ``speed`` and ``max_speed`` (m/s), ``acceleration`` (m/s2),
        ``charge`` (%). Of the vehicles ``[V]``: ``number``, ``planned`` (steps; a drive ends
        before if the battery is empty or the way too short), ``type``, ``role``, ``capacity``
        (Wh), ``loading`` (kg), ``hour``. Streets: ``street_points [P, 2]`` (longitude, latitude),
        ``street_starts [E + 1]``, ``street_speed [E]``. ``network``, SUMO's network file (zlib),
        and its SHA-256. ``region``, ``share``, ``seed``, ``sumo`` (version).

    Raises
    ------
    UserError
        The share is out of range, SUMO is not there, or a program of it failed.
    """
    if not 0 < share <= 1:
        raise UserError(f"{NAME}: share must lie in (0, 1], got {share}")
    libsumo, programs = find_sumo()
    vehicles = vehicles_of(region, seed)
    drives = [_plan(vehicle, region, share) for vehicle in vehicles]
    with TemporaryDirectory(prefix="fedreact-sumo-") as name:
        folder = Path(name)
        net = build_network(region, seed, programs, folder)
        edges = read_edges(net)
        demand = folder / "demand.rou.xml"
        _write_demand(demand, region, edges, drives, seed)
        libsumo.start(["sumo", "-n", str(net), "-r", str(demand), "--seed", str(seed), *OPTIONS])
        try:
            for drive in drives:
                _send_off(libsumo, drive, edges, seed)
            _run(libsumo, drives, progress)
            place = libsumo.simulation.convertGeo
            points = np.array([place(*point) for edge in edges for point in edge.shape])
        except libsumo.TraCIException as error:
            raise UserError(f"{NAME}: SUMO failed in {region.name}: {error}") from error
        finally:
            libsumo.close()
        content = net.read_bytes()
    traces = [_finish(drive, region) for drive in drives]
    return {
        **{key: np.concatenate([trace[key] for trace in traces]) for key in traces[0]},
        "number": np.array([v.number for v in vehicles]),
        "planned": np.array([drive.planned for drive in drives]),
        **{
            key: np.array([getattr(v, key) for v in vehicles])
            for key in ("type", "role", "capacity", "loading", "hour")
        },
        "street_points": points,
        "street_starts": np.cumsum([0] + [len(edge.shape) for edge in edges]),
        "street_speed": np.array([edge.speed for edge in edges]),
        "network": np.frombuffer(zlib.compress(content, 9), dtype=np.uint8),
        "network_sha256": np.array(hashlib.sha256(content).hexdigest()),
        "region": np.array(region.name),
        "share": np.array(share),
        "seed": np.array(seed),
        "sumo": np.array(version("libsumo")),
    }


def _plan(vehicle: Vehicle, region: Region, share: float) -> _Drive:
    """Plan a drive that yields this share of the vehicle's windows."""
    n_steps = LENGTH + STRIDE * (max(LEAST_WINDOWS, round(share * vehicle.windows)) - 1)
    type_ = TYPES[vehicle.type]
    T, rh = vehicle.weather.at(vehicle.hour + np.arange(n_steps // 60 + 1) / 60)
    climate = hvac_power(
        T, rh, region.elevation, type_.cabin, vehicle.thermostat, vehicle.heat_pump
    )
    power = np.round((type_.auxiliary + climate) / POWER_STEP).astype(int)
    return _Drive(vehicle, power, np.empty((n_steps, len(STEPS))))


def _write_demand(
    path: Path, region: Region, edges: list[Edge], drives: list[_Drive], seed: int
) -> None:
    """Write vehicle types and the other traffic."""
    root = ET.Element("routes")
    ET.SubElement(root, "vType", id="other", emissionClass="zero")
    for drive in drives:
        vehicle = drive.vehicle
        type_ = TYPES[vehicle.type]
        parameters = {
            "has.battery.device": "true",
            "device.battery.capacity": vehicle.capacity,
            "frontSurfaceArea": type_.front,
            "airDragCoefficient": vehicle.drag,
            "rollDragCoefficient": type_.roll,
            "radialDragCoefficient": type_.radial,
            "propulsionEfficiency": type_.propulsion,
            "recuperationEfficiency": type_.recuperation,
            "loading": vehicle.loading,
        }
        common = {
            "emissionClass": "Energy/unknown",
            "mass": type_.mass,
            "speedFactor": vehicle.speed_factor,
            "speedDev": 0,
            **type_.shape,
        }
        for level in np.unique(drive.power):
            attributes = {key: str(value) for key, value in common.items()}
            element = ET.SubElement(root, "vType", {"id": drive.type_id(level)} | attributes)
            for key, value in (parameters | {"constantPowerIntake": level * POWER_STEP}).items():
                ET.SubElement(element, "param", key=key, value=str(value))

    rng = generator(seed, f"{NAME} traffic", list(REGIONS).index(region.name))
    middle = np.array([edge.shape.mean(axis=0) for edge in edges])
    radius = np.hypot(*middle.T)
    likely = np.where(radius > 0.8 * radius.max(), OUTSIDE, 1.0)
    longest = max(drive.planned for drive in drives)
    n = int((WARM_UP + 1.5 * longest) / TRAFFIC_GAP)
    for i in range(n):
        way = rng.choice(len(edges), 2, p=likely / likely.sum())
        depart = TRAFFIC_GAP * (i + rng.random())
        if np.hypot(*(middle[way[0]] - middle[way[1]])) >= LEAST_WAY:
            ends = {"from": edges[way[0]].id, "to": edges[way[1]].id}
            ET.SubElement(
                root, "trip", ends, id=f"other{i}", type="other", depart=f"{depart:.2f}",
                departLane="best", departSpeed="max",
            )  # fmt: skip
    ET.ElementTree(root).write(path)


def _send_off(libsumo: ModuleType, drive: _Drive, edges: list[Edge], seed: int) -> None:
    """Give a vehicle its way: goals by its role, shortest ways between them, stops.

    Private drivers go round four places of their own and buses round eight; ride-hailing and
    delivery go anywhere. The way is as long as needed even if no light were ever red.
    """
    vehicle, name = drive.vehicle, drive.name
    rng = generator(seed, f"{NAME} way", vehicle.number)
    role = ROLES[vehicle.role]
    places = [edge for edge in edges if edge.length > 60 and edge.speed < 16]
    own = {"private": 4, "bus": 8}.get(vehicle.role)
    if own is not None:
        places = [places[i] for i in rng.choice(len(places), own, replace=False)]
    least, turn = drive.planned * 1.1 * vehicle.speed_factor, 0
    here = places[rng.integers(len(places))]
    route, stops, time = [here.id], [], 0.0
    while time < least:
        turn += 1
        goal = turn % len(places) if vehicle.role == "bus" else rng.integers(len(places))
        there = places[goal]
        leg = libsumo.simulation.findRoute(here.id, there.id, "other")
        if there is here or not leg.edges:
            continue
        route += leg.edges[1:]
        time += leg.travelTime
        if role.dwell is not None:
            stops.append((there.id, there.length / 2, float(int(rng.uniform(*role.dwell)))))
            time += stops[-1][2]
        here = there
    libsumo.route.add(name, route)
    first_type = drive.type_id(drive.power[0])
    libsumo.vehicle.add(name, name, first_type, depart=str(WARM_UP), departLane="best")
    libsumo.vehicle.setParameter(name, "device.battery.chargeLevel", repr(vehicle.start))
    # setStop would move a stop to the first passage of its street, and replace one that is there.
    for i, (edge, position, dwell) in enumerate(stops):
        parked = libsumo.constants.STOP_PARKING
        libsumo.vehicle.insertStop(name, i, edge, pos=position, duration=dwell, flags=parked)
    if (kept := len(libsumo.vehicle.getStops(name))) != len(stops):
        raise UserError(f"{NAME}: SUMO kept {kept} of {len(stops)} stops of vehicle {name}")


def _run(libsumo: ModuleType, drives: list[_Drive], progress: Callable[[int, int], None]) -> None:
    """Step until each vehicle has driven its steps or is empty; record each step of each."""
    running = drives
    total, minute = sum(drive.planned for drive in drives), 0
    for step in range(WARM_UP + 2 * max(drive.planned for drive in drives)):
        if not running:
            break
        libsumo.simulation.step()
        there = set(libsumo.vehicle.getIDList()) if step >= WARM_UP else set()
        running = [drive for drive in running if _goes_on(libsumo, drive, there)]
        if step // 60 > minute:
            minute = step // 60
            left = sum(drive.planned - drive.count for drive in running)
            progress(total - left, total)
    progress(total, total)


def _goes_on(libsumo: ModuleType, drive: _Drive, there: set[str]) -> bool:
    """Record a step of a drive; return whether it goes on.

    ``there`` are the vehicles on the streets.
    """
    api, name = libsumo.vehicle, drive.name
    if name not in there:
        return drive.count == 0  # else it has arrived
    x, y, z = api.getPosition3D(name)
    longitude, latitude = libsumo.simulation.convertGeo(x, y)
    allowed = api.getAllowedSpeed(name)
    if allowed < 0:  # parked
        allowed = drive.trace[drive.count - 1, 4] if drive.count else 0.0
    capacity = drive.vehicle.capacity
    charge = float(api.getParameter(name, "device.battery.chargeLevel"))
    speed, acceleration = api.getSpeed(name), api.getAcceleration(name)
    values = (latitude, longitude, z, speed, allowed, acceleration, 100 * charge / capacity)
    drive.trace[drive.count] = values
    drive.count += 1
    if drive.count == drive.planned or charge < EMPTY * capacity:
        api.remove(name)
        return False
    minute, second = divmod(drive.count, 60)
    if second == 0 and drive.power[minute] != drive.power[minute - 1]:
        api.setType(name, drive.type_id(drive.power[minute]))
    return True


def _finish(drive: _Drive, region: Region) -> dict[str, np.ndarray]:
    """Name a vehicle's columns and add time, number and the air around it."""
    trace, vehicle = drive.trace[: drive.count], drive.vehicle
    columns = dict(zip(STEPS, trace.T.copy()))
    time = np.arange(len(trace), dtype=float)
    T, _ = vehicle.weather.at(vehicle.hour + time / 3600)
    T = T - LAPSE * (columns["elevation"] - region.elevation)
    return {
        "vehicle": np.full(len(trace), vehicle.number),
        "time": time,
        **columns,
        "temperature": T,
        "humidity": 100 * humidity(T, vehicle.weather.dew_point),
    }
