"""Making a dataset ready: its raw files are found, downloaded, checked, read."""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT

from fedreact import plugins
from fedreact.data import files, prepare
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DataFile, DatasetEntry, load_registry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.task import Task

TASK = Task("classification", 2, 1, 3)
URL = "https://example.org/b.csv"
ENTRY = DatasetEntry(
    *("Waves", "none", TASK),
    mirror="waves-copy",
    files={"a": DataFile(("a.csv", "a.txt"), None), "b": DataFile(("b.csv",), URL, "5" * 64)},
    steps="ask for a.csv",
    name="waves",
)


@dataclass(frozen=True)
class Waves(Source):
    """Reads one series of each raw file: its label is the file's content."""

    only: str | None = None

    def wanted(self, entry):
        files = {name: f for name, f in entry.files.items() if self.only in (None, name)}
        return replace(entry, files=files)

    def read(self, raw, entry):
        assert not entry.files or raw.keys() == entry.files.keys()
        y = [path.read_text() for path in raw.values()] or ["0", "1"]
        if "broken" in y:
            raise UserError("waves: line 7 is broken")
        X = np.zeros((len(y), 1, 3), np.float32)
        return SeriesDataset("waves", X, np.full(len(y), 3), np.array(y, int))


@pytest.fixture(autouse=True)
def digests(monkeypatch):
    """Of files, all the same, but of one that says to be another's."""
    monkeypatch.setattr(
        files, "_sha256", lambda path: ("6" if path.read_text() == "another" else "5") * 64
    )


@pytest.fixture
def noted(monkeypatch):
    """Files that the record of the run says were read."""
    found = []
    monkeypatch.setattr(prepare.provenance, "note_read", lambda *paths: found.extend(paths))
    return found


