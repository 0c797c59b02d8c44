"""DVC agrees with Snakemake, and a clone has nothing to do (docs/howto/versions_dvc.md)."""

import json
import shutil

import pytest
from helpers import command, edit, planned

pytestmark = [pytest.mark.workflow, pytest.mark.campaign, pytest.mark.rare]


def ok(*words, cwd):
    printed, status = command(*words, cwd=cwd)
    assert status == 0, printed
    return printed


def git(*words, cwd):
    git = shutil.which("git")
    return ok(git, "-c", "user.name=t", "-c", "user.email=t@example.org", *words, cwd=cwd)


SETTINGS = "config/papers/fed_react/experiment.yaml"
LINE = "stationary10: {{partition: clients10-beta1.5, clustered: {{rounds: {}}}}}"
CHANGE = LINE.format(60), LINE.format(3)


@pytest.fixture(scope="module")
def versioned(built, tmp_path_factory):
    """The built project at scale smoke as a git repository, its results recorded and pushed."""
    project = tmp_path_factory.mktemp("dvc") / "project"
    shutil.copytree(built, project)
    edit(project / "config/config.yaml", "scale: quick", "scale: smoke")
    git("init", "-q", cwd=project)
    printed = ok("dvc", "repro", cwd=project)
    assert "Nothing to be done" in printed  # Snakemake had built it
    git("add", ".", cwd=project)
    git("commit", "-q", "-m", "Results", cwd=project)
    ok("dvc", "push", cwd=project)
    return project


@pytest.fixture
def clone(versioned, tmp_path):
    """A fresh clone beside a copy of the default remote, pulled."""
    shutil.copytree(versioned.parent / "fedreact-dvc", tmp_path / "fedreact-dvc")
    git("clone", "-q", str(versioned), str(tmp_path / "clone"), cwd=tmp_path)
    ok("dvc", "pull", cwd=tmp_path / "clone")
    return tmp_path / "clone"


def test_git_holds_no_results(versioned):
    files = git("ls-files", cwd=versioned).splitlines()
    assert "dvc.lock" in files
    assert not [f for f in files if f.startswith((".snakemake/", "data/", "results/"))]


def test_a_clone_has_nothing_to_do(versioned, clone):
    for target in ("all_tables", "all"):
        assert planned(target, cwd=clone) == {}
    printed = ok("dvc", "repro", cwd=clone)
    assert "Nothing to be done" in printed
    assert git("status", "--short", cwd=clone) == ""  # dvc.lock among the files that did not change
    for path in (versioned / "results/smoke").rglob("*.*"):
        below = path.relative_to(versioned)
        if path.is_file() and "logs" not in below.parts:
            assert (clone / below).read_bytes() == path.read_bytes(), below


def test_a_clone_runs_what_an_edit_touches_and_no_more(clone):
    edit(clone / SETTINGS, *CHANGE)
    touched = {"run", "make_table", "make_metrics", "all_tables"}
    jobs = planned("all_tables", cwd=clone)
    assert jobs.keys() - {"total"} == touched
    assert jobs["run"] == 2 * 8  # seeds; the setting, and what tables change of it


def test_a_cell_of_a_clone_says_where_it_came_from(clone):
    table = "results/smoke/tables/table05.csv"
    printed = ok("python", "scripts/explain_cell.py", table, "10 clients", "w/ A2", cwd=clone)
    assert "(as now)" in printed
    assert "no record" not in printed


def test_changed_settings_are_shown(clone):
    edit(clone / SETTINGS, *CHANGE)
    printed = ok("dvc", "params", "diff", "--json", cwd=clone)
    changed = json.loads(printed)
    assert changed == {
        SETTINGS: {"settings.stationary10.clustered.rounds": {"old": 60, "new": 3, "diff": -57}}
    }


def test_metrics_are_the_means_of_the_tables_and_differ_between_versions(clone):
    path = clone / "results/smoke/metrics.json"
    metrics = json.loads(path.read_text())
    cell = metrics["table05"]["RTD - 10 clients (Stationary)"]["Fed-REACT w/ A2"]
    assert cell.keys() == {"accuracy", "rand"}
    assert 0 < cell["accuracy"] <= 1
    before, cell["accuracy"] = cell["accuracy"], 0.5
    path.write_text(json.dumps(metrics))
    printed = ok("dvc", "metrics", "diff", "--json", cwd=clone)
    ((name, change),) = json.loads(printed)["results/smoke/metrics.json"].items()
    assert name == "table05.RTD - 10 clients (Stationary).Fed-REACT w/ A2.accuracy"
    assert (change["old"], change["new"]) == (before, 0.5)


def test_figures_of_two_versions_stand_side_by_side(clone):
    shutil.copy(
        clone / "results/smoke/figures/fig01.png", clone / "results/smoke/figures/fig02.png"
    )
    ok("dvc", "plots", "diff", "HEAD", "-o", "page", cwd=clone)
    page = (clone / "page/index.html").read_text()
    images = [p.name for p in (clone / "page").rglob("*_figures_fig02.png")]
    assert len(images) == 2
    assert all(name in page for name in images)
