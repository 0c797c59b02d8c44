"""Records of runs, and what a cell of a table came from."""

import json
import subprocess
from argparse import Namespace
from pathlib import Path

import explain_cell
import pandas as pd
import pytest
from test_paper import PUBLISHED, SPEC, scores

from fedreact import provenance
from fedreact.errors import UserError
from fedreact.paper import cells, origins
from fedreact.workflow.digest import WITHOUT_EFFECT, reached


@pytest.fixture
def told(tmp_path, monkeypatch):
    """The current folder is empty, and the workflow has told what to record."""
    monkeypatch.chdir(tmp_path)
    told = {"results": "results/quick", "config": {"scale": "quick"}, "code": {"s.py": "abc"}}
    monkeypatch.setenv(provenance.TOLD, json.dumps(told))
    monkeypatch.setattr("sys.argv", ["s.py", "--seed", "3"])
    return Path("results/quick")


def record(output, inputs=(), succeeds=True, **options):
    """Run a command that writes its inputs' names to its output."""
    args = Namespace(output=Path(output), data=[Path(p) for p in inputs], **options)
    recording, written = provenance.Recording(args), []
    if succeeds:
        args.output.parent.mkdir(parents=True, exist_ok=True)
        args.output.write_text(" ".join(map(str, inputs)))
        written = [args.output]
    recording.end(written=written)


def test_a_record_says_what_was_read_written_and_taken(told):
    Path("raw.txt").write_text("raw")
    record(told / "a/seed3.csv", ["raw.txt"], seed=3, rounds=None)
    found = provenance.read_record(told, told / "a/seed3.csv")
    assert found["command"] == "python s.py --seed 3"
    assert found["options"] == {"seed": 3}
    assert found["code"] == "abc"
    assert found["inputs"]["raw.txt"] == {"sha256": provenance.sha256(Path("raw.txt")), "bytes": 3}
    assert list(found["outputs"]) == ["results/quick/a/seed3.csv"]
    (attempt,) = found["attempts"]
    assert attempt["ended"] >= attempt["started"]
    assert attempt["cpu_seconds"] > 0
    assert attempt["memory_mb"] > 1
    assert found["machine"]["cores"] >= 1


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
    assert found["attempts"][0]["ended"]


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


def test_forms_of_a_table_share_a_record():
    results = Path("results/quick")
    names = ("table05.csv", "table05.md", "table05.provenance.json")
    files = {provenance.record_file(results, results / "tables" / name) for name in names}
    assert files == {results / "provenance/tables/table05.json"}


def test_commits_and_changed_files(told):
    assert provenance.commit() is None
    git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
    for words in (["init", "-q"], ["commit", "-qm", "m", "--allow-empty"]):
        subprocess.run([*git, *words], check=True)
    assert provenance.commit()["changed"] == []
    Path("new.py").write_text("")
    found = provenance.commit()
    assert len(found["id"]) == 40
    assert found["changed"] == ["new.py"]


def test_no_code_digest_counts_the_recording():
    assert all(path.is_file() for path in WITHOUT_EFFECT)
    assert not reached(Path("scripts/train_encoder.py")) & WITHOUT_EFFECT
    assert Path("src/fedreact/paper/origins.py") in reached(Path("scripts/make_table.py"))


@pytest.fixture
def table(told):
    """Origins of a table of two settings and three seeds; one run has no record."""
    lines = scores("pendigits")
    lines["file"] = [f"{told}/rounds/{s}/seed{n}.csv" for s, n in zip(lines.setting, lines.seed)]
    Path("raw.txt").write_text("raw")
    record(told / "data/d.npz", ["raw.txt"])
    for path in dict.fromkeys(lines["file"]):
        record(path, [told / "data/d.npz"], seed=int(path[-5]), rounds=60)
    provenance.record_file(told, told / "rounds/s10/seed2.csv").unlink()
    found = cells.build("t", SPEC, PUBLISHED, lines, ["fewer rounds"])
    csv = told / "tables/t.csv"
    csv.parent.mkdir()
    found.to_csv(csv)
    made = origins.origins("t", found, PUBLISHED, "p.yaml", csv, SPEC, lines, ["fewer rounds"])
    return json.loads(json.dumps(made))


