"""The workflow on a SLURM cluster of two pretended nodes on this machine (slurm/cluster.sh).

Only where FEDREACT_TEST_SLURM=yes: it needs root and Debian's packages of SLURM, which it installs.
"""

import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from helpers import (
    PATHS,
    SCRIPTS,
    SMOKE,
    VERBOSE,
    command,
    copy_project,
    digits,
    edit,
    longer_training,
    planned,
    wait_until,
)

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.campaign,
    pytest.mark.rare,
    pytest.mark.skipif(
        os.environ.get("FEDREACT_TEST_SLURM") != "yes", reason="FEDREACT_TEST_SLURM=yes asks for it"
    ),
]

CLUSTER = Path(__file__).parent / "slurm/cluster.sh"
# For two nodes of two CPUs, and polled often. The profile's own values are for real clusters.
HERE = [
    *("--profile", "profiles/slurm", "--max-threads", "2", "--latency-wait", "5"),
    *("--slurm-init-seconds-before-status-checks", "1", "--resources", "abreast=2"),
]


@pytest.fixture(scope="module")
def cluster():
    """The cluster, while these tests run."""
    try:
        done = subprocess.run([CLUSTER, "up"], capture_output=True, text=True, check=False)
        if "cannot be installed" in done.stderr:
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        yield
    finally:
        subprocess.run([CLUSTER, "down"], check=True)


def slurm(*targets, options=(), cwd):
    """Run the workflow there; some failures of clusters are silent, so it may not run for ever."""
    words = [*HERE, *options, *SMOKE, "--", *targets]
    printed, status = command("snakemake", *words, cwd=cwd, env=VERBOSE, timeout=600)
    assert status == 0, printed[-6000:]
    return printed


def test_a_table_has_the_same_bytes_as_on_one_machine(cluster, built, tmp_path):
    """From raw data to LaTeX: Phase 1, Phase 2 and a supervised baseline, in groups."""
    project = copy_project(tmp_path)
    below = f"{digits(built).name}/full10/causal-cnn/seed0.csv"
    trained = f"results/smoke/runs/synchronous/fed_react/{below}"
    printed = slurm("table05", trained, cwd=project)
    tables = [f"results/smoke/tables/table05{suffix}" for suffix in (".csv", ".tex", ".md")]
    for name in [*tables, trained]:
        assert (project / name).read_bytes() == (built / name).read_bytes(), name
    assert planned("table05", *SMOKE, cwd=project) == {}
    jobs = set(re.findall(r"submitted with SLURM jobid (\d+)", printed))
    steps = re.search(r"^run +(\d+)$", printed, re.MULTILINE)
    assert int(steps[1]) == 2 * 6  # three settings, two seeds, with and without a trained encoder
    assert 0 < len(jobs) <= 7, printed  # partitions, encoders, features, Phase 2, baseline


def test_what_was_made_here_is_not_made_again_there(cluster, built):
    printed = slurm("all_tables", options=["-n"], cwd=built)
    assert "Nothing to be done" in printed


ENCODERS = [
    f"results/smoke/encoders/fed_react/{digits(Path()).name}/clients10-beta1.5/seed{seed}.npz"
    for seed in range(3)
]


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def state(job):
    return ask("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip()


def halt_all(project, run):
    """SLURM's numbers of the trainings, each halted after its first checkpoint.

    Some stops take a while, and none may end before.
    """
    halted = {}

    def all_halted():
        assert run.poll() is None, "the workflow ended before its trainings were halted"
        for encoder in set(ENCODERS) - set(halted):
            below = Path(encoder).relative_to("results/smoke").with_suffix("")
            checkpoints = project / "results/smoke/checkpoints" / below.parent
            if list(checkpoints.glob(f"{below.name}-*.npz")) and (job := halt(project, encoder)):
                halted[encoder] = job
        return len(halted) == len(ENCODERS)

    wait_until(all_halted, 600)  # a busy machine takes minutes to reach the trainings
    return [halted[encoder] for encoder in ENCODERS]


def halt(project, encoder):
    """Halt the process that trains an encoder; returns the number of its job."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = set((folder / "cmdline").read_text().split("\0"))
            if {"scripts/train_encoder.py", encoder} <= words and (
                folder / "cwd"
            ).readlink() == project:
                os.kill(int(folder.name), signal.SIGSTOP)
                environment = (folder / "environ").read_text().split("\0")
                return next(word[13:] for word in environment if word.startswith("SLURM_JOB_ID="))
    return None


def stop_all(jobs):
    """Kill one job, have one run out of time and one make room for another."""
    killed, late, preempted = jobs
    over = {"RUNNING", "COMPLETING"}.isdisjoint
    ask("scancel", "--full", "--signal", "KILL", killed)
    wait_until(lambda: over([state(killed)]))
    ask("scontrol", "update", f"JobId={late}", "EndTime=now")  # looked at every 30 s
    wait_until(lambda: over([state(late)]))
    assert state(late) == "TIMEOUT"
    # All CPUs of both nodes are wanted for a moment.
    words = ["--nodes", "2", "--exclusive", "--output", "/dev/null", "--wrap", "sleep 1"]
    ask("sbatch", "--partition", "main", *words)
    wait_until(lambda: state(preempted) != "RUNNING")


def test_trainings_that_are_stopped_go_on_to_the_same_bits(cluster, tmp_path):
    """One is killed, one runs out of time, and one makes room for another job."""
    undisturbed = longer_training(tmp_path / "undisturbed", 30)
    printed, status = command("snakemake", "--cores", "2", *ENCODERS, *SMOKE, cwd=undisturbed)
    assert status == 0, printed

    project = longer_training(tmp_path / "stopped", 30)
    old = "set-resources:\n"
    new = f"{old}  train_encoder: {{slurm_partition: scavenge}}\n"
    edit(project / "profiles/slurm/config.yaml", old, new)
    words = ["snakemake", *HERE, *SMOKE, "--", *ENCODERS]
    with (
        (tmp_path / "printed.txt").open("w") as file,
        subprocess.Popen(
            [SCRIPTS / words[0], *words[1:]], cwd=project, stdout=file, stderr=file, env=PATHS
        ) as run,
    ):
        try:
            stop_all(halt_all(project, run))
            status = run.wait(900)
        finally:
            run.kill()
    assert status == 0, (tmp_path / "printed.txt").read_text()[-4000:]
    for encoder in ENCODERS:
        log = project / encoder.replace("/encoders/", "/logs/encoders/").replace(".npz", ".log")
        assert "resuming after round" in log.read_text()
        assert (project / encoder).read_bytes() == (undisturbed / encoder).read_bytes()
