"""The dataset sumo-ev: climate and windows by hand, the fleet, and a real simulation."""

import ctypes.util
import hashlib
import importlib.util
import subprocess
import sys
import zlib

import numpy as np
import pytest
from conftest import ROOT

from fedreact import npz
from fedreact.data.sumo_ev import climate, install
from fedreact.data.sumo_ev.climate import Cabin, Weather, air_density, hvac_power
from fedreact.data.sumo_ev.fleet import OF_REGION, ROLES, TYPES, vehicles_of
from fedreact.data.sumo_ev.network import _hills
from fedreact.data.sumo_ev.regions import REGIONS
from fedreact.data.sumo_ev.simulate import simulate
from fedreact.data.sumo_ev.windows import CHANNELS, SCALES, cut_windows, read_sensor
from fedreact.errors import UserError
from fedreact.paper.sensor_figure import own_errors, thermometer
from fedreact.paper.trip_figure import trip
from fedreact.rng import generator

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


def test_sensors_err_for_minutes_and_show_steps():
    true = np.full(200_000, 10.2)
    shown = read_sensor(true, 0.4, 0.5, generator(0, "test"))
    assert np.array_equal(shown * 2, np.round(shown * 2))
    error = shown - true
    # Rounding adds 0.5^2 / 12 to the variance.
    assert error.std() == pytest.approx(np.sqrt(0.4**2 + 0.5**2 / 12), rel=0.1)
    assert np.corrcoef(error[:-50], error[50:])[0, 1] == pytest.approx(0.99**50, abs=0.1)


def test_steepness_is_the_slope():
    xy = np.stack(np.meshgrid(np.arange(0, 20000, 20.0), [0.0, 1.0]), -1).reshape(-1, 2)
    slopes = []
    for i in range(30):
        z = _hills(xy, 0.03, generator(i, "test")).reshape(2, -1)
        slopes.append(np.mean((np.diff(z[0]) / 20) ** 2) + np.mean((z[1] - z[0]) ** 2))
    assert np.sqrt(np.mean(slopes)) == pytest.approx(0.03, rel=0.05)


def test_fifty_vehicles_of_all_types_and_roles():
    fleet = [v for region in REGIONS.values() for v in vehicles_of(region, 0)]
    assert [v.number for v in fleet] == list(range(50))
    assert {v.type for v in fleet} == set(TYPES)
    assert {v.role for v in fleet} == set(ROLES) == set(OF_REGION)
    for v in fleet:
        type_, role = TYPES[v.type], ROLES[v.role]
        assert role.windows[0] <= v.windows <= role.windows[1]
        assert role.start[0] <= v.start / v.capacity <= role.start[1]
        assert 0.6 * type_.capacity < v.capacity <= type_.capacity
        assert 0 <= v.loading <= type_.loading
        assert 0.85 * type_.drag < v.drag < 1.15 * type_.drag
    assert vehicles_of(REGIONS["city"], 0) == fleet[10:20]
    assert vehicles_of(REGIONS["city"], 1) != fleet[10:20]


def test_towns_are_told_apart_and_places_within_them_too():
    for name in ("latitude", "longitude"):
        centre, scale = SCALES[name]
        towns = [(getattr(region, name) - centre) / scale for region in REGIONS.values()]
        assert max(map(abs, towns)) < 3
        km = 111.3 * (1 if name == "latitude" else np.cos(np.deg2rad(48)))
        assert 0.25 < 2 / km / scale < 0.5  # 2 km from the middle


def region_of(lengths, first=0):
    """Traces of vehicles with these lengths, without a simulator."""
    vehicle = np.repeat(first + np.arange(len(lengths)), lengths)
    traces = {key: np.full(len(vehicle), centre) for key, (centre, _) in SCALES.items()}
    traces["speed"] = 10 + 10 * np.concatenate([np.arange(n) for n in lengths]).astype(float)
    return traces | {
        "vehicle": vehicle,
        "charge": np.concatenate([90 - np.arange(n) / 100 for n in lengths]),
        "number": first + np.arange(len(lengths)),
        "type": np.array(list(TYPES))[: len(lengths)],
        "region": np.array("town"),
    }