def test_a_cell_names_its_runs_seeds_and_published_value(table):
    cell = origins.find(table["cells"], "10 clients", "a1")
    assert (cell["setting"], cell["method"], cell["metric"]) == ("s10", "a1", "accuracy")
    assert cell["runs"] == [f"results/quick/rounds/s10/seed{seed}.csv" for seed in (0, 1, 2)]
    assert cell["values"] == {"0": 0.89, "1": 0.9, "2": 0.91}
    place = {"row": "RTD - 10 clients", "column": "A1", "file": "p.yaml"}
    assert cell["published"] == {"value": 0.9, "source": "Paper, Table 5", **place}
    assert cell["why_not"] == ["the data is pendigits, the paper's is rtd", "fewer rounds"]
    assert len(table["cells"]) == 8
    assert len(table["records"]) == 7
    assert table["records"]["results/quick/rounds/s10/seed2.csv"] is None


def test_a_published_row_that_stands_alone_has_no_runs(table):
    lost = PUBLISHED | {"rows": {}, "unlabelled": [[0.9, 0.75, 0.701]]}
    lines = scores().assign(file="f.csv")
    found = cells.build("t", SPEC, lost, lines, [])
    csv = Path(table["csv"]["path"])
    made = origins.origins("t", found, lost, "p.yaml", csv, SPEC, lines)
    cell = origins.find(made["cells"], "label lost", "IFCA")
    assert cell["published"]["value"] == 0.701
    text = "\n".join(origins.describe(origins.part(made, cell)))
    assert "lacks the labels" in text
    assert "no record" in text


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ("rtd", "A1", "row 'rtd' fits several: RTD - 10 clients; RTD & more"),
        ("RTD - 10", "A2", "column 'A2' is unknown; known: A1; SC"),
    ],
)
def test_labels_that_fit_none_or_several_list_the_candidates(table, row, column, message):
    with pytest.raises(UserError) as caught:
        origins.find(table["cells"], row, column)
    assert str(caught.value) == message


def test_a_table_without_its_origins_says_how_to_get_them(table):
    csv = Path(table["csv"]["path"])
    with pytest.raises(UserError, match=r"make it again: snakemake --force results/quick/tables/t"):
        explain_cell.read(csv)
    with pytest.raises(UserError, match="no such file"):
        explain_cell.read(csv.with_name("u.csv"))


def test_a_whole_label_goes_before_a_part_of_another(table):
    lines = [{"row": "C = 1", "column": "x"}, {"row": "C = 10", "column": "x"}]
    assert origins.find(lines, "c = 1", "x") == lines[0]


def test_people_read_what_was_run_and_what_has_changed(table):
    origin = origins.part(table, origins.find(table["cells"], "10 clients", "SC", "accuracy"))
    made = provenance.read_record(Path("results/quick"), Path("results/quick/data/d.npz"))

    def is_now(path, digest):
        return path != "raw.txt"

    lines = origins.describe(origin, made, is_now, lambda script: "def")
    text = "\n".join(lines)
    assert "published   0.75, Paper, Table 5" in text
    assert "rounds/s10/seed2.csv  no record" in text
    assert "rounds/s100" not in text
    assert "code abc (changed since), no git commit" in text
    assert "options   rounds 60" in text
    assert "read      raw.txt" in text
    assert text.count("changed since") == 5  # the code of three steps, the raw file of two
    again = "snakemake results/quick/tables/t.csv --cores 1 --config scale=quick --forcerun"
    assert lines[-1] == f"rebuild     {again} {' '.join(origin['cell']['runs'])}"


def test_a_table_that_is_computed_needs_no_scores(told):
    csv = told / "tables/t.csv"
    csv.parent.mkdir(parents=True)
    csv.write_text("")
    line = ["t", "FLOPs", "LSTM", "costs", "computed", 3.0, None, None, 1, 2.0, 1.0, "differs"]
    found = pd.DataFrame([line], columns=cells.COLUMNS)
    made = origins.origins("t", found, PUBLISHED, "p.yaml", csv)
    cell = origins.find(made["cells"], "flops", "lstm")
    assert origins.rebuild(made, cell).endswith(f"--forcerun {csv}")
    assert "verdict     differs" in "\n".join(origins.describe(origins.part(made, cell)))