def place(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def test_files_of_the_data_folder_and_of_the_mirror_are_read(tmp_path, noted, caplog):
    caplog.set_level(logging.INFO)
    data, mirror = tmp_path / "data", tmp_path / "mirror"
    a = place(data / "waves" / "a.txt", "1")
    b = place(mirror / "waves-copy" / "b.csv", "0")
    assert prepare.read(Waves(), ENTRY, data, [mirror], []).y.tolist() == [1, 0]
    assert noted == [a, b]
    assert caplog.messages == [f"reading {a}, {b}"]


def test_what_is_missing_is_downloaded_to_the_data_folder(tmp_path, noted, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    a = place(tmp_path / "waves" / "a.csv", "0")

    def download(url, destination, *, sha256, looked_in):
        assert (url, sha256) == (URL, "5" * 64)
        assert looked_in == [tmp_path / "waves"]
        place(destination, "1")

    monkeypatch.setattr(files, "download", download)
    assert prepare.read(Waves(), ENTRY, tmp_path, (), []).y.tolist() == [0, 1]
    b = tmp_path / "waves" / "b.csv"
    assert noted == [a, b]
    assert caplog.messages[0] == f"downloading {URL} (1 of 1)"
    monkeypatch.setattr(files, "download", None)  # it is there now
    assert prepare.read(Waves(), ENTRY, tmp_path, (), []).y.tolist() == [0, 1]


def test_what_a_person_must_fetch_is_said_before_anything_is_downloaded(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "download", None)
    wanted = (
        rf"^waves: a\.csv and b\.csv not found \(looked in {tmp_path}/waves/, one/waves-copy/, "
        rf"two/waves-copy/\); ask for a\.csv and put them into {tmp_path}/waves/$"
    )
    with pytest.raises(UserError, match=wanted):
        prepare.read(Waves(), ENTRY, tmp_path, [Path("one"), Path("two")], [])


def test_the_first_of_several_mirrors_that_has_a_file_is_read(tmp_path, noted):
    one, two = tmp_path / "one", tmp_path / "two"
    a = place(two / "waves-copy" / "a.csv", "1")
    b = place(one / "waves-copy" / "b.csv", "0")
    place(two / "waves-copy" / "b.csv", "1")
    assert prepare.read(Waves(), ENTRY, tmp_path, [one, two], []).y.tolist() == [1, 0]
    assert noted == [a, b]
    assert prepare.read(Waves(only="b"), ENTRY, tmp_path, [two, one], []).y.tolist() == [1]


def test_a_failed_download_says_all_places_where_the_file_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv("FEDREACT_OFFLINE", "1")
    wanted = (
        r"^https://example\.org/b\.csv: not downloaded, as FEDREACT_OFFLINE is set; place the file "
        rf".* \(looked in {tmp_path}/waves/, one/waves-copy/, two/waves-copy/\)$"
    )
    with pytest.raises(UserError, match=wanted):
        prepare.read(Waves(only="b"), ENTRY, tmp_path, [Path("one"), Path("two")], [])


def test_only_files_that_are_wanted_are_looked_for(tmp_path, noted):
    b = place(tmp_path / "waves" / "b.csv", "0")
    assert prepare.read(Waves(only="b"), ENTRY, tmp_path, (), []).y.tolist() == [0]
    assert noted == [b]


def test_another_file_than_the_registered_is_refused(tmp_path):
    place(tmp_path / "waves" / "a.csv", "0")
    b = place(tmp_path / "waves" / "b.csv", "another")
    with pytest.raises(UserError, match=rf"^{b}: not the registered file \(SHA-256 666"):
        prepare.read(Waves(), ENTRY, tmp_path, (), [])


REGISTRY = load_registry(
    ROOT / "config/datasets.yaml", *sorted(ROOT.glob("config/papers/*/datasets.yaml"))
)


@pytest.mark.parametrize(
    "name", [n for n, of in REGISTRY.items() if any(file.sha256 for file in of.files.values())]
)
def test_registered_files_are_checked_whatever_reads_them(name, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_sha256", lambda path: "0" * 64)
    source = plugins.load("data/sources", name, "SOURCE")()
    for file in source.wanted(REGISTRY[name]).files.values():
        place(tmp_path / name / file.names[0], "x")
    with pytest.raises(UserError, match=rf"^{tmp_path}/{name}/.*: not the registered file"):
        prepare.read(source, REGISTRY[name], tmp_path, (), [])


def test_a_damaged_file_is_named(tmp_path):
    paths = [
        place(tmp_path / "waves" / f"{n}.csv", text) for n, text in (("a", "broken"), ("b", "1"))
    ]
    with pytest.raises(UserError) as caught:
        prepare.read(Waves(), ENTRY, tmp_path, (), [])
    assert str(caught.value) == f"waves: line 7 is broken [in {paths[0]} and {paths[1]}]"


def test_of_many_files_the_reader_names_the_one_itself(tmp_path):
    many = {f"f{i}": DataFile((f"f{i}",), None) for i in range(5)}
    for name in many:
        place(tmp_path / "waves" / name, "broken")
    with pytest.raises(UserError, match=r"^waves: line 7 is broken$"):
        prepare.read(Waves(), replace(ENTRY, files=many), tmp_path, (), [])


def test_a_dataset_is_read_from_its_parts(tmp_path, noted):
    seen = []

    class InParts(Waves):
        parts = ("plain", "city")

        def read(self, raw, entry):
            seen.append(raw)
            return super().read(raw, entry)

    parts = [
        place(tmp_path / f"{town}.npz", text) for town, text in (("plain", "1"), ("city", "0"))
    ]
    entry = replace(ENTRY, files={})
    assert prepare.read(InParts(), entry, tmp_path, None, parts).y.tolist() == [1, 0]
    assert seen == [{"plain": parts[0], "city": parts[1]}]
    assert noted == []  # parts are inputs of the step, not raw files


def test_a_computed_dataset_needs_no_files(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    entry = replace(ENTRY, files={})
    assert prepare.read(Waves(), entry, tmp_path, (), []).y.tolist() == [0, 1]
    assert caplog.messages == []


def test_other_data_than_its_entry_says_is_told(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    entry = replace(ENTRY, files={}, task=replace(TASK, steps=4))
    prepare.read(Waves(), entry, tmp_path, (), [])
    assert caplog.messages == [f"waves is {TASK}, where its entry says {replace(TASK, steps=4)}"]


@pytest.mark.parametrize(
    ("arrays", "what"),
    [
        ({"y": np.arange(6) % 3}, "classification, 3 labels, no clients"),
        ({"y": np.eye(6) == 1, "client": np.arange(6) // 2}, "multi-label, 6 labels, 3 clients"),
        ({"y": np.ones((6, 2)), "client": np.zeros(6, int)}, "regression, 2 targets, 1 clients"),
    ],
)
def test_a_users_dataset(tmp_path, noted, caplog, arrays, what):
    caplog.set_level(logging.INFO)
    file = tmp_path / "own" / "mine.npz"
    file.parent.mkdir()
    np.savez(file, X=np.ones((6, 2, 5)), **arrays)
    data = prepare.read_own("mine", tmp_path)
    assert data.name == "mine"
    assert noted == [file]
    assert caplog.messages == [f"{file}: {what}"]


def test_a_users_dataset_that_is_not_there(tmp_path):
    place(tmp_path / "own" / "yours.npz", "")
    wanted = rf"^dataset 'mine' is unknown; known: yours; or place {tmp_path}/own/mine\.npz$"
    with pytest.raises(UserError, match=wanted):
        prepare.read_own("mine", tmp_path)
    with pytest.raises(UserError, match="known: none;"):
        prepare.read_own("mine", tmp_path / "nowhere")


def test_parts_must_be_those_of_the_source(tmp_path):
    entry = load_registry(ROOT / "config/datasets.yaml")["sumo-ev"]
    source = plugins.load("data/sources", "sumo-ev", "SOURCE")()
    for parts in ([], [tmp_path / "nowhere.npz"]):
        with pytest.raises(UserError, match=r"sumo-ev is made of [a-z, ]+, got .*prepare_part"):
            prepare.read(source, entry, tmp_path, None, parts)
