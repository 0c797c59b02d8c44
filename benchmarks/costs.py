"""Core-hours of each paper at each scale, as `make plan` says here, and their most costly step.

Nothing may have been run yet in the folder: plans are of all that is to be done, and rest on the
speed of this machine, measured on a few steps of each model (the median of several turns, once for
all scales), not on records. Papers share encoders and features, which each paper counts.

    python benchmarks/costs.py [--scales quick overnight weekend paper] [--turns 3]
"""

import os
from collections import defaultdict
from pathlib import Path
from statistics import median

from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates, overview
from fedreact.estimates.records import like_of
from fedreact.estimates.work import calibrate
from fedreact.reading import read_yaml
from fedreact.resolve.papers import paper_names
from fedreact.resolve.plan import Plan


class Measured:
    """Seconds a GFLOP of trainings, measured once for all that train the same in the same way."""

    def __init__(self, turns: int):
        self.turns, self._known = turns, {}

    def __call__(self, training, task, device):
        """Measure as :func:`fedreact.estimates.work.calibrate` does, if not done before."""
        objective = training.objective
        key = (type(objective).__name__, objective.multiply_adds(task.steps), task)
        key += (training.batch_size, training.stacked, str(training.optimizer))
        if key not in self._known:
            turns = [calibrate(training, task, device) for _ in range(self.turns)]
            self._known[key] = median(turns)
        return self._known[key]


def planned(scale, measure):
    """Yield each paper with its core-hours by step."""
    if Path("results", scale, "provenance").exists():
        raise UserError(f"results/{scale}: something was run already; use a fresh clone")
    plan = Plan(read_yaml(Path("config/config.yaml")) | {"scale": scale, "device": "cpu"})
    estimate = asking.estimator(plan, [], "cpu", False, measure)
    for paper in paper_names():
        to_do = estimates.parse(asking.dry_run([paper], os.cpu_count(), scale, ["device=cpu"]))
        hours = defaultdict(float)
        for job in to_do:
            hours[like_of(job.outputs[0], job.command).step] += estimate(job).cpu_hours
        yield paper, hours


def main(args):
    """Print a line for each paper and scale, and one for each scale."""
    measure = Measured(args.turns)
    print(f"{'scale':10s} {'paper':10s} {'core-hours':>10s}  most of them")
    for scale in args.scales:
        total = 0.0
        for paper, by_step in planned(scale, measure):
            hours = sum(by_step.values())
            total += hours
            step, most = max(by_step.items(), key=lambda item: item[1])
            share = f"{step}, {most / hours:.0%}"
            print(f"{scale:10s} {paper:10s} {overview.hours(hours):>10s}  {share}", flush=True)
        on = f"{overview.hours(total / 2)} hours on 2 cores, {overview.hours(total / 32)} on 32"
        print(f"{scale:10s} {'all':10s} {overview.hours(total):>10s}  {on}", flush=True)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--scales", nargs="+", default=["quick", "overnight", "weekend", "paper"])
    p.add_argument("--turns", type=int, default=3)
    run(main, p)
