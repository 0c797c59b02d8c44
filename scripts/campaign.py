"""Run what is missing of a paper's tables at a large scale, for some minutes, and keep each run.

Runs that have ended are kept in reference/<scale>/<paper>/runs/ with their values by seed, so that
another evening, on this machine or another, goes on from there. Tables are made from what is kept.
"""

import fcntl
import os
import signal
from pathlib import Path

import torch

from fedreact.campaign import tables
from fedreact.campaign.evening import Evening, Resources
from fedreact.campaign.kept import KeptRuns
from fedreact.campaign.queue import batches
from fedreact.command import log, parser, run
from fedreact.errors import UserError
from fedreact.estimates import asking, records
from fedreact.reading import key_and_value, read_yaml
from fedreact.resolve.plan import Plan


def main(args):
    """Work until the time is over, then make the tables of what is kept."""
    # Both end its Snakemake, also in the background of a shell script, which ignores Ctrl-C.
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, signal.default_int_handler)
    resources = Resources(args.minutes, args.cores, args.profile)
    config = [f"scale={args.scale}", f"papers={args.paper}", *args.config]
    plan = Plan(read_yaml(Path("config/config.yaml")) | dict(map(key_and_value, config)))
    plan.check()
    plan.export()
    folder = args.references / args.scale / args.paper
    kept = KeptRuns(folder, Path(plan.results))
    Path(plan.results).mkdir(parents=True, exist_ok=True)
    with (Path(plan.results) / "campaign.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{plan.results}: another campaign is running there; wait for it, or stop it"
            ) from None
        evening = Evening(plan, batches(plan, args.paper), kept, config, lock.fileno())
        if not evening.runs:
            raise UserError(f"{args.paper}: no data of its tables can be had here; see make plan")
        gpu = torch.cuda.is_available()
        device = plan.config.device if plan.config.device != "auto" else ("cuda" if gpu else "cpu")
        evening.begin(asking.estimator(plan, records.earlier(), device, gpu), resources)
        try:
            evening.work(resources)
        finally:
            outputs = {one.output for one in evening.done}
            made = tables.make(plan, args.paper, outputs, folder)
            log.info("%d tables are made of what is kept, in %s", len(made), folder)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--paper", required=True, help="a folder in config/papers/")
    p.add_argument("--scale", default="paper", help="a file in config/scales/")
    p.add_argument("--minutes", type=float, default=150, help="after which it stops")
    p.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="or jobs of a cluster")
    p.add_argument("--profile", help="of Snakemake, e.g. profiles/slurm")
    p.add_argument("--config", nargs="*", default=[], help="changes of config.yaml, key=value")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
