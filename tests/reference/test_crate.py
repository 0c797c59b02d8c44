"""A run as an RO-Crate: what the profile Workflow Run Crate 0.5 demands, and what is in it."""

import json
import shutil
import subprocess
from zipfile import ZipFile

import pytest
from bad_input import call
from helpers import ROOT
from small_records import record, tell

rocrate = pytest.importorskip("rocrate", reason="needs rocrate: make setup")


@pytest.fixture
def results(monkeypatch, tmp_path):
    """A table and a figure of a run on prepared data, in a folder with the project's workflow."""
    folder = tell(monkeypatch, tmp_path)
    shutil.copytree(ROOT / "workflow", "workflow")
    shutil.copy(ROOT / "requirements.txt", ".")
    (tmp_path / "config").mkdir()
    lists = (ROOT / "config").glob("*.sha256")
    for path in (ROOT / "config/config.yaml", ROOT / "config/datasets.yaml", *lists):
        shutil.copy(path, "config")
    (tmp_path / "config/tables.yaml").write_text("table05: {}\n")
    (tmp_path / "pen.tra").write_text("1 2\n")
    record(data := folder / "data/pendigits.npz", ["pen.tra"], dataset="pendigits")
    record(run := folder / "runs/seed0.csv", [data])
    record(folder / "tables/table05.csv", [run, "config/tables.yaml"])
    record(folder / "figures/fig05.png", [run])
    record(folder / "tables/table06.csv", [run], succeeds=False)
    return folder


def export(results, *words):
    """Export a run; entities of the crate by their ids, and the names of its files."""
    output = results.parent / "run.zip"
    status, printed = call("export_crate.py", str(results), "--output", str(output), *words)
    assert status == 0, printed
    with ZipFile(output) as file:
        graph = json.loads(file.read("ro-crate-metadata.json"))["@graph"]
        return {entity["@id"]: entity for entity in graph}, file.namelist()


def ids(value):
    return [entity["@id"] for entity in (value if isinstance(value, list) else [value])]


def test_what_the_profile_demands(results):
    """The musts of RO-Crate 1.1, Workflow RO-Crate 1.0 and Workflow Run Crate 0.5."""
    entities, files = export(results)
    root, descriptor = entities["./"], entities["ro-crate-metadata.json"]
    assert ids(descriptor["about"]) == ["./"]
    assert "https://w3id.org/ro/crate/1.1" in ids(descriptor["conformsTo"])
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    profiles = [entities[id_] for id_ in ids(root["conformsTo"])]
    assert {(entity["@type"], entity["name"], entity["version"]) for entity in profiles} == {
        ("CreativeWork", "Process Run Crate", "0.5"),
        ("CreativeWork", "Workflow Run Crate", "0.5"),
        ("CreativeWork", "Workflow RO-Crate", "1.0"),
    }
    workflow = entities[root["mainEntity"]["@id"]]
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert entities[workflow["programmingLanguage"]["@id"]]["@type"] == "ComputerLanguage"
    (action,) = [entities[id_] for id_ in ids(root["mentions"])]
    assert action["@type"] == "CreateAction"
    assert ids(action["instrument"]) == [workflow["@id"]]
    assert action["startTime"] <= action["endTime"] == root["datePublished"]
    slots = [entities[id_] for id_ in ids(workflow["input"])]
    assert {(slot["@type"], slot["additionalType"]) for slot in slots} == {
        ("FormalParameter", "Text")
    }
    used = [entities[id_] for id_ in ids(action["object"])]
    choices = [entity for entity in used if entity["@type"] == "PropertyValue"]
    realised = [entity["exampleOfWork"]["@id"] for entity in choices]
    assert sorted(realised) == sorted(ids(workflow["input"]))
    data = [id_ for id_, entity in entities.items() if {"File", "Dataset"} & set(types(entity))]
    assert sorted(data) == sorted(["./", *ids(root["hasPart"])])
    assert {id_ for id_ in data if ":" not in id_} - {"./"} <= set(files)


def types(entity):
    return entity["@type"] if isinstance(entity["@type"], list) else [entity["@type"]]


def test_what_is_in_a_crate(results):
    entities, files = export(results, "--agent", "0000-0002-1825-0097", "Josiah Carberry")
    action = entities["#run-quick"]
    made = ["results/quick/figures/fig05.png", "results/quick/tables/table05.csv"]
    assert ids(action["result"]) == made
    assert entities[made[1]]["sha256"] in (results / "provenance/tables/table05.json").read_text()
    read = [entities[id_] for id_ in ids(action["object"])]
    assert [(entity["name"], entity["@type"]) for entity in read] == [
        ("tables.yaml", "File"),
        ("Pendigits, original trajectories of digits written on a tablet", "Dataset"),
        ("scale", "PropertyValue"),
    ]
    assert read[1]["conditionsOfAccess"] == "CC BY 4.0"
    assert read[2]["value"] == "quick"
    assert entities[action["agent"]["@id"]]["name"] == "Josiah Carberry"
    assert "results/quick/provenance/runs/seed0.json" in files
    assert not any("pen.tra" in name or name.startswith("results/quick/data") for name in files)


def test_configuration_that_has_changed_since_is_left_out(results):
    (results.parent.parent / "config/tables.yaml").write_text("table05: {metrics: [rand]}\n")
    assert "config/tables.yaml" not in export(results)[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "tables/table05.csv").write_text("0.9\n"), "has changed since"),
        (lambda folder: shutil.rmtree(folder / "provenance"), "no results with a record there"),
    ],
)
def test_a_run_that_its_records_do_not_explain_is_refused(results, change, words):
    change(results)
    output = results.parent / "run.zip"
    status, printed = call("export_crate.py", str(results), "--output", str(output))
    assert status == 2
    assert words in printed
    assert not output.exists()


def test_the_validator_agrees(results):
    """Where it is installed, and its cache is filled: `rocrate-validator cache warm`."""
    validator = shutil.which("rocrate-validator")
    if validator is None:
        pytest.skip("needs roc-validator")
    export(results)
    words = ["-y", "validate", "--offline", "--no-paging", "-p", "workflow-run-crate"]
    done = subprocess.run(
        [validator, *words, str(results.parent / "run.zip")], capture_output=True, text=True
    )
    if "not available in the HTTP cache" in " ".join(done.stdout.split()):
        pytest.skip("the cache of roc-validator is empty: rocrate-validator cache warm")
    assert done.returncode == 0, done.stdout
