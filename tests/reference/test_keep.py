"""What is kept of a run, and what it took."""

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from helpers import ROOT
from PIL import Image
from small_records import record, tell

from fedreact.errors import UserError
from fedreact.provenance import record_file
from fedreact.reference import store
from fedreact.reference.keep import (
    DIFFERENCES,
    FINDINGS,
    RUN,
    account,
    keep,
    keep_alone,
    keep_multiverse,
    names,
    scale_then,
)
from fedreact.resolve.scales import PaperScale


def took(results, result, start, seconds, cpu):
    """Say of a result when it was made, and what that took."""
    path = record_file(results, result)
    content = json.loads(path.read_text())
    first = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=start)
    ended = first + timedelta(seconds=seconds)
    content["attempts"] = [
        {"started": first.isoformat(), "ended": ended.isoformat(), "cpu_seconds": cpu}
    ]
    content["command"] = str(result)
    path.write_text(json.dumps(content))


CELL = {"row": "a", "column": "b", "metric": "accuracy", "n_seeds": 2, "mean": 0.5}


def built(csv, inputs=(), findings=None):
    """A table of one cell of two seeds, with where it came from."""
    record(csv, inputs)
    csv.write_text(f"table,row,column,metric,n_seeds,mean\n{csv.stem},a,b,accuracy,2,0.5\n")
    cell = CELL | {"values": {"0": 0.4, "1": 0.6}}
    origins = {"cells": [cell], "findings": findings or {}}
    csv.with_suffix(".provenance.json").write_text(json.dumps(origins))


def judged(csv, inputs=()):
    """A file of claims, with what was asked."""
    record(csv, inputs, asked="[]")
    csv.with_suffix(".md").write_text("# Claims\n")


@pytest.fixture
def results(monkeypatch, tmp_path):
    """Data, two runs of it, side by side, and a table of both; besides, a figure and weights."""
    folder = tell(monkeypatch, tmp_path)
    record(data := folder / "data" / "toy.npz")
    runs = [folder / "runs" / f"seed{k}.csv" for k in (0, 1)]
    for run in runs:
        record(run, [data], kind="clustered")
    built(table := folder / "tables" / "table05.csv", runs)
    record(figure := folder / "figures" / "fig08.png", runs)
    Image.linear_gradient("L").convert("RGB").save(figure)
    record(folder / "weights.npz")
    record(folder / "runs" / "of nothing.csv")
    for path, *times in ((data, 0, 10, 9), (runs[0], 20, 10, 8), (runs[1], 25, 10, 7.5)):
        took(folder, path, *times)
    took(folder, table, 100, 1, 0.5)
    return folder


def test_outputs_are_kept_and_nothing_else(results, tmp_path):
    (old := tmp_path / "reference" / "quick" / "tables" / "gone.csv").parent.mkdir(parents=True)
    old.write_text("of an earlier run")
    files = keep(results, tmp_path / "reference" / "quick", {"table05"}, ["fig08"])
    below = [str(path.relative_to(tmp_path / "reference" / "quick")) for path in files]
    assert below == ["figures/fig08.png", RUN, store.TABLES, store.VALUES]
    assert not old.exists()
    assert [path.name for path in (tmp_path / "reference").iterdir()] == ["quick"]
    table = store.table(tmp_path / "reference" / "quick", "table05").getvalue()
    assert table == (results / "tables" / "table05.csv").read_text()


def test_what_was_unlike_the_paper_is_kept_with_a_run(results, tmp_path):
    scale = PaperScale(differences=("3 seeds",), unlike={"full10": {"clustered": ("a round",)}})
    folder, later = tmp_path / "kept", PaperScale(differences=("5 seeds",), first=("full10",))
    assert folder / DIFFERENCES not in keep(results, folder, {"table05"}, [])
    assert scale_then(folder, later) == later
    assert folder / DIFFERENCES in keep(results, folder, {"table05"}, [], scale=scale)
    then = scale_then(folder, later)
    assert (then.differences, then.unlike) == (scale.differences, scale.unlike)
    assert then.first == later.first


def test_a_kept_figure_is_the_same_with_a_palette(results, tmp_path):
    path = keep(results, tmp_path / "kept", {"table05"}, ["fig08"])[0]
    picture, before = Image.open(path), Image.open(results / "figures" / "fig08.png")
    assert (picture.mode, picture.size) == ("P", before.size)
    apart = np.asarray(picture.convert("RGB")).astype(int) - np.asarray(before)
    assert abs(apart).max() <= 16


