"""Records of runs: what was read, written and taken, and by which code."""

import errno
import json
import platform
import subprocess
from argparse import Namespace
from pathlib import Path
from unittest.mock import Mock

import pytest
from helpers import BASE, ROOT, command
from small_records import SCRIPT, forget_code, record, start, tell

from fedreact import plugins, provenance
from fedreact.atomic import write_text
from fedreact.cli import explaining
from fedreact.digest import WITHOUT_EFFECT, code_digest, reached
from fedreact.resolve.plan import Plan


@pytest.fixture
def told(tmp_path, monkeypatch):
    """The current folder is empty but for a script, and the workflow has told what to record."""
    return tell(monkeypatch, tmp_path)


def test_a_record_says_what_was_read_written_and_taken(told):
    Path("raw.txt").write_text("raw")
    record(told / "a/seed3.csv", ["raw.txt"], seed=3, rounds=None)
    found = provenance.read_record(told, told / "a/seed3.csv")
    assert found["command"] == "python s.py --seed 3"
    assert found["script"] == "s.py"
    assert found["options"] == {"seed": 3}
    assert found["config"] == {"scale": "quick"}
    assert found["inputs"]["raw.txt"] == {"sha256": provenance.sha256(Path("raw.txt")), "bytes": 3}
    assert list(found["outputs"]) == ["results/quick/a/seed3.csv"]
    (attempt,) = found["attempts"]
    assert attempt["ended"] >= attempt["started"]
    assert attempt["cpu_seconds"] > 0
    assert attempt["memory_mb"] > 1
    assert found["machine"]["cores"] >= 1
    assert "gflops" not in found


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("fpu avx avx2 fma", "AMD EPYC (family 25, model 1, AVX2)"),
        ("fpu avx avx2 avx512f", "AMD EPYC (family 25, model 1, AVX-512)"),
        ("fpu", "AMD EPYC (family 25, model 1)"),
    ],
)
def test_processors_of_one_name_are_told_apart(flags, expected):
    """Their sums differ in the last bits, and training makes more of it."""
    cpuinfo = "processor : 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n"
    assert provenance.processor(f"{cpuinfo}flags\t: {flags}\n\nmodel name : other") == expected


def test_a_system_that_says_nothing_of_its_processor_has_its_architecture():
    assert provenance.processor("") == platform.machine()


def test_what_a_command_notes_is_recorded(told):
    """Files that no option names, several outputs, and how much work it was."""
    Path("raw.txt").write_text("raw")
    recording = start(told / "a/seed3.csv")
    provenance.note_read(Path("raw.txt"))
    provenance.note_work(12.5)
    for name in ("seed3.csv", "other.csv", "cache.tmp"):
        write_text(told / "a" / name, name)
    (told / "a/cache.tmp").unlink()
    recording.end()
    found = provenance.read_record(told, told / "a/seed3.csv")
    assert list(found["inputs"]) == ["raw.txt"]
    assert list(found["outputs"]) == [f"results/quick/a/{n}.csv" for n in ("seed3", "other")]
    assert found["gflops"] == 12.5
    assert provenance.read_record(told, told / "a/other.csv") == found


def test_a_training_that_was_cut_off_and_resumed_has_two_attempts(told):
    output = told / "a/seed0.csv"
    provenance.Recording(Namespace(output=output))  # killed: it never ends
    assert provenance.read_record(told, output)["attempts"][0]["ended"] is None
    record(output)
    assert len(provenance.read_record(told, output)["attempts"]) == 2
    record(output)  # made anew, of a whole one
    assert len(provenance.read_record(told, output)["attempts"]) == 1


def test_a_failed_command_has_no_outputs(told):
    record(told / "a/seed0.csv", succeeds=False)
    found = provenance.read_record(told, told / "a/seed0.csv")
    assert "outputs" not in found
    assert "code" not in found
    assert found["attempts"][0]["ended"]


def test_a_command_that_fails_after_it_has_written_has_no_outputs(told):
    recording = start(told / "a/seed0.csv")
    write_text(told / "a/seed0.csv", "half of it")
    recording.end(succeeded=False)
    assert "outputs" not in provenance.read_record(told, told / "a/seed0.csv")


@pytest.mark.parametrize("output", ["elsewhere.csv", "results/smoke/a.csv"])
def test_only_what_the_workflow_makes_is_recorded(told, output):
    record(output)
    assert not list(Path().rglob("*.json"))


def test_without_the_workflow_nothing_is_recorded(told, monkeypatch):
    monkeypatch.delenv(provenance.TOLD)
    record(told / "a.csv")
    assert not list(Path().rglob("*.json"))


def test_a_record_that_cannot_be_written_stops_nothing(told):
    told.mkdir(parents=True)
    (told / "provenance").write_text("in the way")
    record(told / "a.csv")
    assert (told / "a.csv").exists()
    assert provenance.read_record(told, told / "a.csv") is None


