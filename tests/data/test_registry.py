"""The registry of datasets."""

import pytest
from helpers import ROOT

from fedreact import options, plugins
from fedreact.data import files
from fedreact.data.registry import DataFile, load_registry
from fedreact.data.sources import (
    air_digits,
    air_writing_sim,
    eeg_sim,
    eegmmidb,
    fsdd,
    pendigits,
    rtd,
    sheffield_air,
)
from fedreact.data.sumo import regions
from fedreact.errors import UserError
from fedreact.task import Task

FILE = ROOT / "config" / "datasets.yaml"
MODULES = (
    *(rtd, sheffield_air, pendigits, air_writing_sim, eegmmidb, eeg_sim),
    *(regions, air_digits, fsdd),
)
URL = "      url: null\n"
MIT = "  licence: MIT, as this project\n"


@pytest.fixture(scope="module")
def registry():
    return load_registry(FILE)


def test_it_names_the_datasets_and_what_their_readers_call_the_files(registry):
    assert list(registry) == [module.NAME for module in MODULES]
    of_papers = load_registry(FILE, *(ROOT / "config/papers").glob("*/datasets.yaml"))
    assert sorted(of_papers) == sorted(plugins.names("data/sources", "SOURCE"))
    for reader in (rtd, pendigits):
        parameters = reader.read.__annotations__
        entry = registry[reader.NAME]
        assert entry.name == reader.NAME
        assert entry.file == str(FILE)
        assert list(entry.files) == list(parameters)[:2]
        assert "sha256" in parameters
    assert registry["rtd"].content_sha256 is None
    assert registry["pendigits"].licence == "CC BY 4.0"
    assert registry["pendigits"].files["tes"].url.endswith("/pendigits/pendigits-orig.tes.Z")


def test_roles_and_tasks(registry):
    of = {"digits": MODULES[:4], "eeg": MODULES[4:6], "sumo": MODULES[6:7]}
    for role, modules in of.items():
        found = [name for name, entry in registry.items() if entry.role == role]
        assert found == [module.NAME for module in modules]
    assert registry["rtd"].task == Task("classification", 10, 3, 100)
    assert registry["eeg-sim"].task == registry["eegmmidb"].task
    assert registry["sumo-ev"].task == Task("regression", 1, 14, 100)


def test_what_is_taken_at_each_scale_are_options_of_the_reader(registry):
    for name, entry in registry.items():
        cls = plugins.load("data/sources", name, "SOURCE")
        assert "smoke" in entry.scales
        for scale, given in entry.scales.items():
            options.check(cls, given, f"{name} at {scale}")  # raises


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("licence: CC BY 4.0", "license: CC BY 4.0", r"\.pendigits: unknown key license; known"),
        ("  licence: CC BY 4.0\n", "", r"\.pendigits: licence is missing"),
        ("  title: Pendigits, orig", "  # Pendigits, orig", r"\.pendigits: title is missing"),
        ("kind: regression", "kind: regressn", r"\.sumo-ev: task\.kind: .*'regressn'"),
        ("outputs: 10", "outputs: ten", r"\.rtd: task\.outputs: expected int, got str"),
        ("outputs: 10, ", "", r"\.rtd: task: .*missing required field outputs"),
        ("role: digits", "role: 3", r"\.rtd: role: expected str"),
        ("      url: null\n", "", r"\.rtd: files.*: .*missing required field url"),
        ("{smoke: {per_label: 60}}", "{smoke: 3}", r"\.rtd: scales.*: expected object"),
        (MIT, f"{MIT}  files: [}}\n", r", line \d+: not YAML"),
        (
            "      url: null\n",
            "      url: null\n      sha265: x\n",
            r"\.rtd\.files\.features: unknown key sha265",
        ),
        ("steps: 100}", "steps: 100, rate: 3}", r"\.rtd\.task: unknown key rate"),
        ("outputs: 10", "outputs: 0", r"\.rtd: task\.outputs: expected int >= 1"),
        (
            "names: [features, features.pkl, features.pickle, features.p]",
            "names: []",
            r"\.rtd: files",
        ),
        (MIT, f"{MIT}  file: x\n", r"\.air-writing-sim: unknown key file"),
        (MIT, f"{MIT}  files: 3\n", r"\.air-writing-sim: files: expected object, got 3"),
        ("\nrtd:\n", "\n3:\n", r": the key 3 is not a text"),
        (None, "", r": wanted names and what they stand for, got None"),
        (None, "[1, 2]", r": wanted names and what they stand for, got \[1, 2\]"),
        (None, "rtd:", r"\.rtd: wanted keys \(title, .*\), got None"),
    ],
)
def test_a_wrong_registry_is_refused(good, bad, message, tmp_path):
    path, text = tmp_path / "datasets.yaml", FILE.read_text()
    assert good is None or good in text
    path.write_text(text.replace(good, bad, 1) if good else bad)
    with pytest.raises(UserError, match=rf"^[^\n]*datasets\.yaml{message}[^\n]*$"):
        load_registry(path)


