"""What a run will cost, and what it has taken: what ``fedreact plan`` prints."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fedreact.atomic import write_text
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates, overview, records
from fedreact.reading import key_and_value, read_yaml
from fedreact.resolve.plan import Plan


@dataclass(frozen=True)
class Planned:
    """Jobs that are to be done, and those that an earlier plan had estimated and are done.

    Attributes
    ----------
    scale, device
        What they run at and on.
    datasets
        Names of the data.
    jobs
        Estimates of the jobs that are to be done, by their first output.
    everything
        The same of all jobs, those that are done too.
    took
        CPU hours of those that are done.
    named
        Files of each target.
    """

    scale: str
    device: str
    datasets: list[str]
    jobs: dict[str, dict[str, Any]]
    everything: dict[str, dict[str, Any]]
    took: dict[str, float]
    named: dict[str, list[str]]

    def text(self, cores: int) -> str:
        """Write it for people."""
        head = f"Scale {self.scale}, {', '.join(self.datasets)}, on {self.device}.\n\n"
        return head + overview.text(self.everything, self.jobs, self.took, self.named, cores)

    def about(self) -> dict[str, Any]:
        """Say it to a program: sums, and each job."""
        jobs = self.jobs.values()
        return {
            "scale": self.scale,
            "device": self.device,
            "data": self.datasets,
            "to_do": len(self.jobs),
            "cpu_hours": sum(job["cpu_hours"] for job in jobs),
            "megabytes": sum(job["megabytes"] for job in jobs),
            "memory_mb": max((job["memory_mb"] for job in jobs), default=0),
            "jobs": list(jobs),
        }


def plan(targets: Sequence[str], scale: str, cores: int, config: Sequence[str] = ()) -> Planned:
    """Ask Snakemake what is to be done, and estimate it.

    Estimates are kept in ``results/<scale>/provenance/plan.json`` until the jobs are done.

    Parameters
    ----------
    targets
        Targets of Snakemake.
    config
        Changes of ``config.yaml``, ``key=value``.

    Raises
    ------
    UserError
        A target or a setting is unknown.
    """
    import torch

    content = read_yaml(Path("config/config.yaml"))
    if not isinstance(content, dict):
        raise UserError("config/config.yaml: wanted keys and values")
    resolved = Plan(content | dict(map(key_and_value, config)) | {"scale": scale})
    to_do = estimates.parse(asking.dry_run(targets, cores, scale, config))
    cuda = torch.cuda.is_available()
    device = (
        resolved.config.device if resolved.config.device != "auto" else ("cuda" if cuda else "cpu")
    )
    estimate = asking.estimator(resolved, records.earlier(), device, cuda)
    jobs = {
        job.outputs[0]: {"rule": job.rule, "inputs": job.inputs, "outputs": job.outputs}
        | asdict(estimate(job))
        for job in to_do
    }
    file = Path(resolved.results, "provenance/plan.json")
    kept = json.loads(file.read_text()) if file.exists() else {}
    write_text(file, json.dumps(kept | jobs, indent=1) + "\n")
    took = records.took(Path(resolved.results), kept.keys() - jobs.keys())
    everything = {name: kept[name] for name in took} | jobs
    out = resolved.files.outputs
    named = resolved.named_outputs() | {"report": [f"{out}/report.html", f"{out}/report.pdf"]}
    datasets = resolved.outputs.datasets_shown(targets)
    return Planned(resolved.scale, device, list(datasets), jobs, everything, took, named)
