"""What is to be done: Snakemake is asked, and an estimator is made for the answer."""

import logging
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence

from fedreact.errors import UserError
from fedreact.estimates.estimates import Estimator, ToDo
from fedreact.estimates.records import Seen, like_of
from fedreact.estimates.work import SECONDS_A_GFLOP, PlannedWork, calibrate
from fedreact.resolve.plan import Plan

log = logging.getLogger("fedreact")


def dry_run(targets: Sequence[str], cores: int, scale: str, config: Sequence[str]) -> str:
    """What Snakemake prints on the jobs that are to be done."""
    words = [sys.executable, "-m", "snakemake", *targets, "--cores", str(cores)]
    words += [
        "--quiet",
        "host",
        "--dry-run",
        "--printshellcmds",
        "--config",
        f"scale={scale}",
        *config,
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        told = reason(done.stderr + done.stdout).removeprefix("error: ")
        raise UserError(told or f"snakemake --dry-run ended with status {done.returncode}")
    return done.stdout


def reason(printed: str) -> str:
    """Return the last line of what Snakemake prints of an error, but for where it noticed it."""
    lines = [line.strip() for line in printed.splitlines()]
    told = [line for line in lines if line and not line.startswith('File "')]
    return told[-1] if told else ""


def estimator(
    plan: Plan,
    before: Iterable[Seen],
    device: str,
    gpu_here: bool,
    measure: Callable[..., float] | None = None,
) -> Estimator:
    """An estimator of a plan's jobs; ``measure`` is used in place of :func:`calibrate`."""
    work = PlannedWork(plan)

    def gflops(job: ToDo) -> float | None:
        return work.gflops(job.rule, job.wildcards)

    def megabytes(job: ToDo) -> float:
        return work.megabytes_of_clients(job.rule, job.wildcards)

    def speed(job: ToDo) -> float:
        """Measure, and say so: it takes seconds."""
        training = work.training(job.rule, job.wildcards)
        if training is None:
            return SECONDS_A_GFLOP
        like = like_of(job.outputs[0], job.command)
        what = f"{like.model} ({like.step})" if like.model else like.step
        log.info("Timing a few steps of %s, to say how long it takes", what)
        return (measure or calibrate)(*training, device)

    return Estimator(before, gflops, speed, device, gpu_here, megabytes)
