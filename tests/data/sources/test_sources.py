"""Each source reads what its entry in the registry says that its task is."""

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from helpers import MIRRORS, ROOT
from towns import region_of

from fedreact import npz, options, plugins
from fedreact.data import prepare
from fedreact.data.files import locate
from fedreact.data.registry import load_registry
from fedreact.data.sources.contract import Source
from fedreact.data.sources.rtd import check_whole
from fedreact.data.sumo.regions import REGIONS
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "datasets.yaml")
SIMULATED = {
    "air-writing-sim": {"per_label": 3},
    "eeg-sim": {"n_subjects": 1, "n_trials": 3},
}


def source(name, **given):
    return options.check(plugins.load("data/sources", name, "SOURCE"), given, name)


def read(name, folder, parts=(), **given):
    return prepare.read(source(name, **given), REGISTRY[name], folder, (), list(parts))


@pytest.mark.parametrize("name", plugins.names("data/sources", "SOURCE"))
def test_a_source_of_parts_makes_them(name):
    kind = plugins.load("data/sources", name, "SOURCE")
    assert bool(kind.parts) == (kind.make is not Source.make)


@pytest.mark.parametrize("name", REGISTRY)
def test_a_source_is_options_that_need_not_be_given(name):
    made = source(name)
    assert isinstance(made, Source)
    assert is_dataclass(made)
    with pytest.raises(AttributeError):
        setattr(made, fields(made)[0].name, 1)
    helps = options.help_of(type(made))
    assert all(helps.get(option) for option in options.names(type(made)))


@pytest.mark.parametrize("name", SIMULATED)
def test_simulators(name, tmp_path):
    data = read(name, tmp_path, **SIMULATED[name])
    assert data.name == name
    assert data.task == REGISTRY[name].task
    assert not list(tmp_path.iterdir())


def test_simulators_follow_their_seed(tmp_path):
    one, again, other = (
        read("eeg-sim", tmp_path, seed=seed, **SIMULATED["eeg-sim"]) for seed in (0, 0, 1)
    )
    assert len(one.X) == 3 * 5
    assert np.array_equal(one.X, again.X)
    assert not np.array_equal(one.X, other.X)


def test_air_writing_is_thinned_out(tmp_path):
    data = read("air-writing-sim", tmp_path, per_label=3, seed=1)
    assert np.bincount(data.y).tolist() == [3] * 10


@pytest.mark.parametrize("name", ["pendigits", "eegmmidb"])
def test_recorded_data_of_the_mirror(name, tmp_path):
    given = REGISTRY[name].scales["smoke"]
    one = source(name, **given)
    if not locate(one.wanted(REGISTRY[name]), tmp_path, MIRRORS):
        pytest.skip(f"no mirror with {name}")
    data = prepare.read(one, REGISTRY[name], tmp_path, MIRRORS, [])
    assert data.name == name
    assert data.task == REGISTRY[name].task
    if name == "pendigits":
        assert np.bincount(data.y).tolist() == [given["per_label"]] * 10
    else:
        assert set(data.owner) == set(given["subjects"])
    assert not list(tmp_path.iterdir())


def rtd(folder, per_digit=1900):
    """Files of the form of RTD: digits of three steps."""
    features = [[1.0, 2, 3, 2, 4, 6, 3, 6, 9 + i % 2] for i in range(10 * per_digit)]
    (folder / "rtd").mkdir(exist_ok=True)
    (folder / "rtd" / "features.pkl").write_bytes(pickle.dumps(features))
    labels = np.repeat(np.arange(10), per_digit)
    (folder / "rtd" / "labels").write_bytes(pickle.dumps(labels))


def test_rtd_must_be_whole(tmp_path, caplog):
    rtd(tmp_path)
    with caplog.at_level("INFO", logger="fedreact"):
        data = read("rtd", tmp_path, per_label=2)
    assert "rtd: the steps of `features` are triples (x, y, z)" in caplog.text
    assert data.task == REGISTRY["rtd"].task
    assert np.bincount(data.y).tolist() == [2] * 10
    assert data.lengths.tolist() == [3] * 20
    check_whole(read("rtd", tmp_path))
    rtd(tmp_path, per_digit=1899)
    wanted = (
        r"^rtd: 18990 samples, of one digit only 1899; RTD has 2,000 of each.* \[in .*labels\]$"
    )
    with pytest.raises(UserError, match=wanted):
        read("rtd", tmp_path, per_label=2)


def test_vehicles_of_all_parts(tmp_path):
    towns = [region_of([120, 100], first=2)] + [region_of([140], first=n) for n in (4, 5, 6, 7)]
    parts = [tmp_path / f"{name}.npz" for name in REGIONS]
    for path, town in zip(parts, towns):
        npz.save(path, **town)
    assert source("sumo-ev").parts == tuple(REGIONS)
    data = read("sumo-ev", tmp_path, parts)
    assert data.name == "sumo-ev"
    assert data.task == REGISTRY["sumo-ev"].task
    assert data.owner.tolist()[:2] == [2, 2]
    # Its options are those of the windows.
    exact, other = (
        read("sumo-ev", tmp_path, parts, **given)
        for given in ({"thermometer": "none"}, {"seed": 1})
    )
    assert not np.array_equal(exact.X, data.X)
    assert not np.array_equal(other.X, data.X)
    assert np.array_equal(exact.y, data.y)
    with pytest.raises(UserError, match="thermometer: 'broken' is unknown; known: noisy, none"):
        source("sumo-ev", thermometer="broken")
    npz.save(parts[0], speed=np.zeros(3))
    with pytest.raises(UserError, match=rf"{parts[0]}: not a simulated region, it lacks latitude"):
        read("sumo-ev", tmp_path, parts)


def test_sources_without_parts_make_none():
    with pytest.raises(NotImplementedError):
        source("pendigits").make("city", lambda done, total: None)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("pendigits", {"per_label": 0}, "per_label: expected int >= 1, got 0"),
        ("rtd", {"seed": 1}, "unknown key seed; known keys: per_label"),
        ("air-writing-sim", {"seed": -1}, "seed: expected int >= 0, got -1"),
        ("eeg-sim", {"n_trials": 1.5}, "n_trials: expected int, got 1.5"),
        ("eegmmidb", {"subjects": ["S001"]}, r"subjects\[0\]: expected int, got str"),
        ("sumo-ev", {"share": 0}, "share: expected float > 0"),
        ("sumo-ev", {"share": 1.01}, "share: expected float <= 1"),
    ],
)
def test_options_out_of_bounds_are_one_line(name, given, words):
    with pytest.raises(UserError, match=rf"^{name}: [^\n]*{words}[^\n]*$"):
        source(name, **given)