def test_windows_by_hand():
    data = cut_windows([region_of([100], first=2), region_of([119, 141])], thermometer="none")
    assert data.name == "sumo-ev"
    assert data.subject.tolist() == [0, 1, 1, 1, 2]  # 141 steps: windows from 0, 20 and 40
    assert data.X.shape == (5, 14, 100)
    np.testing.assert_allclose(data.y, [89.01, 89.01, 88.81, 88.61, 89.01], rtol=1e-6)
    assert data.regression
    speed = data.X[3, CHANNELS.index("speed")]
    np.testing.assert_array_equal(speed, np.arange(40, 140))
    np.testing.assert_array_equal(data.X[1:4, 8:, 0], np.eye(6)[[1, 1, 1]])
    others = [i for i, name in enumerate(SCALES) if name != "speed"]
    assert not data.X[:, others].any()


def test_sensors_err_in_two_channels_only_and_alike_whatever_is_cut_with_them():
    alone = cut_windows([region_of([200], first=1)])
    both = cut_windows([region_of([150]), region_of([200], first=1)])
    np.testing.assert_array_equal(alone.X, both.take(both.subject == 1).X)
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


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_a_share_out_of_range(share):
    with pytest.raises(UserError, match=r"share must lie in \(0, 1\]"):
        simulate(REGIONS["city"], share)


def test_missing_packages_are_named(monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "libsumo" else there(name)
    )
    monkeypatch.setattr(install, "PACKAGES", ("libsumo",))
    with pytest.raises(UserError, match=r"no package libsumo.*requirements-sumo.txt") as caught:
        simulate(REGIONS["city"], 1)
    assert "\n" not in str(caught.value)


def test_missing_libraries_are_named(monkeypatch):
    here = ctypes.util.find_library("c")
    libraries = {here: "libc6", "libno.so.1": "libno1", "libnil.so.2": "libnil2"}
    monkeypatch.setattr(install, "PACKAGES", ())
    monkeypatch.setattr(install, "LIBRARIES", libraries)
    with pytest.raises(UserError, match=r"apt-get install libno1 libnil2$"):
        install.find_sumo()


