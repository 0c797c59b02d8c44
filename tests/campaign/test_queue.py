"""The order in which a campaign runs what is missing, and what tells its runs apart."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers import edit, make_plan
from small_records import forget_code

from fedreact.campaign.kept import KeptRuns
from fedreact.campaign.queue import CampaignRun, batches
from fedreact.errors import UserError

PAPER = "fed_react"


@pytest.fixture(scope="module")
def queue(unchanged):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(unchanged)
        return batches(make_plan(), PAPER)


def test_each_run_is_there_once_and_published_cells_come_first(queue, unchanged, monkeypatch):
    monkeypatch.chdir(unchanged)
    plan = make_plan()
    outputs = [run.output for batch in queue for run in batch.runs]
    assert len(set(outputs)) == len(outputs)
    tables = [
        name for name in plan.outputs.chosen(plan.tables, [PAPER]) if plan.outputs.cells(name)
    ]
    wanted = {
        file
        for name in tables
        for file in plan.outputs.scores(PAPER, plan.outputs.cells(name).values())
    }
    assert set(outputs) == wanted
    assert queue[0].title.startswith("table01, full10, seed 0")
    untrained = next(i for i, one in enumerate(queue) if "encoder.rounds=0" in one.title)
    printed = [i for i, one in enumerate(queue) if one.title.startswith("table05, stationary10, ")]
    assert max(printed) < untrained


def test_a_setting_has_all_its_seeds_before_the_next_one_begins(queue):
    places = [batch.title.rsplit(", seed ", 1) for batch in queue if "sumo50, " in batch.title]
    first = places[0][0]
    assert places[0] == [first, "0"]
    assert [seed for place, seed in places if place == first][:2] == ["0", "1"]
    assert places[1] == [first, "1"]


def test_settings_that_the_scale_names_first_are_first(project):
    scale = Path("config/papers/fed_react/scales/smoke.yaml")
    scale.write_text("first: [migration100, eeg10]\n" + scale.read_text())
    settings = [batch.title.split(", ")[1] for batch in batches(make_plan(), PAPER)]
    order = list(dict.fromkeys(setting.split("+")[0] for setting in settings))
    assert order[:2] == ["migration100", "eeg10"]


def test_methods_are_jobs_of_their_own_where_the_scale_says_so(project):
    scale = Path("config/papers/fed_react/scales/smoke.yaml")
    scale.write_text("apart: [synchronous]\n" + scale.read_text())
    plan = make_plan()
    jobs = {
        cell.method.name: cell.job
        for cell in plan.outputs.cells("table01").values()
        if cell.kind == "synchronous"
    }
    assert jobs["lstm-ditto"] == "lstm-ditto"
    assert len(set(jobs.values())) == len(jobs)


def test_an_identity_changes_with_the_code_of_the_run_alone(project):
    def identities():
        forget_code()
        every = [run for batch in batches(make_plan(), PAPER) for run in batch.runs]
        return {run.output.split("/runs/")[1]: run.identity for run in every}

    before = identities()
    edit(Path("src/fedreact/campaign/queue.py"), '"""', '"""A word more. ')
    edit(Path("src/fedreact/reference/keep.py"), "COLOURS = 256", "COLOURS = 255")
    assert identities() == before
    edit(Path("src/fedreact/kinds/synchronous/algorithms/ditto.py"), "\n\n\n", "\n\nX = 1\n\n\n")
    changed = {name for name, identity in identities().items() if before[name] != identity}
    assert changed
    assert all(name.startswith("synchronous/") for name in changed)


def test_a_kept_run_comes_back_as_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CampaignRun("results/paper/runs/clustered/p/d/s/all/seed0.csv", "ab" * 32)
    kept = KeptRuns(Path("reference/paper/p"), Path("results/paper"))
    Path(run.output).parent.mkdir(parents=True)
    Path(run.output).write_text("round,accuracy\n1,0.5\n")
    record = Path("results/paper/provenance/runs/clustered/p/d/s/all/seed0.json")
    record.parent.mkdir(parents=True)
    record.write_text(
        '{"machine": {"host": "h", "system": "Linux-6-x", "processor": "P"}, "inputs": {}}'
    )
    assert not kept.has(run)
    kept.keep(run)
    assert (
        str(kept.path(run)) == "reference/paper/p/runs/clustered/p/d/s/all/seed0-abababab.json.gz"
    )
    Path(run.output).unlink()
    record.unlink()
    kept.restore(run)
    assert Path(run.output).read_text() == "round,accuracy\n1,0.5\n"
    assert '"host": "a campaign\'s machine"' in record.read_text()
    other = replace(run, identity="abababab" + "c" * 56)
    assert kept.others([run]) == []
    with pytest.raises(UserError, match="it keeps another run; delete it, "):
        kept.restore(other)
