"""Real simulations, and what is said where the simulator is missing."""

import ctypes.util
import hashlib
import importlib.util
import subprocess
import sys
import zlib

import numpy as np
import pytest
from helpers import ROOT
from towns import needs_sumo, script, simulated

from fedreact import npz
from fedreact.data.registry import load_registry
from fedreact.data.sources.sumo_ev import SOURCE
from fedreact.data.sumo import install
from fedreact.data.sumo.regions import REGIONS
from fedreact.data.sumo.simulate import simulate
from fedreact.errors import UserError


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
        "import sys, fedreact.data.sumo.simulate, fedreact.data.sumo.windows;"
        "import fedreact.data.sources.sumo_ev;"
        "sys.exit(bool({'libsumo', 'sumo', 'traci'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_a_bad_share_is_one_line(tmp_path):
    words = ["--dataset", "sumo-ev", "--part", "city", "--options", "share=2"]
    done = script("prepare_part.py", *words, "--output", tmp_path / "x")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("error: sumo-ev: share")
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def valley(tmp_path_factory):
    """The file of a small simulation of one town."""
    needs_sumo()
    return simulated("valley", 0.001, tmp_path_factory.mktemp("sumo") / "valley.npz")


@pytest.fixture(scope="module")
def content(valley):
    return npz.load(valley, "simulated region", ["charge"])


@pytest.mark.campaign
def test_the_same_seed_gives_the_same_bytes(valley, tmp_path):
    again = simulated("valley", 0.001, tmp_path / "again.npz")
    assert again.read_bytes() == valley.read_bytes()


@pytest.mark.campaign
def test_a_bus_stops_again_on_each_of_its_rounds(tmp_path):
    # Eight goals a round: a simulation of several rounds is refused if SUMO drops a stop.
    needs_sumo()
    simulated("plain", 0.12, tmp_path / "plain.npz")


def test_every_vehicle_drives_20_windows_at_least(content, valley):
    assert np.bincount(content["vehicle"])[30:].tolist() == [100 + 19 * 20] * 10
    entry = load_registry(ROOT / "config" / "datasets.yaml")["sumo-ev"]
    data = SOURCE().read({"valley": valley}, entry)
    assert data.X.shape == (200, 14, 100)
    assert np.bincount(data.owner)[30:].tolist() == [20] * 10
    assert np.abs(data.X).max() < 10
    assert data.task == entry.task


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
