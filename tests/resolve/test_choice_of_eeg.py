"""Which dataset stands for the role of EEG."""

from dataclasses import replace

import pytest
from helpers import ROOT

from fedreact.data import files
from fedreact.data.registry import load_registry
from fedreact.errors import UserError
from fedreact.resolve.datasets import Datasets

REGISTRY = load_registry(ROOT / "config" / "datasets.yaml")
FILES = ["S001/S001R04.edf", "S002/S002R04.edf"]


def test_recordings_if_they_can_be_had_else_the_simulator(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(files, "reachable", lambda url: asked.append(url))
    entry = replace(REGISTRY["eegmmidb"], scales={"two": {"subjects": [1, 2], "runs": [4]}})
    registry = REGISTRY | {"eegmmidb": entry}

    def choose(name="auto", mirrors=(), prepared=()):
        where = (tmp_path / "data", mirrors, set(prepared))
        return Datasets(registry, {"eeg": name}, "two", None, *where).of_role("eeg")

    assert choose("eegmmidb") == "eegmmidb"
    assert choose("eeg-sim") == "eeg-sim"
    assert not asked
    assert choose() == "eeg-sim"
    assert asked == ["https://physionet.org/files/eegmmidb/1.0.0/S001/S001R04.edf"]
    assert choose(prepared=["eeg-sim", "pendigits"]) == "eeg-sim"
    assert choose(prepared=["eegmmidb"]) == "eegmmidb"
    monkeypatch.setattr(files, "reachable", lambda url: True)
    assert choose() == "eegmmidb"
    monkeypatch.setattr(files, "reachable", lambda url: False)
    for folder, file in zip(("mirror", "data"), FILES):
        path = tmp_path / folder / "eegmmidb" / file
        path.parent.mkdir(parents=True)
        path.touch()
    assert choose() == "eeg-sim"  # the second person's is missing without the mirror
    assert choose(mirrors=[tmp_path / "none", tmp_path / "mirror"]) == "eegmmidb"
    with pytest.raises(UserError, match="dataset of eeg: 'egg' is unknown; known: rtd, sheff"):
        choose("egg")