def test_no_module_imports_the_simulator():
    code = (
        "import sys, fedreact.data.sumo_ev.simulate, fedreact.data.sumo_ev.windows;"
        "sys.exit(bool({'libsumo', 'sumo', 'traci'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def command(script, *words):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / script, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bad_share_is_one_line(tmp_path):
    done = command(
        "simulate_sumo.py", "--region", "city", "--share", "2", "--output", tmp_path / "x"
    )
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("error: sumo-ev: share")
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def sumo():
    """Only where the simulator has been left out by choice; where it fails, so does the test."""
    if importlib.util.find_spec("libsumo") is None:
        pytest.skip("SUMO is not installed (make setup SUMO=no)")


@pytest.fixture(scope="module")
def simulated(sumo, tmp_path_factory):
    """Two runs of a small simulation of one town."""
    folder = tmp_path_factory.mktemp("sumo")
    files = [folder / "once.npz", folder / "twice.npz"]
    for file in files:
        done = command(
            "simulate_sumo.py", "--region", "valley", "--share", "0.001", "--output", file
        )
        assert done.returncode == 0, done.stderr
    return files


@pytest.fixture(scope="module")
def content(simulated):
    return npz.load(simulated[0], "simulated region", ["charge"])


def test_the_same_seed_gives_the_same_bytes(simulated):
    once, twice = (file.read_bytes() for file in simulated)
    assert once == twice


def test_a_bus_stops_again_on_each_of_its_rounds(sumo, tmp_path):
    # Eight goals a round: a simulation of several rounds is refused if SUMO drops a stop.
    file = tmp_path / "plain.npz"
    done = command("simulate_sumo.py", "--region", "plain", "--share", "0.12", "--output", file)
    assert done.returncode == 0, done.stderr


def test_every_vehicle_drives_20_windows_at_least(content, simulated, tmp_path):
    assert np.bincount(content["vehicle"])[30:].tolist() == [100 + 19 * 20] * 10
    output = tmp_path / "sumo-ev.npz"
    done = command("prepare_sumo.py", "--regions", simulated[0], "--output", output)
    assert "200 windows of 10 vehicles, 20 to 20 each" in done.stderr
    data = npz.load(output, "dataset", ["X", "y", "subject"])
    assert np.bincount(data["subject"])[30:].tolist() == [20] * 10
    assert np.abs(data["X"]).max() < 10


def test_values_lie_within_bounds(content):
    region = REGIONS["valley"]
    assert np.abs(content["latitude"] - region.latitude).max() < 0.05
    assert np.abs(content["longitude"] - region.longitude).max() < 0.07
    assert np.abs(content["elevation"] - region.elevation).max() < 150
    assert np.ptp(content["elevation"]) > 10
    assert content["speed"].min() >= 0
    assert (content["speed"] <= content["max_speed"] + 5).all()
    assert (np.abs(content["acceleration"]) < 10).all()
    assert ((content["charge"] > 5) & (content["charge"] <= 100)).all()
    assert ((content["humidity"] > 0) & (content["humidity"] <= 100)).all()
    assert (np.diff(content["time"]) == np.where(np.diff(content["vehicle"]) == 0, 1, -479)).all()


def test_vehicles_do_not_jump(content):
    north, east = (np.diff(content[key]) * 111_300 for key in ("latitude", "longitude"))
    moved = np.hypot(north, east * np.cos(np.deg2rad(48)))
    assert moved[np.diff(content["vehicle"]) == 0].max() < 30


def test_charge_rises_only_downhill_or_braking(content):
    same = np.diff(content["vehicle"]) == 0
    rises = (np.diff(content["charge"]) > 0) & same
    braking = content["acceleration"][1:] < 0
    downhill = np.diff(content["elevation"]) < 0
    assert (braking | downhill)[rises].all()
    for number in content["number"]:
        charge = content["charge"][content["vehicle"] == number]
        assert charge[-1] < charge[0]


def test_standing_draws_what_air_conditioning_and_auxiliaries_draw(content):
    vehicle = content["vehicle"]
    still = (content["speed"][1:] == 0) & (content["speed"][:-1] == 0) & (np.diff(vehicle) == 0)
    capacity = content["capacity"][vehicle[1:] - 30]
    watts = (-np.diff(content["charge"]) / 100 * capacity * 3600)[still]
    np.testing.assert_allclose(watts, 250 * np.round(watts / 250), atol=1)
    assert len(np.unique(np.round(watts))) > 2


def test_the_network_is_kept(content):
    network = zlib.decompress(content["network"].tobytes())
    assert hashlib.sha256(network).hexdigest() == str(content["network_sha256"])
    assert b"<net " in network
    assert b"<!--" not in network
    assert content["street_starts"][-1] == len(content["street_points"])
    assert set(np.round(content["street_speed"] * 3.6)) == {30, 50, 60, 90}


def test_trip_figure(content):
    figure = trip(content, 33, "title")
    assert "VW e-up! (private), vehicle 33" in figure.get_suptitle()
    with pytest.raises(UserError, match="vehicle 3 is not in this region; its vehicles are 30"):
        trip(content, 3, "title")


def test_perfect_thermometers_make_the_charge_easier():
    """As the ledger says (`sumo-sensors`); charge falls with a temperature that falls steadily."""
    steps = np.arange(3000)
    region = region_of([3000])
    region["speed"] = np.full(3000, 10.0)  # a clock, too, in region_of
    region["temperature"] = (15 - steps / 300).astype(np.float32)
    region["charge"] = (90 - steps / 50).astype(np.float32)
    perfect, noisy = (own_errors(cut_windows([region], kind)) for kind in ("none", "noisy"))
    assert perfect.shape == (1,)
    assert perfect[0] < 0.9 * noisy[0]
    with pytest.raises(UserError, match="vehicle 99 is in none of the regions"):
        thermometer([region], 99, "title")
