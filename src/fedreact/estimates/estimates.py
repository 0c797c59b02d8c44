"""What a run of the workflow will cost: jobs that remain, and what earlier runs say of their like.

A job is estimated, in this order, by its own record under the same options; by records of the same
step, model and data; of the same step and model; by the speed measured here. Time grows with the
work (:mod:`fedreact.estimates.work`); what is no training takes the median of its like. Memory is
the largest of its like, disk the median. Records of another scale, which may have less data, lower
neither below what is assumed without records.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from statistics import median

from fedreact.estimates.records import Like, Seen, like_of

START = {"encoders": 4.0}
"""CPU seconds that a step takes before its work (importing torch, reading, writing); else 2."""

WHOLE = {"features": 10.0, "parts": 60.0}
"""CPU seconds of steps whose work is not counted, where no record tells; others take 1."""

TRAININGS = "train"
"""How the rules begin whose jobs a GPU takes."""

MEMORY_MB = 700
"""Memory of a job where neither a record nor the rule tells."""

DISK_MB = {"data": 25.0, "parts": 10.0, "features": 25.0, "encoders": 0.7}
"""Size of results where no record tells; others count 0.1."""

UNCHANGED = ("--workers", "--device", "--checkpoint")
"""Options that change no number."""


@dataclass(frozen=True)
class ToDo:
    """A job that Snakemake would run."""

    rule: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    command: str
    wildcards: Mapping[str, str] = field(default_factory=dict, hash=False)
    threads: int = 1
    memory_mb: int | None = None


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
    jobs, fields = [], {}
    for line in printed.splitlines():
        if match := re.match(r"(?:local)?rule (\w+):$", line):
            fields = {"rule": match[1]}
        elif match := re.match(r"    (input|output|wildcards|threads|resources): (.*)$", line):
            fields[match[1]] = match[2]
        elif line.startswith("Shell command: ") and "output" in fields:
            memory = re.search(r"mem_mb=(\d+)", fields.get("resources", ""))
            jobs.append(
                ToDo(
                    fields["rule"],
                    tuple(filter(None, fields.get("input", "").split(", "))),
                    tuple(fields["output"].split(", ")),
                    line.removeprefix("Shell command: "),
                    _wildcards(fields.get("wildcards", "")),
                    int(fields.get("threads", 1)),
                    int(memory[1]) if memory else None,
                )
            )
            fields = {}
    return jobs


def _wildcards(text):
    """``kind=clustered, setting=a+b=c`` as a mapping."""
    pairs = (part.partition("=") for part in text.split(", ") if part)
    return {name: value for name, _, value in pairs}


class Estimator:
    """Estimates jobs from records and, where they are silent, from the speed of this machine.

    Parameters
    ----------
    before
        What earlier runs took, at any scale.
    gflops
        Work of a job, ``None`` if it is not counted.
    calibrate
        Seconds a GFLOP of a job's like, measured here.
    device
        Where trainings run: ``cpu``, or ``cuda``.
    gpu_here
        Whether this machine has the GPU; else GPU hours may stay unknown.
    megabytes
        What a job writes of each client, where no record tells.
    """

    def __init__(
        self,
        before: Iterable[Seen],
        gflops: Callable[[ToDo], float | None],
        calibrate: Callable[[ToDo], float],
        device: str = "cpu",
        gpu_here: bool = False,
        megabytes: Callable[[ToDo], float] = lambda job: 0.0,
    ):
        self.device, self.gpu_here, self._gflops = device, gpu_here, gflops
        self._megabytes = megabytes
        self._calibrate = calibrate
        self._speeds: dict[Like, float] = {}
        self._before = [(like_of(one.output, one.command), one) for one in before]

    def __call__(self, job: ToDo) -> Estimate:
        """Estimate a job."""
        output, like = job.outputs[0], like_of(job.outputs[0], job.command)
        amount = self._gflops(job)
        on_gpu = self.device == "cuda" and job.rule.startswith(TRAININGS)
        alike = self._alike(like, on_gpu)
        own = [s for s in alike if (s.output, plain(s.command)) == (output, plain(job.command))]
        if own:
            seconds, basis = _taken(own[0], on_gpu), "its record"
        elif amount is not None and isnan(amount) and not alike:
            seconds, basis = None, "unknown"  # a model that does not count its operations
        elif amount is None or isnan(amount):
            assumed = WHOLE.get(like.step, 1.0)
            seconds = self._typical("cpu_seconds", median, output, job, alike, assumed)
            basis = "records" if alike else "model"
        else:
            rate, basis = self._rate(job, like, alike, on_gpu)
            seconds = None if rate is None else _start(like) + amount * rate
        # A GPU has no start-up to speak of in its hours; its job keeps one core busy all the time.
        hours = 0.0 if seconds is None else seconds / 3600
        memory = job.memory_mb or MEMORY_MB
        disk = DISK_MB.get(like.step, 0.1) + self._megabytes(job)
        return Estimate(
            cpu_hours=hours,
            gpu_hours=(None if seconds is None else hours) if on_gpu else 0.0,
            memory_mb=self._typical("memory_mb", max, output, job, alike, memory),
            megabytes=self._typical("megabytes", median, output, job, alike, disk),
            basis=basis,
        )

    def _alike(self, like, on_gpu):
        """Records of the same step, model and data; else of the same step and model."""
        of_step = [(k, s) for k, s in self._before if k.step == like.step and s.gpu == on_gpu]
        same = [s for k, s in of_step if k == like]
        return same or [s for k, s in of_step if k.model == like.model]

    def _typical(self, what, how, output, job, alike, assumed):
        """Median or largest value of like jobs, of the same scale and workers if there are any."""
        size = _size(output, job.command)
        own = [getattr(s, what) for s in alike if _size(s.output, s.command) == size]
        if own:
            return how(own)
        return max([assumed, *([how([getattr(s, what) for s in alike])] if alike else [])])

    def _rate(self, job, like, alike, on_gpu):
        """Seconds a GFLOP, and what that rests on.

        Jobs that hardly take longer than their start say nothing about speed.
        """
        start = _start(like)
        measured = [(_taken(s, on_gpu), s.gflops) for s in alike if s.gflops]
        rates = [(seconds - start) / amount for seconds, amount in measured if seconds > 4 * start]
        if rates:
            return median(rates), "records"
        if on_gpu and not self.gpu_here:
            return None, "unknown"
        if like not in self._speeds:  # a model is not as fast on series of another shape
            self._speeds[like] = self._calibrate(job)
        return self._speeds[like], "model"


def _start(like):
    return START.get(like.step.split("/")[0], 2.0)


def _taken(seen, on_gpu):
    return seen.seconds if on_gpu else seen.cpu_seconds


def plain(command: str) -> str:
    """A command without options that change no number, and without what the shell adds."""
    text = command.split(" 2>&1")[0]
    for option in UNCHANGED:
        text = re.sub(rf" {option} \S+", "", text)
    return text


def _size(output, command):
    """Scale and workers of a job, which its memory and its files depend on."""
    workers = re.search(r"--workers (\d+)", command)
    return Path(output).parts[1], workers[1] if workers else None


def needed(targets: Iterable[str], inputs_of: dict[str, list[str]]) -> list[str]:
    """Keys of ``inputs_of`` that targets are made from, directly or not, themselves included."""
    seen: dict[str, None] = {}
    todo = list(targets)
    while todo:
        path = todo.pop()
        if path in inputs_of and path not in seen:
            seen[path] = None
            todo += inputs_of[path]
    return list(seen)