def search(folder, name, text="of this run"):
    """A search, in results or in what is kept."""
    for suffix in (".csv", ".md"):
        (path := folder / "searches" / f"{name}{suffix}").parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_searches_that_were_not_built_again_stay_and_say_whose_they_are(results, tmp_path):
    folder, targets = tmp_path / "kept", {"table05", "search", "heads"}
    for name in ("search", "heads", "no_more"):
        search(folder, name, "of an earlier run")
    (folder / RUN).write_text(json.dumps({"commits": ["c1"]}))
    search(results, "search")
    for _ in range(2):  # and stay theirs
        keep(results, folder, targets, [])
        texts = {path.name: path.read_text() for path in (folder / "searches").glob("*.csv")}
        assert texts == {"search.csv": "of this run", "heads.csv": "of an earlier run"}
        earlier = json.loads((folder / RUN).read_text())["of_earlier_runs"]
        assert earlier == {"searches/heads.csv": ["c1"], "searches/heads.md": ["c1"]}
    search(results, "heads")
    keep(results, folder, targets, [])
    assert "of_earlier_runs" not in json.loads((folder / RUN).read_text())


def test_a_search_is_kept_alone_and_the_rest_stays(results, tmp_path):
    folder, targets = tmp_path / "kept", {"table05", "search", "heads"}
    with pytest.raises(UserError, match="no searches there"):
        keep_alone(results, folder, targets)
    for suffix in (".csv", ".md"):
        record(path := results / "searches" / f"search{suffix}")
        path.write_text("of this run")
    with pytest.raises(UserError, match="no run is kept there"):
        keep_alone(results, folder, targets)
    search(folder, "heads", "of an earlier run")
    before = {"commits": ["c1"], "of_earlier_runs": {"searches/heads.csv": ["c0"]}}
    (folder / RUN).write_text(json.dumps(before))
    kept = keep_alone(results, folder, targets)
    assert [path.name for path in kept] == ["search.csv", "search.md"]
    assert (folder / "searches/search.csv").read_text() == "of this run"
    assert (folder / "searches/heads.csv").read_text() == "of an earlier run"
    run = json.loads((folder / RUN).read_text())
    of_search = account(results, [results / "searches/search.csv"])["commits"]
    assert run["commits"] == ["c1"]
    assert run["changed"] == account(results, [results / "searches/search.csv"])["changed"]
    assert run["of_earlier_runs"] == {
        "searches/heads.csv": ["c0"],
        "searches/search.csv": of_search,
        "searches/search.md": of_search,
    }


def test_effects_of_the_ledger_are_kept(results, tmp_path):
    record(results / "assumptions" / "fed_x.csv")
    (results / "assumptions" / "fed_x.md").write_text("effects")
    (results / "assumptions" / "fed_x.png").touch()
    files = keep(results, tmp_path / "kept", {"table05", "fed_x"}, [])
    assert [path.name for path in files if path.parent.name == "assumptions"] == [
        "fed_x.csv",
        "fed_x.md",
    ]


def test_claims_that_are_kept_are_not_lost_to_a_run_without_them(results, tmp_path):
    judged(results / "claims" / "fed_x.csv")
    keep(results, tmp_path / "kept", {"table05", "fed_x"}, [])
    (results / "claims" / "fed_x.csv").unlink()
    with pytest.raises(UserError, match=r"not built yet, but kept in .*: fed_x; build them, or"):
        keep(results, tmp_path / "kept", {"table05", "fed_x"}, [])
    assert (tmp_path / "kept" / "claims" / "fed_x.md").read_text() == "# Claims\n"


def test_what_a_run_took_by_hand(results):
    run = account(results, [results / "tables" / "table05.csv"])
    assert run["steps"]["s clustered"] == {"jobs": 2, "cpu_seconds": 15.5}
    assert run["steps"]["s"] == {"jobs": 2, "cpu_seconds": 9.5}
    assert run["cpu_seconds"] == 25.0
    assert run["seconds"] == 10 + 15 + 1  # the two runs overlap by five
    assert list(run["data"]) == ["toy"]


def test_an_attempt_that_was_killed_counts_nothing(results):
    """Killed at once, it has no end and no seconds."""
    path = record_file(results, results / "runs" / "seed0.csv")
    content = json.loads(path.read_text())
    content["attempts"].insert(0, {"started": content["attempts"][0]["started"], "ended": None})
    path.write_text(json.dumps(content))
    run = account(results, [results / "tables" / "table05.csv"])
    assert run["steps"]["s clustered"] == {"jobs": 2, "cpu_seconds": 15.5}


def test_a_figure_that_a_page_shows_must_have_been_built(results, tmp_path):
    with pytest.raises(UserError, match=r"not built yet, but shown by pages: fig01, fig09"):
        keep(results, tmp_path / "kept", {"table05"}, ["fig01", "fig08", "fig09"])
    assert not (tmp_path / "kept").exists()


def test_results_without_tables_are_refused(tmp_path):
    with pytest.raises(UserError, match="no tables there"):
        keep(tmp_path, tmp_path / "kept", {"table05"}, [])


