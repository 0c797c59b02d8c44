"""Faults: kills at random moments, full and read-only disks, damaged files, a wrong clock.

After each, one line says what happened, and running again ends in the bytes of an undisturbed run.
"""

import contextlib
import hashlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from helpers import (
    PATHS,
    SCRIPTS,
    SMOKE,
    VERBOSE,
    command,
    descendants,
    longer_training,
    planned,
    snakemake,
    wait_until,
)

pytestmark = [pytest.mark.workflow, pytest.mark.campaign, pytest.mark.rare]

TARGET = "iclr_table02"
# Of training, so that some kills fall between its checkpoints.
ROUNDS = 8


def run(project, **options):
    return command("snakemake", "--cores", "1", TARGET, *SMOKE, cwd=project, **options)


def digests(project):
    """SHA-256 of all results, but for logs and records of when and where."""
    results = project / "results/smoke"
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.is_file() and path.suffix in {".npz", ".csv", ".tex", ".md", ".png", ".pdf"}
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The results of one run to the end."""
    project = longer_training(tmp_path_factory.mktemp("undisturbed"), ROUNDS)
    printed, status = run(project)
    assert status == 0, printed
    return project


@pytest.fixture
def done(undisturbed, tmp_path):
    """A copy of them that a test may damage."""
    return shutil.copytree(undisturbed, tmp_path / "done")


def errors(printed):
    """The lines that say what went wrong; there is no traceback."""
    assert "Traceback" not in printed, printed
    assert "CalledProcessError" not in printed  # with the whole command of the step
    return [line for line in printed.splitlines() if line.startswith("error: ")]


def words_of(pid):
    """Command line of a Python process; empty for others, the shell around it for one."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
    return words if Path(words.split("\0")[0]).name.startswith("python") else ""


