"""A campaign on the example of a user's own paper, at scale smoke (docs/howto/campaign.md)."""

import contextlib
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from helpers import PATHS, command, copy_project, descendants, edit, wait_until
from own_examples import add_examples

pytestmark = [pytest.mark.campaign, pytest.mark.rare, pytest.mark.workflow]

WORDS = ["scripts/campaign.py", "--paper", "mine", "--scale", "smoke", "--cores", "2"]
KEPT = Path("reference/smoke/mine")
KILLS = 4


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The project with the example, and nothing built."""
    project = copy_project(tmp_path_factory.mktemp("clean"))
    add_examples(project)
    return project


@pytest.fixture(scope="module")
def done(clean, tmp_path_factory):
    """A copy of it with its campaign at an end."""
    project = shutil.copytree(clean, tmp_path_factory.mktemp("done") / "project")
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 0, printed
    return project


def runs(project):
    return sorted(str(path.relative_to(project)) for path in project.glob(f"{KEPT}/runs/**/*.gz"))


def numbers(project):
    """Values by seed of all tables."""
    return pd.read_csv(project / KEPT / "values.csv.gz").drop(columns="table")


def test_an_evening_keeps_all_runs_and_makes_tables(done):
    assert len(runs(done)) > 3
    table = pd.read_csv(done / KEPT / "tables.csv.gz")
    assert (table["n_seeds"] == 2).all()


def test_another_machine_goes_on_from_what_is_kept(clean, done, tmp_path):
    project = shutil.copytree(clean, tmp_path / "project")
    shutil.copytree(done / KEPT, project / KEPT)
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 0, printed
    n = len(runs(done))
    assert f"{n} of {n} runs are kept" in printed
    assert "now: " not in printed
    assert not (project / "results/smoke/data").exists()
    assert runs(project) == runs(done)
    pd.testing.assert_frame_equal(numbers(project), numbers(done))


def test_runs_of_other_code_are_not_used(clean, done, tmp_path):
    project = shutil.copytree(clean, tmp_path / "project")
    shutil.copytree(done / KEPT, project / KEPT)
    edit(project / "src/fedreact/metrics/accuracy.py", '"""', '"""Of another day. ')
    edit(project / "src/fedreact/task.py", "\n\n\n", "\n\nOTHER = 1\n\n\n")
    printed, status = command("python", *WORDS, "--minutes", "0.001", cwd=project)
    assert status == 0, printed
    n = len(runs(done))
    assert f"0 of {n} runs are kept" in printed
    assert f"{n} kept runs of other code or options: not used" in printed
    assert "now: " not in printed


def another_is_kept(project, campaign):
    """Wait for it, or for the end of the campaign."""
    before = len(runs(project))
    wait_until(lambda: campaign.poll() is not None or len(runs(project)) > before)


def test_runs_of_other_code_in_results_are_run_again(done, tmp_path):
    project = shutil.copytree(done, tmp_path / "project")
    edit(project / "src/fedreact/task.py", "\n\n\n", "\n\nOTHER = 1\n\n\n")
    before, begin = set(runs(project)), datetime.now(UTC).isoformat(timespec="seconds")
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 0, printed
    new = set(runs(project)) - before
    assert len(new) == len(before)
    for name in new:
        kept = json.loads(gzip.decompress((project / name).read_bytes()))
        assert kept["records"][kept["output"]]["attempts"][-1]["started"] >= begin, name


def test_killed_at_random_moments(clean, done, tmp_path, capsys):
    """It goes on, and ends in the values of a campaign that nobody disturbed."""
    project = shutil.copytree(clean, tmp_path / "project")
    chance, environment = random.Random(0), PATHS | {"PYTHONPATH": str(project / "src")}
    survived = []
    for _ in range(KILLS):
        with (project / "said.txt").open("a") as said:
            words = [sys.executable, *WORDS]
            campaign = subprocess.Popen(
                words, cwd=project, env=environment, stdout=said, stderr=subprocess.STDOUT
            )
            another_is_kept(project, campaign)
            time.sleep(chance.uniform(0, 3))
            for pid in [campaign.pid, *descendants(campaign.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            campaign.wait()
        survived.append(len(runs(project)))
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 0, printed
    assert "Traceback" not in (project / "said.txt").read_text()
    with capsys.disabled():
        print(f"\nkept runs after each kill: {survived}, at the end {len(runs(project))}")
    assert runs(project) == runs(done)
    pd.testing.assert_frame_equal(numbers(project), numbers(done))


def test_a_campaign_that_is_terminated_ends_its_snakemake(clean, tmp_path):
    project = shutil.copytree(clean, tmp_path / "project")
    environment = PATHS | {"PYTHONPATH": str(project / "src")}
    with (project / "said.txt").open("w") as said:
        campaign = subprocess.Popen(
            [sys.executable, *WORDS], cwd=project, env=environment, stdout=said, stderr=said
        )
        another_is_kept(project, campaign)
        running = descendants(campaign.pid)
        assert running
        campaign.terminate()
        assert campaign.wait(60) != 0
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))
    assert "tables are made of what is kept" in (project / "said.txt").read_text()


def test_two_campaigns_do_not_share_results(done, tmp_path):
    project = shutil.copytree(done, tmp_path / "project")
    shutil.rmtree(project / KEPT)
    hold = (
        "import fcntl, time; f = open('results/smoke/campaign.lock', 'w');"
        "fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", hold]
    with subprocess.Popen(words, cwd=project, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        printed, status = command("python", *WORDS, cwd=project)
        other.kill()
    assert status == 2
    assert printed == (
        "error: results/smoke: another campaign is running there; wait for it, or stop it\n"
    )


@pytest.mark.parametrize("wrong", [["--cores", "0"], ["--minutes", "-3"]])
def test_wrong_resources_are_refused(clean, wrong):
    printed, status = command("python", *WORDS, *wrong, cwd=clean)
    assert status == 2
    assert printed.startswith("error: a campaign takes at least one core and some minutes, not ")
    assert len(printed.splitlines()) == 1


def test_a_damaged_file_is_named(clean, done, tmp_path):
    project = shutil.copytree(clean, tmp_path / "project")
    shutil.copytree(done / KEPT, project / KEPT)
    damaged = project / runs(project)[0]
    damaged.write_bytes(damaged.read_bytes()[:50])
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 2
    last = printed.strip().splitlines()[-1]
    assert last.startswith(f"error: {runs(project)[0]}: it cannot be read (")
    assert last.endswith("delete it, and start the campaign again")


def test_results_of_other_code_are_in_no_table(done, tmp_path):
    """What lies in results/ is run again, or replaced by what is kept."""
    project = shutil.copytree(done, tmp_path / "project")
    scores = next((project / "results/smoke/runs/synchronous").rglob("seed0.csv"))
    text = scores.read_text()
    scores.write_text(text.replace("0.", "0.0"))
    printed, status = command("python", *WORDS, "--minutes", "0.001", cwd=project)
    assert status == 0, printed
    assert scores.read_text() == text
    pd.testing.assert_frame_equal(numbers(project), numbers(done))
    edit(project / "src/fedreact/task.py", "\n\n\n", "\n\nOTHER = 1\n\n\n")
    printed, status = command("python", *WORDS, "--minutes", "0.001", cwd=project)
    assert status == 0, printed
    assert "0 tables are made of what is kept" in printed
