"""Estimate the cost of a run before it starts, and compare it with the true cost once it is done.

Estimates rest on records of earlier runs at any scale; without records, on the speed of this
machine, measured in seconds. They are kept in results/<scale>/provenance/plan.json until the jobs
are done.
"""

import json
import os
from dataclasses import asdict
from pathlib import Path

import torch

from fedreact.atomic import write_text
from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates, overview, records
from fedreact.reading import key_and_value, read_yaml
from fedreact.resolve.plan import Plan


def main(args):
    """Ask Snakemake what is to be done, estimate, print."""
    config = read_yaml(Path("config/config.yaml"))
    if not isinstance(config, dict):
        raise UserError("config/config.yaml: wanted keys and values")
    plan = Plan(config | dict(map(key_and_value, args.config)) | {"scale": args.scale})
    to_do = estimates.parse(asking.dry_run(args.targets, args.cores, args.scale, args.config))
    cuda = torch.cuda.is_available()
    device = plan.config.device if plan.config.device != "auto" else ("cuda" if cuda else "cpu")
    estimate = asking.estimator(plan, records.earlier(), device, cuda)
    jobs = {
        job.outputs[0]: {"rule": job.rule, "inputs": job.inputs, "outputs": job.outputs}
        | asdict(estimate(job))
        for job in to_do
    }
    file = Path(plan.results, "provenance/plan.json")
    kept = json.loads(file.read_text()) if file.exists() else {}
    write_text(file, json.dumps(kept | jobs, indent=1) + "\n")
    took = records.took(Path(plan.results), kept.keys() - jobs.keys())
    everything = {name: kept[name] for name in took} | jobs
    targets = plan.named_outputs() | {
        "report": [f"{plan.files.outputs}/report.html", f"{plan.files.outputs}/report.pdf"]
    }
    print(f"Scale {plan.scale}, {', '.join(plan.outputs.datasets_shown())}, on {device}.\n")
    print(overview.text(everything, jobs, took, targets, args.cores))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("targets", nargs="*", default=["all"], help="targets of Snakemake")
    p.add_argument("--scale", required=True, help="a file in config/scales/")
    p.add_argument("--config", nargs="*", default=[], help="changes of config.yaml, key=value")
    p.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    run(main, p)