def test_of_one_paper_its_tables_figures_searches_and_claims(results, tmp_path):
    (paper := tmp_path / "fed_x").mkdir()
    (paper / "tables.yaml").write_text("table05: {}\n")
    (paper / "figures.yaml").write_text("fig08: {}\n")
    (paper / "paper.yaml").write_text("title: X\n")
    assert names(paper) == {"fed_x", "fed_x_table05", "fed_x_fig08"}
    (paper / "paper.yaml").write_text("prefix: ''\n")
    assert names(paper) == {"fed_x", "table05", "fig08"}
    built(results / "tables" / "of_another.csv")
    judged(results / "claims" / "fed_x.csv")
    judged(results / "claims" / "of_another.csv")
    files = keep(results, tmp_path / "kept", names(paper), [])
    assert store.names(tmp_path / "kept") == ["table05"]
    claims = [path.name for path in files if path.parent.name == "claims"]
    assert claims == ["fed_x.csv", "fed_x.md"]


def test_papers_are_kept_one_by_one(results, tmp_path):
    for name, table in (("a", "table05"), ("b", "table06")):
        (paper := tmp_path / "config/papers" / name).mkdir(parents=True)
        (paper / "tables.yaml").write_text(f"{table}: {{title: Costs, study: {{kind: costs}}}}\n")
        (paper / "paper.yaml").write_text("title: A paper\nprefix: ''\n")
        (paper / "scales").mkdir()
        (paper / "scales/quick.yaml").write_text("differences: [3 seeds]\n")
    shutil.copytree(ROOT / "config/scales", tmp_path / "config/scales")
    references = tmp_path / "reference"
    (earlier := references / results.name / "b" / "run.json").parent.mkdir(parents=True)
    earlier.write_text("kept before")
    words = [results, "--references", references, "--templates", tmp_path]
    script = ROOT / "scripts/keep_reference.py"
    subprocess.run([sys.executable, script, *words], check=True, cwd=tmp_path)
    assert store.names(references / results.name / "a") == ["table05"]
    said = json.loads((references / results.name / "a" / DIFFERENCES).read_text())
    assert said == {"differences": ["3 seeds"]}
    assert earlier.read_text() == "kept before"


def test_a_table_that_is_kept_is_not_lost_to_a_run_that_has_it_not(results, tmp_path):
    folder = tmp_path / "reference" / "quick"
    store.write(folder / store.TABLES, "table,row\ntable01,a\n")
    with pytest.raises(UserError, match=r"not built yet, but kept in .*: table01; build them, or"):
        keep(results, folder, {"table01", "table05"}, ["fig08"])
    assert store.names(folder) == ["table01"]
    keep(results, folder, {"table01", "table05"}, ["fig08"], ["table01"])
    assert store.names(folder) == ["table05"]


def test_what_makes_rows_mean_nothing_is_kept_by_table_and_row(results, tmp_path):
    csv = results / "tables" / "table05.csv"
    csv.with_suffix(".md").write_text("a page, which make docs writes anew")
    rows = {"EEG": ["10 clients hold 8 different train sets."]}
    built(csv, findings=rows)
    files = keep(results, tmp_path / "kept", {"table05"}, [])
    assert [path.name for path in files] == [FINDINGS, RUN, store.TABLES, store.VALUES]
    assert json.loads((tmp_path / "kept" / FINDINGS).read_text()) == {"table05": rows}
    built(csv)
    keep(results, tmp_path / "kept", {"table05"}, [])
    assert not (tmp_path / "kept" / FINDINGS).exists()


def test_a_multiverse_is_kept_by_itself_and_stays_when_tables_are_kept_again(results, tmp_path):
    folder = tmp_path / "reference" / "toy"
    with pytest.raises(UserError, match="build it first: snakemake multiverse"):
        keep_multiverse(results, folder)
    source = results / "multiverse" / "toy"
    large = ("pairs.csv", "universes.csv")
    for name in (*large, "multiverse.md"):
        record(source / name)
        (source / name).write_text("# Claims\n" if name == "multiverse.md" else "a,b\n1,2\n")
    keep_multiverse(results, folder)
    multiverse = folder / "multiverse"
    assert sorted(path.name for path in multiverse.iterdir()) == [
        *("multiverse.md", "pairs.csv.gz", RUN, "universes.csv.gz")
    ]
    for name in large:
        assert store.unpacked(multiverse / f"{name}.gz") == "a,b\n1,2\n"
    assert store.where(tmp_path / "reference", "toy/multiverse/multiverse.md") is not None
    keep(results, folder, {"table05"}, [])
    assert (multiverse / "multiverse.md").read_text() == "# Claims\n"


def test_runs_of_a_campaign_are_there_while_tables_are_kept(results, tmp_path, monkeypatch):
    """A kill may come at any time, so their folder is neither moved nor copied."""
    run = tmp_path / "reference" / "toy" / "runs" / "seed0.json.gz"
    run.parent.mkdir(parents=True)
    run.write_bytes(b"scores")
    before = run.stat().st_ino
    keep(results, tmp_path / "reference" / "toy", {"table05"}, [])
    assert run.stat().st_ino == before
    there = []
    removed = shutil.rmtree
    monkeypatch.setattr(
        shutil, "rmtree", lambda *a, **k: (there.append(run.exists()), removed(*a, **k))
    )
    keep(results, tmp_path / "reference" / "toy", {"table05"}, [])
    assert there == [True] * len(there) != []
