"""What a run of the workflow will cost: jobs that remain, and what earlier runs say of their like.

A job is estimated, in this order, by its own record under the same options; by records of the same
command, model and kind of data; by the same command and model; by the speed measured here. Time
grows with the work (:mod:`fedreact.workflow.speed`); what is no training takes the median of its
like. Memory is the largest of its like, disk the median. Records of another scale, which may have
less data, lower neither below what is assumed without records.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fedreact.workflow import speed
from fedreact.workflow.config import Plan

START = {speed.ENCODER: 4.0, speed.SUPERVISED: 4.0, speed.PHASE2: 1.0}
"""CPU seconds that a command takes before its work: importing torch, reading, writing."""

WHOLE = {"scripts/extract_features.py": 10.0, "scripts/simulate_sumo.py": 60.0}
"""CPU seconds of commands whose work is not counted, where no record tells; others take 1."""

MEMORY_MB = 700
"""Memory of a job where neither a record nor the rule tells."""

DISK_MB = {
    "scripts/prepare_data.py": 25.0,
    "scripts/prepare_sumo.py": 80.0,
    "scripts/simulate_sumo.py": 10.0,
    "scripts/extract_features.py": 25.0,
    "scripts/train_encoder.py": 0.7,
}
"""Size of results where no record tells; others count 0.1."""


@dataclass(frozen=True)
class ToDo:
    """A job that Snakemake would run."""

    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    command: str
    threads: int = 1
    memory_mb: int | None = None


@dataclass(frozen=True)
class Seen:
    """What the record of a job tells."""

    output: str
    command: str
    cpu_seconds: float
    seconds: float
    memory_mb: float
    megabytes: float
    gpu: bool


@dataclass(frozen=True)
class Estimate:
    """CPU hours, GPU hours (``None``: unknown), MB of memory and of files, and what it rests on."""

    cpu_hours: float
    gpu_hours: float | None
    memory_mb: float
    megabytes: float
    basis: str


def parse(printed: str) -> list[ToDo]:
    """Read the jobs that ``snakemake --dry-run --printshellcmds`` prints; targets are left out."""
    found, fields = [], {}
    for line in printed.splitlines():
        if match := re.match(r"(?:local)?rule (\w+):$", line):
            fields = {"rule": match[1]}
        elif match := re.match(r"    (input|output|threads|resources): (.*)$", line):
            fields[match[1]] = match[2]
        elif line.startswith("Shell command: ") and "output" in fields:
            memory = re.search(r"mem_mb=(\d+)", fields.get("resources", ""))
            found.append(
                ToDo(
                    fields["rule"],
                    tuple(filter(None, fields.get("input", "").split(", "))),
                    tuple(fields["output"].split(", ")),
                    line.removeprefix("Shell command: "),
                    int(fields.get("threads", 1)),
                    int(memory[1]) if memory else None,
                )
            )
            fields = {}
    return found


def seen(record: dict) -> Seen | None:
    """Read what a record tells of a job's cost; ``None`` if the job is not done or was cut off."""
    attempts = record.get("attempts", [])
    if not record.get("outputs") or any("cpu_seconds" not in a for a in attempts):
        return None
    last, workers = attempts[-1], int(record["options"].get("workers") or 1)
    memory = last["memory_mb"] + (workers * last["worker_memory_mb"] if workers > 1 else 0)
    return Seen(
        next(iter(record["outputs"])),
        record["command"],
        sum(a["cpu_seconds"] for a in attempts),
        sum(a["seconds"] for a in attempts),
        memory,
        sum(file["bytes"] for file in record["outputs"].values()) / 1e6,
        "gpu" in last,
    )


