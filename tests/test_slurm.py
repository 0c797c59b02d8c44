"""The workflow on a SLURM cluster of two pretended nodes on this machine (tests/slurm/cluster.sh).

Only where FEDREACT_TEST_SLURM=yes: it needs root and Debian's packages of SLURM, which it installs.
"""

import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest
from conftest import SMOKE, command, copy_project, digits

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(
        os.environ.get("FEDREACT_TEST_SLURM") != "yes", reason="FEDREACT_TEST_SLURM=yes asks for it"
    ),
]

CLUSTER = Path(__file__).parent / "slurm/cluster.sh"
# For two nodes of two CPUs, and polled often. The profile's own values are for real clusters.
HERE = [
    *("--profile", "profiles/slurm", "--max-threads", "2", "--latency-wait", "5"),
    *("--slurm-init-seconds-before-status-checks", "1"),
]


@pytest.fixture(scope="module")
def cluster():
    """The cluster, while these tests run."""
    done = subprocess.run([CLUSTER, "up"], capture_output=True, text=True, check=False)
    if "cannot be installed" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    yield
    subprocess.run([CLUSTER, "down"], check=True)


def slurm(*targets, options=(), cwd):
    """Run the workflow there; some failures of clusters are silent, so it may not run for ever."""
    words = [*HERE, *options, *SMOKE, "--", *targets]
    printed, status = command("snakemake", *words, cwd=cwd, timeout=600)
    assert status == 0, printed[-6000:]
    return printed


def test_a_table_has_the_same_bytes_as_on_one_machine(cluster, built, tmp_path):
    """From raw data to LaTeX: Phase 1, Phase 2 and a supervised baseline, in groups."""
    project = copy_project(tmp_path)
    trained = f"results/smoke/supervised/{digits(built).name}/full10/causal-cnn/seed0.csv"
    printed = slurm("table05", trained, cwd=project)
    tables = [f"results/smoke/tables/table05{suffix}" for suffix in (".csv", ".tex", ".md")]
    for name in [*tables, trained]:
        assert (project / name).read_bytes() == (built / name).read_bytes(), name
    jobs = set(re.findall(r"submitted with SLURM jobid (\d+)", printed))
    steps = re.search(r"^run_phase2 +(\d+)$", printed, re.MULTILINE)
    assert int(steps[1]) == 6
    assert 0 < len(jobs) <= 5, printed  # partitions, encoder, features, Phase 2, baseline


def test_nothing_is_to_be_done_here_after_a_run_there_and_the_other_way_round(cluster, built):
    printed = slurm("all_tables", options=["-n"], cwd=built)
    assert "Nothing to be done" in printed


ENCODER = f"results/smoke/encoders/{digits(Path()).name}/clients10-beta1.5/seed0.npz"


def slow_project(folder):
    """A copy of the project whose encoder takes some seconds."""
    project = copy_project(folder)
    scale = project / "config/scales/smoke.yaml"
    old = "phase1: {rounds: 2, steps: 1}"
    assert old in scale.read_text()
    scale.write_text(scale.read_text().replace(old, "phase1: {rounds: 40, steps: 2}", 1))
    return project


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The bytes of that encoder if nothing happens, and no cluster."""
    project = slow_project(tmp_path_factory.mktemp("undisturbed"))
    printed, status = command("snakemake", "--cores", "1", ENCODER, *SMOKE, cwd=project)
    assert status == 0, printed
    return (project / ENCODER).read_bytes()


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def training_of(project):
    """SLURM's number of the training, once it has a checkpoint."""
    deadline = time.monotonic() + 120
    while not list((project / "results/smoke/checkpoints").rglob("*.npz")):
        assert time.monotonic() < deadline, ask("squeue")
        time.sleep(0.1)
    running = ask("squeue", "-h", "-t", "R", "-o", "%A %Z").splitlines()
    (job,) = [line.split()[0] for line in running if line.split()[1] == str(project)]
    return job


def kill(job):
    ask("scancel", "--full", "--signal", "KILL", job)


def preempt(job):
    """Have another job want all CPUs of both nodes for a moment."""
    ask("sbatch", "--partition", "main", "--nodes", "2", "--exclusive", "--output", "/dev/null",
        "--wrap", "sleep 1")  # fmt: skip
    deadline = time.monotonic() + 60
    while ask("squeue", "-h", "-j", job, "-o", "%t").strip() == "R":
        assert time.monotonic() < deadline
        time.sleep(0.1)


def run_out_of_time(job):
    ask("scontrol", "update", f"JobId={job}", "EndTime=now")


@pytest.mark.parametrize("stop", [kill, preempt, run_out_of_time])
def test_a_training_that_is_stopped_goes_on_to_the_same_bits(cluster, undisturbed, tmp_path, stop):
    project = slow_project(tmp_path)
    there = ["--set-resources", "train_encoder:slurm_partition=scavenge"]
    printed = []
    run = threading.Thread(
        target=lambda: printed.append(slurm(ENCODER, options=there, cwd=project))
    )
    run.start()
    stop(training_of(project))
    run.join()
    assert printed, "see the error above"
    below = ENCODER.removeprefix("results/smoke/").replace(".npz", ".log")
    log = project / "results/smoke/logs" / below
    assert "resuming after round" in log.read_text()
    assert (project / ENCODER).read_bytes() == undisturbed
