"""Driving the vehicles of a region through its streets, among other traffic, with libsumo.

SUMO's energy model (Kurczveil, Lopez and Schnieder 2014, LNCS 8594:33-43) works out each step's
consumption from mass, slope, drag, rolling and acceleration. What it leaves constant is set for
each vehicle before it starts (air density, capacity), or each minute by switching between types
that differ in their constant power (heating and cooling). Parked vehicles draw no power.
"""

import hashlib
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import numpy as np

from fedreact.data.sumo.climate import LAPSE, humidity, hvac_power
from fedreact.data.sumo.fleet import ROLES, TYPES, vehicles_of
from fedreact.data.sumo.install import find_sumo
from fedreact.data.sumo.network import build_network, read_edges
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
        Told how many steps of vehicles are done, and how many there are to be at most.

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
    windows = [max(LEAST_WINDOWS, round(share * vehicle.windows)) for vehicle in vehicles]
    steps = [LENGTH + STRIDE * (n - 1) for n in windows]
    with TemporaryDirectory(prefix="fedreact-sumo-") as name:
        folder = Path(name)
        net = build_network(region, seed, programs, folder)
        edges = read_edges(net)
        power = [_power(vehicle, region, n) for vehicle, n in zip(vehicles, steps)]
        demand = folder / "demand.rou.xml"
        _write_demand(demand, region, edges, vehicles, power, max(steps), seed)
        libsumo.start(["sumo", "-n", str(net), "-r", str(demand), "--seed", str(seed), *OPTIONS])
        try:
            for vehicle, n, levels in zip(vehicles, steps, power):
                _send_off(libsumo, vehicle, edges, n, levels[0], seed)
            traces = _drive(libsumo, vehicles, steps, power, progress)
            place = libsumo.simulation.convertGeo
            points = np.array([place(*point) for edge in edges for point in edge.shape])
        except libsumo.TraCIException as error:
            raise UserError(f"{NAME}: SUMO failed in {region.name}: {error}") from error
        finally:
            libsumo.close()
        content = net.read_bytes()
    traces = [_finish(trace, v, region) for trace, v in zip(traces, vehicles)]
    return {
        **{key: np.concatenate([trace[key] for trace in traces]) for key in traces[0]},
        "number": np.array([v.number for v in vehicles]),
        "planned": np.array(steps),
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


def _power(vehicle, region, n_steps):
    """Constant power of each minute of a drive, in steps of ``POWER_STEP``."""
    type_ = TYPES[vehicle.type]
    T, rh = vehicle.weather.at(vehicle.hour + np.arange(n_steps // 60 + 1) / 60)
    climate = vehicle.thermostat, vehicle.heat_pump
    power = type_.auxiliary + hvac_power(T, rh, region.elevation, type_.cabin, *climate)
    return np.round(power / POWER_STEP).astype(int)


def _write_demand(path, region, edges, vehicles, power, n_steps, seed):
    """Write vehicle types and the other traffic."""
    root = ET.Element("routes")
    ET.SubElement(root, "vType", id="other", emissionClass="zero")
    for vehicle, levels in zip(vehicles, power):
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
        for level in np.unique(levels):
            attributes = {key: str(value) for key, value in common.items()}
            element = ET.SubElement(root, "vType", id=_type_id(vehicle, level), **attributes)
            for key, value in (parameters | {"constantPowerIntake": level * POWER_STEP}).items():
                ET.SubElement(element, "param", key=key, value=str(value))

    rng = generator(seed, f"{NAME} traffic", list(REGIONS).index(region.name))
    middle = np.array([edge.shape.mean(axis=0) for edge in edges])
    radius = np.hypot(*middle.T)
    likely = np.where(radius > 0.8 * radius.max(), OUTSIDE, 1.0)
    n = int((WARM_UP + 1.5 * n_steps) / TRAFFIC_GAP)
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


def _send_off(libsumo, vehicle, edges, n_steps, level, seed):
    """Give a vehicle its way: goals by its role, shortest ways between them, stops.

    Private drivers go round four places of their own and buses round eight; ride-hailing and
    delivery go anywhere. The way is as long as needed even if no light were ever red.
    """
    rng = generator(seed, f"{NAME} way", vehicle.number)
    role, name = ROLES[vehicle.role], f"ev{vehicle.number}"
    places = [edge for edge in edges if edge.length > 60 and edge.speed < 16]
    own = {"private": 4, "bus": 8}.get(vehicle.role)
    if own is not None:
        places = [places[i] for i in rng.choice(len(places), own, replace=False)]
    least, turn = n_steps * 1.1 * vehicle.speed_factor, 0
    here = places[rng.integers(len(places))]
    route, stops, time = [here.id], [], 0.0
    while time < least:
        turn += 1
        there = places[turn % own] if vehicle.role == "bus" else places[rng.integers(len(places))]
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
    libsumo.vehicle.add(
        name, name, _type_id(vehicle, level), depart=str(WARM_UP), departLane="best"
    )
    libsumo.vehicle.setParameter(name, "device.battery.chargeLevel", repr(vehicle.start))
    # setStop would move a stop to the first passage of its street, and replace one that is there.
    for i, (edge, position, dwell) in enumerate(stops):
        parked = libsumo.constants.STOP_PARKING
        libsumo.vehicle.insertStop(name, i, edge, pos=position, duration=dwell, flags=parked)
    if (kept := len(libsumo.vehicle.getStops(name))) != len(stops):
        raise UserError(f"{NAME}: SUMO kept {kept} of {len(stops)} stops of vehicle {name}")


def _type_id(vehicle, level):
    return f"ev{vehicle.number}/{level}"


def _drive(libsumo, vehicles, steps, power, progress):
    """Step until each vehicle has driven its steps or is empty; the recorded values of each."""
    traces = [np.empty((n, len(STEPS))) for n in steps]
    counts, running = [0] * len(vehicles), set(range(len(vehicles)))
    api, place = libsumo.vehicle, libsumo.simulation.convertGeo
    level = [levels[0] for levels in power]
    total, minute = sum(steps), 0
    for step in range(WARM_UP + 2 * max(steps)):
        if not running:
            break
        libsumo.simulation.step()
        there = set(api.getIDList()) if step >= WARM_UP else ()
        for i in sorted(running):
            name, k = f"ev{vehicles[i].number}", counts[i]
            if name not in there:
                if k:
                    running.discard(i)  # it has arrived
                continue
            x, y, z = api.getPosition3D(name)
            longitude, latitude = place(x, y)
            allowed = api.getAllowedSpeed(name)
            if allowed < 0:  # parked
                allowed = traces[i][k - 1, 4] if k else 0.0
            charge = float(api.getParameter(name, "device.battery.chargeLevel"))
            traces[i][k] = (
                *(latitude, longitude, z, api.getSpeed(name), allowed),
                *(api.getAcceleration(name), 100 * charge / vehicles[i].capacity),
            )
            counts[i] += 1
            if counts[i] == steps[i] or charge < EMPTY * vehicles[i].capacity:
                api.remove(name)
                running.discard(i)
            elif counts[i] % 60 == 0 and power[i][counts[i] // 60] != level[i]:
                level[i] = power[i][counts[i] // 60]
                api.setType(name, _type_id(vehicles[i], level[i]))
        if step // 60 > minute:
            minute = step // 60
            left = sum(steps[i] - counts[i] for i in running)
            progress(total - left, total)
    progress(total, total)
    return [trace[:n] for trace, n in zip(traces, counts)]


def _finish(trace, vehicle, region):
    """Name a vehicle's columns and add time, number and the air around it."""
    found = dict(zip(STEPS, trace.T.copy()))
    time = np.arange(len(trace), dtype=float)
    T, _ = vehicle.weather.at(vehicle.hour + time / 3600)
    T = T - LAPSE * (found["elevation"] - region.elevation)
    return {
        "vehicle": np.full(len(trace), vehicle.number),
        "time": time,
        **found,
        "temperature": T,
        "humidity": 100 * humidity(T, vehicle.weather.dew_point),
    }