class Estimator:
    """Estimates jobs from records and, where they are silent, from the speed of this machine.

    Parameters
    ----------
    plan
        The configuration.
    before
        What earlier runs took, at any scale.
    calibrate
        ``calibrate(script, model, device)`` gives seconds a GFLOP.
    device
        Where trainings run: ``cpu``, or ``cuda``.
    gpu_here
        Whether this machine has the GPU; else GPU hours may stay unknown.
    """

    def __init__(
        self,
        plan: Plan,
        before: Iterable[Seen],
        calibrate: Callable[[str, str, str], float],
        device: str = "cpu",
        gpu_here: bool = False,
    ):
        self.plan, self.device, self.gpu_here = plan, device, gpu_here
        self._calibrate, self._speeds = calibrate, {}
        self._before = []
        for one in before:
            try:
                self._before.append((one, *self._describe(one.command, one.output)))
            except (KeyError, IndexError):  # of an experiment that is configured no more
                continue

    def _describe(self, command, output):
        """Script, model, kind of data, and work of a job."""
        script, options = speed.options_of(command)
        amount = speed.work(script, options, output, self.plan)
        return script, speed.model_of(script, options), speed.kind_of(output), amount

    def __call__(self, job: ToDo) -> Estimate:
        """Estimate a job."""
        output = job.outputs[0]
        script, model, kind, amount = self._describe(job.command, output)
        on_gpu = self.device == "cuda" and script in (speed.ENCODER, speed.SUPERVISED)
        of_command = [b for b in self._before if b[1] == script and b[0].gpu == on_gpu]
        like = [b for b in of_command if b[2:4] == (model, kind)]
        like = like or [b for b in of_command if b[2] == model]
        same = [b[0] for b in like if (b[0].output, _plain(b[0])) == (output, _plain(job))]
        if same:
            seconds, basis = (same[0].seconds if on_gpu else same[0].cpu_seconds), "its record"
        elif amount is None:
            seconds = self._typical("cpu_seconds", median, job, like, WHOLE.get(script, 1.0))
            basis = "records" if like else "model"
        else:
            rate, basis = self._rate(script, model, like, on_gpu)
            seconds = None if rate is None else START[script] + amount * rate
        # A GPU has no start-up to speak of in its hours; its job keeps one core busy all the time.
        hours = 0.0 if seconds is None else seconds / 3600
        return Estimate(
            cpu_hours=hours,
            gpu_hours=(None if seconds is None else hours) if on_gpu else 0.0,
            memory_mb=self._typical("memory_mb", max, job, like, job.memory_mb or MEMORY_MB),
            megabytes=self._typical("megabytes", median, job, like, DISK_MB.get(script, 0.1)),
            basis=basis,
        )

    def _typical(self, what, how, job, like, assumed):
        """Median or largest value of like jobs, of the same scale and workers if there are any."""
        seen = [b[0] for b in like]
        own = [getattr(s, what) for s in seen if _size(s.output, s) == _size(job.outputs[0], job)]
        if own:
            return how(own)
        return max([assumed, *([how([getattr(s, what) for s in seen])] if seen else [])])

    def _rate(self, script, model, like, on_gpu):
        """Seconds a unit of work, and what that rests on.

        Jobs that hardly take longer than their start say nothing about speed.
        """
        taken = [((b[0].seconds if on_gpu else b[0].cpu_seconds), b[4]) for b in like]
        start = START[script]
        rates = [(seconds - start) / amount for seconds, amount in taken if seconds > 4 * start]
        if rates:
            return median(rates), "records"
        if script == speed.PHASE2:
            return speed.SECONDS_A_FIT, "model"
        if on_gpu and not self.gpu_here:
            return None, "unknown"
        if (script, model) not in self._speeds:
            self._speeds[script, model] = self._calibrate(script, model, self.device)
        return self._speeds[script, model], "model"


def _plain(job: ToDo | Seen) -> dict:
    """Options of a job but for those that change no number."""
    options = speed.options_of(job.command)[1]
    return {k: v for k, v in options.items() if k not in ("workers", "device", "checkpoint")}


def _size(output: str, job: ToDo | Seen) -> tuple:
    """Scale and workers of a job, which its memory and its files depend on."""
    return Path(output).parts[1], speed.options_of(job.command)[1].get("workers")


def needed(targets: Iterable[str], inputs_of: dict[str, list[str]]) -> list[str]:
    """Keys of ``inputs_of`` that targets are made from, directly or not, themselves included."""
    found, todo = {}, list(targets)
    while todo:
        path = todo.pop()
        if path in inputs_of and path not in found:
            found[path] = None
            todo += inputs_of[path]
    return list(found)
