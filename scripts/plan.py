"""Say what a run will cost before it starts, and beside that what it has taken, once it is done.

Estimates rest on records of earlier runs, at any scale, and where there are none on the speed of
this machine, measured in seconds. They are kept in results/<scale>/provenance/plan.json until the
jobs are done.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import torch
from _cli import atomic, log, parser, run

from fedreact import provenance
from fedreact.errors import UserError
from fedreact.variants import split_variant
from fedreact.workflow import estimates, speed
from fedreact.workflow.config import load_plan
from fedreact.workflow.reading import read_yaml

COLUMNS = ["to do", "CPU h", "GPU h", "memory MB", "files MB", "done", "estimated", "took"]
NOTES = """\
CPU h and GPU h: hours of one core, of one GPU. memory MB: of the largest job. files MB: new ones.
done: jobs that an earlier plan had estimated, with the CPU hours estimated then and taken. Targets
share jobs, so theirs do not add up. Assumed: time grows in proportion to FLOPs (trainings) and to
rounds x clients x methods (Phase 2); jobs that have no like in earlier runs are as fast as a few
training steps were just now; downloads are left out."""


def main(args):
    """Ask Snakemake what is to be done, estimate, print."""
    changes = split_variant("+".join(["", *args.config]))[1]
    plan = load_plan(read_yaml(Path("config/config.yaml")) | changes | {"scale": args.scale})
    to_do = estimates.parse(dry_run(args))
    cuda = torch.cuda.is_available()
    device = ("cuda" if cuda else "cpu") if plan.device == "auto" else plan.device
    estimate = estimates.Estimator(plan, earlier(), calibrate, device, cuda)
    jobs = {
        job.outputs[0]: {"rule": job.rule, "inputs": job.inputs, "outputs": job.outputs}
        | asdict(estimate(job))
        for job in to_do
    }
    file = Path(plan.results, "provenance/plan.json")
    kept = json.loads(file.read_text()) if file.exists() else {}
    with atomic(file) as path:
        path.write_text(json.dumps(kept | jobs, indent=1) + "\n")
    took = {name: taken(plan, name) for name in kept if name not in jobs}
    took = {name: hours for name, hours in took.items() if hours is not None}
    everything = {name: kept[name] for name in took} | jobs
    steps, total = table(everything, jobs, took), summed(everything, jobs, took)
    targets = plan.named_outputs() | {"report": [f"{plan.results}/report.html"]}
    print(f"Scale {plan.scale}, {', '.join(plan.datasets.values())}, on {device}.\n")
    show([["step", *COLUMNS], *steps, ["all", *total]])
    if jobs:
        length = hours(sum(job["cpu_hours"] for job in jobs.values()) / args.cores)
        bases = [job["basis"] for job in jobs.values()]
        counts = ", ".join(f"{name} {bases.count(name)}" for name in dict.fromkeys(bases))
        print(f"\n{length} hours on {args.cores} cores, if all are always busy.")
        print(f"Jobs by what their estimate rests on: {counts}.")
    print()
    show([["target", *COLUMNS], *by_target(targets, everything, jobs, took)])
    print(f"\n{NOTES}")


def dry_run(args):
    """What Snakemake prints on the jobs that are to be done."""
    words = [sys.executable, "-m", "snakemake", *args.targets, "--cores", str(args.cores)]
    words += ["--dry-run", "--printshellcmds", "--config", f"scale={args.scale}", *args.config]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise UserError(f"snakemake: {lines[-1].strip() if lines else done.returncode}")
    return done.stdout


def earlier():
    """What earlier runs took, at any scale."""
    for path in sorted(Path("results").glob("*/provenance/**/*.json")):
        found = provenance.read_record(*result_of(path))
        seen = estimates.seen(found) if found else None
        if seen:
            yield seen


def result_of(path):
    """Results folder and result of a record's file."""
    results = Path(*path.parts[:2])
    return results, results / path.relative_to(results / "provenance")


def calibrate(script, model, device):
    """Measure, and say so: it takes seconds."""
    log.info("measuring the speed of %s %s", Path(script).stem, model)
    return speed.calibrate(script, model, device)


def taken(plan, output):
    """CPU hours that a job has taken; ``None`` if that is not known."""
    record = provenance.read_record(Path(plan.results), Path(output))
    seen = estimates.seen(record) if record and Path(output).exists() else None
    return seen.cpu_seconds / 3600 if seen else None


def table(everything, jobs, took):
    """A row for each step."""
    for rule in dict.fromkeys(job["rule"] for job in everything.values()):
        of_rule = {name: job for name, job in everything.items() if job["rule"] == rule}
        yield [rule, *summed(of_rule, jobs, took)]


def by_target(targets, everything, jobs, took):
    """A row for each table and figure, with all that it is made from."""
    maker = {output: name for name, job in everything.items() for output in job["outputs"]}
    inputs_of = {
        name: [maker[path] for path in job["inputs"] if path in maker]
        for name, job in everything.items()
    }
    for target, files in targets.items():
        makers = [maker[path] for path in files if path in maker]
        own = {name: everything[name] for name in estimates.needed(makers, inputs_of)}
        if own:
            yield [target, *summed(own, jobs, took)]


def summed(some, jobs, took):
    """Texts under :data:`COLUMNS` of some jobs."""
    left = [job for name, job in some.items() if name in jobs]
    done = [name for name in some if name in took]
    gpu = [job["gpu_hours"] for job in left]
    return [
        str(len(left)),
        hours(sum(job["cpu_hours"] for job in left)),
        "unknown" if None in gpu else hours(sum(gpu)),
        f"{max((job['memory_mb'] for job in left), default=0):.0f}",
        f"{sum(job['megabytes'] for job in left):.0f}",
        str(len(done)),
        hours(sum(some[name]["cpu_hours"] for name in done)),
        hours(sum(took[name] for name in done)),
    ]


def hours(value):
    """Three digits or so; nothing is nothing."""
    return "-" if not value else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show(rows):
    """Print rows as columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for first, *rest in rows:
        cells = [text.rjust(width) for text, width in zip(rest, widths[1:])]
        print("  ".join([first.ljust(widths[0]), *cells]))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("targets", nargs="*", default=["all"], help="of Snakemake")
    p.add_argument("--scale", required=True, help="a file in config/scales/")
    p.add_argument("--config", nargs="*", default=[], help="more of config.yaml, key=value")
    p.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    run(main, p)