def test_a_full_disk_leaves_no_part_of_a_record(told, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "replace", Mock(side_effect=full))
    recording = start(told / "a/seed3.csv")
    recording.end(succeeded=False)
    assert [path for path in told.rglob("*") if path.is_file()] == []


def test_forms_of_a_table_share_a_record():
    results = Path("results/quick")
    names = ("table05.csv", "table05.md", "table05.provenance.json")
    files = {provenance.record_file(results, results / "tables" / name) for name in names}
    assert files == {results / "provenance/tables/table05.json"}


def test_commits_and_changed_files(told):
    SCRIPT.unlink()
    assert provenance.commit() is None
    git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["commit", "-qm", "m", "--allow-empty"]):
        subprocess.run([*git, *words], check=True)
    assert provenance.commit()["changed"] == []
    Path("new.py").write_text("")
    found = provenance.commit()
    assert len(found["id"]) == 40
    assert found["changed"] == ["new.py"]
    for folder in ("docs", "reference", "results"):  # no job reads them
        Path(folder).mkdir()
        Path(folder, "new.md").touch()
    assert provenance.commit()["changed"] == ["new.py"]


# ---- Code ----------------------------------------------------------------------------------------


@pytest.fixture
def plugin(told, monkeypatch):
    """A plug-in of one's own that the command loads before it ends."""
    path = Path("own/metrics/mine.py")
    path.parent.mkdir(parents=True)
    path.write_text("METRIC = 1\n")
    recording = start(told / "a.csv")
    monkeypatch.setattr(plugins, "loaded", [path])
    write_text(told / "a.csv", "")
    recording.end()
    return path


def test_code_is_that_of_the_script_and_of_the_plugins_that_were_loaded(told, plugin):
    found = provenance.read_record(told, told / "a.csv")
    assert found["plugins"] == [str(plugin)]
    assert found["code"] == code_digest(SCRIPT, plugin)
    assert found["code"] != code_digest(SCRIPT)
    assert explaining.code_now(found) == found["code"]


@pytest.mark.parametrize("edited", ["script", "plugin"])
def test_code_has_changed_if_script_or_plugin_has_but_not_by_a_comment(told, plugin, edited):
    found = provenance.read_record(told, told / "a.csv")
    path = {"script": SCRIPT, "plugin": plugin}[edited]
    before = path.read_text()
    path.write_text(f'"""What it is for."""\n\n{before}  # and why\n')
    forget_code()
    assert explaining.code_now(found) == found["code"]
    path.write_text(before.replace("1", "2"))
    forget_code()
    assert explaining.code_now(found) not in (found["code"], None)
    path.unlink()
    forget_code()
    assert explaining.code_now(found) is None


def test_a_command_whose_script_is_no_file_has_no_digest(told, monkeypatch):
    monkeypatch.setattr("sys.argv", ["-c"])
    record(told / "a.csv")
    found = provenance.read_record(told, told / "a.csv")
    assert (found["code"], found["plugins"]) == (None, [])


def test_plugins_of_the_project_are_named_as_the_workflow_names_them(monkeypatch):
    file = plugins.find("metrics", "rmse", "METRIC")
    assert plugins.source_file(file) == Path("src/fedreact/metrics/rmse.py")
    monkeypatch.setattr(plugins, "loaded", [file, file])
    monkeypatch.chdir(ROOT)
    recording = Namespace(record={"script": "scripts/make_table.py"})
    named = ["src/fedreact/metrics/rmse.py"]
    found = provenance.Recording._code(recording)
    assert found == {"plugins": named, "code": code_digest("scripts/make_table.py", Path(*named))}


def test_a_command_records_the_code_that_the_workflow_counts(project):
    """What Snakemake re-runs a step for, and what its record names, are the same."""
    forget_code()
    plan = Plan(BASE | {"scale": "smoke", "dataset": "air-writing-sim", "eeg_dataset": "eeg-sim"})
    output = plan.files.study("communication")
    env = {provenance.TOLD: json.dumps({"results": plan.results, "config": {}})}
    job = plan.job("study", study="communication")
    words = ["scripts/study.py", *job.words, "--output", output]
    printed, status = command("python", *words, cwd=project, env=env)
    assert status == 0, printed
    found = provenance.read_record(Path(plan.results), Path(output))
    assert {
        "src/fedreact/studies/communication.py",
        "src/fedreact/models/architectures/lstm.py",
        "src/fedreact/models/encoders/table12.py",
    } < set(found["plugins"])
    assert found["code"] == job.code
    assert explaining.code_now(found) == found["code"]


def test_no_code_digest_counts_the_recording(monkeypatch):
    monkeypatch.chdir(ROOT)
    forget_code()
    assert all(path.is_file() for path in WITHOUT_EFFECT)
    assert not reached(Path("scripts/train_encoder.py")) & WITHOUT_EFFECT
    assert Path("src/fedreact/tables/origins.py") in reached(Path("scripts/make_table.py"))