def test_a_missing_registry_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"^[^\n]*none\.yaml: no such file$"):
        load_registry(tmp_path / "none.yaml")


WAVES = """\
waves:
  title: Waves
  licence: none
  task: {kind: multi-label, outputs: 2, channels: 1, steps: 8}
"""


def test_a_papers_registry_stands_beside_the_projects(registry, tmp_path):
    path = tmp_path / "datasets.yaml"
    path.write_text(WAVES)
    both = load_registry(FILE, path)
    assert list(both) == [*registry, "waves"]
    assert {name: both[name] for name in registry} == registry
    waves = both["waves"]
    assert (waves.name, waves.file) == ("waves", str(path))
    assert waves.task == Task("multi-label", 2, 1, 8)
    # What is not said.
    assert waves.role is waves.page is waves.mirror is waves.listed is waves.content_sha256 is None
    assert waves.files == waves.scales == {}
    assert load_registry() == {}


def test_two_registries_with_one_name_are_refused(tmp_path):
    path = tmp_path / "datasets.yaml"
    path.write_text(WAVES.replace("waves:", "rtd:"))
    with pytest.raises(UserError, match=r"^[^\n]*: rtd is in another registry, too; give it ano"):
        load_registry(FILE, path)
    with pytest.raises(UserError, match=rf"^{FILE}: rtd is in another registry"):
        load_registry(path, FILE)


def test_files_that_are_many_are_registered_in_a_list(tmp_path):
    digests = {f"S{i}/a{i}.edf": f"{i:064x}" for i in range(3)}
    path = tmp_path / "datasets.yaml"
    path.write_text(f"{WAVES}  listed: {{url: https://example.org/x, sha256: list}}\n")
    listed = tmp_path / "list"
    listed.write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    whole = load_registry(path)["waves"]
    assert whole.listed.sha256 == digests
    assert "0000" not in repr(whole)  # the digests would fill pages of Snakemake's records
    some = whole.only(["S1/a1.edf", "S2/a2.edf"])
    url = "https://example.org/x/S1/a1.edf"
    assert some.listed is None
    assert some.files["S1/a1.edf"] == DataFile(("S1/a1.edf",), url, f"{1:064x}")
    data = tmp_path / "data"
    placed = data / "waves" / "S1" / "a1.edf"
    placed.parent.mkdir(parents=True)
    placed.touch()
    assert files.locate(some, data) is None
    assert files.locate(whole.only(["S1/a1.edf"]), data) == {"S1/a1.edf": placed}
    with pytest.raises(UserError, match=r"S7/a7\.edf is not in the list"):
        whole.only(["S7/a7.edf"])
    path.write_text(path.read_text().replace("https://example.org/x", "null"))  # placed by hand
    by_hand = load_registry(path)["waves"].only(["S1/a1.edf"])
    assert by_hand.files == {"S1/a1.edf": DataFile(("S1/a1.edf",), None, f"{1:064x}")}
    for wrong in ("abc S0/a0.edf\n", f"{0:064x}\n", "\n"):
        listed.write_text(f"{1:064x} S1/a1.edf\n{wrong}")
        with pytest.raises(UserError, match=r"list: line 2 is not a SHA-256 and a path$"):
            load_registry(path)
    listed.unlink()
    with pytest.raises(UserError, match=r"^[^\n]*list: no list of files[^\n]*$"):
        load_registry(path)


def test_listed_files_need_a_list(registry):
    with pytest.raises(UserError, match=r"pendigits: its entry in .*yaml has no list of files"):
        registry["pendigits"].only(["a"])
