"""Core-hours of each paper at each scale: by `make plan` on this machine, and as kept runs took.

Nothing may have been run yet in the folder: plans are of all that is to be done, and rest on the
speed of this machine, measured on a few steps of each model, not on records. Papers share
encoders and features, which each paper counts; kept runs may be of other machines.

    python benchmarks/costs.py [--scales quick overnight weekend paper]
"""

import json
import os
from pathlib import Path

from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates, overview
from fedreact.reading import read_yaml
from fedreact.workflow.papers import paper_names
from fedreact.workflow.plan import Plan


def planned(scale):
    """Core-hours by paper."""
    if Path("results", scale, "provenance").exists():
        raise UserError(f"results/{scale}: something was run already; use a fresh clone")
    plan = Plan(read_yaml(Path("config/config.yaml")) | {"scale": scale, "device": "cpu"})
    estimate = asking.estimator(plan, [], "cpu", False)
    found = {}
    for paper in paper_names():
        to_do = estimates.parse(asking.dry_run([paper], os.cpu_count(), scale, ["device=cpu"]))
        found[paper] = sum(estimate(job).cpu_hours for job in to_do)
    return found


def took(scale, paper):
    """Core-hours of the kept run, or ``None``."""
    file = Path("reference", scale, paper, "run.json")
    return json.loads(file.read_text())["cpu_seconds"] / 3600 if file.exists() else None


def main(args):
    """Print a line for each paper and scale."""
    print(f"{'scale':10s}  {'paper':10s}  {'planned':>8s}  {'took':>8s}")
    for scale in args.scales:
        for paper, hours in planned(scale).items():
            kept = overview.hours(took(scale, paper))
            print(f"{scale:10s}  {paper:10s}  {overview.hours(hours):>8s}  {kept:>8s}", flush=True)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--scales", nargs="+", default=["quick", "overnight", "weekend", "paper"])
    run(main, p)