def at_work(project):
    """Processes of steps in a project."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cwd").readlink() == project and "scripts/" in words_of(folder.name):
                found.append(folder.name)
    return found


def steps_of(process):
    """Processes of steps below one of a workflow."""
    return [pid for pid in descendants(process.pid) if "scripts/" in words_of(pid)]


KILLS = int(os.environ.get("FEDREACT_KILLS", "24"))


class Campaign(threading.Thread):
    """Runs the workflow over and over, killing it or one of its steps at a random moment."""

    def __init__(self, project, kills, seed):
        super().__init__()
        self.project, self.left, self.rng = project, kills, random.Random(seed)
        self.counts = {"workflow": 0, "workflow with its steps": 0, "step": 0, "training": 0}
        self.kinds = itertools.cycle(self.counts)
        self.finished, self.resumed, self.results, self.problems = 0, 0, [], []

    def run(self):
        try:
            while self.left > 0:
                self.once()
            self.unlock()
            printed, status = run(self.project)
            assert status == 0, printed
            self.finish(printed)
        except Exception as error:  # shown by the test; a thread would swallow it
            self.problems.append(repr(error))

    def once(self):
        """One run, killed if it has not ended before."""
        words, self.since = ["snakemake", "--cores", "1", TARGET, *SMOKE], time.time()
        with (self.project / "printed.txt").open("w") as file:
            process = subprocess.Popen(
                [SCRIPTS / words[0], *words[1:]],
                cwd=self.project,
                env=PATHS | VERBOSE,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
            kind = next(self.kinds)
            killed = self.kill(process, kind) if self.awaited(process, kind) else None
            process.wait(300)
        printed = (self.project / "printed.txt").read_text()
        assert "Traceback" not in printed, printed
        if killed in ("step", "training") and process.returncode != 0:
            assert "error: stopped by signal 9" in printed, printed
        elif killed is None:
            assert process.returncode == 0, printed
        if process.returncode == 0:
            self.finish(printed)
        self.resumed += printed.count("resuming after round")
        self.unlock()

    def awaited(self, process, kind):
        """Wait for a random moment, with a step at work, or a checkpoint; false if it has ended."""
        wait = self.rng.uniform(1.5, 7)
        there = {"workflow": lambda: True, "training": lambda: steps_of(process) and self.begun()}
        while process.poll() is None and not there.get(kind, lambda: steps_of(process))():
            time.sleep(0.05)
        if kind != "workflow":
            wait = self.rng.uniform(0, 0.2 if kind == "training" else 3)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait)
        return process.poll() is None

    def begun(self):
        """Whether a training of this run has a checkpoint to go on from."""
        found = (self.project / "results/smoke/checkpoints").rglob("*.npz")
        with contextlib.suppress(OSError):  # gone: the training is done
            return any(path.stat().st_mtime > self.since for path in found)
        return False

    def kill(self, process, kind):
        """Kill -9 the workflow alone, with all its steps, or one process of a step."""
        steps = steps_of(process)
        victims = {
            "workflow": [process.pid],
            "workflow with its steps": [process.pid, *steps],
        }.get(kind, [self.rng.choice(steps)] if steps else [])
        try:
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return "too late"
        if victims:
            self.counts[kind] += 1
            self.left -= 1
        return kind

    def unlock(self):
        """As `snakemake --unlock` does, in no time."""
        shutil.rmtree(self.project / ".snakemake/locks", ignore_errors=True)

    def finish(self, printed):
        """Keep what a run that went through has made, and start over."""
        self.finished += 1
        wait_until(lambda: not at_work(self.project))  # steps of a workflow that was killed
        self.results.append(digests(self.project))
        shutil.rmtree(self.project / "results/smoke")


def test_killed_at_random_moments(undisturbed, tmp_path, capsys):
    campaigns = [
        Campaign(longer_training(tmp_path / str(i), ROUNDS), -(-KILLS // 2), seed=i)
        for i in range(2)
    ]
    for campaign in campaigns:
        campaign.start()
    for campaign in campaigns:
        campaign.join()
    assert [campaign.problems for campaign in campaigns] == [[], []]
    counts = {kind: sum(c.counts[kind] for c in campaigns) for kind in campaigns[0].counts}
    finished = sum(c.finished for c in campaigns)
    resumed = sum(c.resumed for c in campaigns)
    with capsys.disabled():
        print(f"\nkilled: {counts}; trainings resumed: {resumed}; runs to the end: {finished}")
    assert sum(counts.values()) >= KILLS
    assert min(counts.values()) > 0
    assert resumed > 0
    for campaign in campaigns:
        for results in campaign.results:
            assert results == digests(undisturbed)


def test_after_a_kill_the_lock_is_explained_and_lifted(undisturbed, done):
    shutil.rmtree(done / "results/smoke/runs")
    shutil.rmtree(done / "results/smoke/tables")
    words = [SCRIPTS / "snakemake", "--cores", "1", TARGET, *SMOKE]
    process = subprocess.Popen(words, cwd=done, env=PATHS, stderr=subprocess.DEVNULL)
    wait_until(lambda: list((done / ".snakemake/locks").glob("*")))
    process.kill()
    process.wait()
    printed, status = run(done)
    assert status != 0
    assert "Traceback" not in printed
    assert "--unlock" in printed
    snakemake("--unlock", *SMOKE, cwd=done)
    assert run(done)[1] == 0
    assert digests(done) == digests(undisturbed)


def test_two_workflows_at_once(undisturbed, tmp_path):
    project = longer_training(tmp_path, ROUNDS)
    first = threading.Thread(target=lambda: results.append(run(project)))
    results = []
    first.start()
    wait_until(lambda: list((project / ".snakemake/locks").glob("*")))
    printed, status = run(project)
    assert status != 0
    assert "Traceback" not in printed
    assert "error: another run in this folder writes the same files" in printed
    first.join()
    assert results[0][1] == 0, results[0][0]
    assert digests(project) == digests(undisturbed)


def isolated(script, cwd):
    """Run a shell script that may mount file systems, unseen by others."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"]).returncode:
        pytest.skip("mounts need unshare -rm")
    words = ["unshare", "-rm", "bash", "-c", script]
    done = subprocess.run(words, cwd=cwd, env=PATHS, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode


@pytest.mark.parametrize("kilobytes", [40, 1000])
def test_a_full_disk(undisturbed, tmp_path, kilobytes):
    project = longer_training(tmp_path / "p", ROUNDS)
    workflow = f"snakemake --cores 1 {TARGET} {' '.join(SMOKE)}"
    printed, status = isolated(
        f"""
        mkdir results
        mount -t tmpfs -o size={kilobytes}k none results
        {workflow} >full.txt 2>&1 && exit 9
        find results -name '*.part' >left.txt
        mount -o remount,size=1g results
        {workflow} >again.txt 2>&1 || exit 8
        cp -r results/smoke kept
        """,
        project,
    )
    full = (project / "full.txt").read_text()
    assert status == 0, (status, printed, full)
    assert "Traceback" not in full
    assert "No space left on device" in full
    assert (project / "left.txt").read_text() == ""
    shutil.move(project / "kept", project / "results/smoke")
    assert digests(project) == digests(undisturbed)


def test_a_read_only_folder(undisturbed, done):
    workflow = f"snakemake --cores 1 {TARGET} {' '.join(SMOKE)}"
    shutil.rmtree(done / "results/smoke/runs")
    shutil.rmtree(done / "results/smoke/tables")
    printed, status = isolated(
        f"""
        mount --bind results results
        mount -o remount,ro,bind results
        {workflow} 2>&1
        """,
        done,
    )
    assert status != 0
    assert "Traceback" not in printed
    assert "error: results/smoke: results cannot be written there (Read-only file" in printed
    assert run(done)[1] == 0
    assert digests(done) == digests(undisturbed)


@pytest.mark.parametrize("kind", ["data", "partitions", "encoders", "features"])
def test_a_truncated_file(undisturbed, done, kind):
    paths = sorted((done / f"results/smoke/{kind}").rglob("*.npz"))
    path = next(p for p in paths if p.stem == "seed0" or kind == "data")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for later in ("runs", "tables"):
        shutil.rmtree(done / "results/smoke" / later)
    printed, status = run(done)
    assert status != 0
    found = errors(printed)
    assert found
    below = str(path.relative_to(done))
    assert all(f"{below}: not a readable" in line for line in found), found
    assert "delete it and run again" in found[0]
    path.unlink()
    assert run(done)[1] == 0
    assert digests(done) == digests(undisturbed)


@pytest.mark.parametrize("days", [1, -1])
def test_a_clock_set_back_or_forth(undisturbed, done, days):
    """All files are a day younger than now, as after setting the clock back, or older."""
    for path in done.rglob("*"):
        shift = path.lstat().st_mtime + days * 86400
        os.utime(path, (shift, shift), follow_symlinks=False)
    assert planned(TARGET, *SMOKE, cwd=done) == {}
    (removed,) = (done / "results/smoke/runs").glob("clustered/*/*/stationary10/all/seed1.csv")
    removed.unlink()
    shutil.rmtree(done / "results/smoke/tables")
    if days > 0:
        printed, status = run(done)
        (refusal,) = errors(printed)
        assert (status, "is dated in the future" in refusal) == (1, True)
        subprocess.run(refusal.split("date such files now: ")[1], shell=True, cwd=done, check=True)
    printed, status = run(done, env=VERBOSE)
    assert status == 0, printed
    assert re.search(r"^run +1$", printed, re.MULTILINE), printed
    assert planned(TARGET, *SMOKE, cwd=done) == {}
    assert digests(done) == digests(undisturbed)
