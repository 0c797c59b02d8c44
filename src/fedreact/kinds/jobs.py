"""A job of any kind of run, as its command runs it: what it reads, checks and writes."""

import csv
import logging
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fedreact import npz, plugins
from fedreact.atomic import atomic
from fedreact.clients import checks as of_partition
from fedreact.clients.partition import Partition
from fedreact.data import checks as of_data
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.contract import Inputs, Line, Method, method, skipped
from fedreact.kinds.of_clients import CLIENTS, OfClients
from fedreact.metrics.contract import PRIMARY, Metric
from fedreact.metrics.grammar import load_metric
from fedreact.metrics.grammar import names as names_of_metrics
from fedreact.task import Task

log = logging.getLogger("fedreact")


def read_inputs(args: Namespace, spec: Any) -> Inputs:
    """Read data, partition and what else the kind needs; they must be of one dataset."""
    data = SeriesDataset.load(args.data)
    partition = Partition.load(args.partition, len(data.y))
    if "features" not in spec.NEEDS:
        return Inputs(data, partition, setting=args.setting)
    if args.features is None:
        raise UserError(f"{args.kind}: --features is missing")
    encoded = npz.load(args.features, "features file", ["features"])
    features = encoded["features"]
    if features.dtype.kind != "f" or features.ndim != 2:
        raise UserError(
            f"{args.features}: features must be numbers [N, D], got {features.dtype} "
            f"{features.shape}"
        )
    if len(features) != len(data.y):
        raise UserError(
            f"{args.data} and {args.features} are not of one dataset: they have {len(data.y)} and "
            f"{len(features)} series"
        )
    if not np.isfinite(features).all():
        bad = int(np.flatnonzero(~np.isfinite(features).all(1))[0])
        raise UserError(f"{args.features}: features of series {bad} are NaN or infinite")
    costs = encoded.get("costs", np.zeros(0))
    if costs.shape != (4,) or costs.dtype.kind != "f":  # features of a person's own
        costs = np.full(4, np.nan)
    steps, gflops, megabytes, each = map(float, costs)
    gflops += each * float(np.mean([len(samples) for samples in partition.train]))
    return Inputs(data, partition, features, (steps, gflops, megabytes), args.setting)


def read_methods(kind: str, given: Mapping[str, Any], task: Task) -> list[Method]:
    """Check the methods of a job; each must be able to run on the task."""
    found = []
    for name, of_method in given.items():
        one = method(kind, name, of_method, f"method {name}")
        if why := skipped(kind, one.algorithm, task):
            raise UserError(f"method {name} cannot run on {task.kind}: {why}")
        found.append(one)
    return found


def read_metrics(names: Sequence[str], task: Task) -> dict[str, Metric]:
    """Metrics by their names, those of the task if none are given."""
    found = {n: load_metric(n) for n in names or [PRIMARY[task.kind]]}
    for name, metric in found.items():
        if task.kind not in metric.kinds:
            raise UserError(f"metric {name} is not available for {task.kind}")
    return found


def findings(kind: str, inputs: Inputs, options: Any, methods: Sequence[Method]) -> list[str]:
    """Say, and return, what makes a run's results mean nothing: data, clients, or options."""
    of_kind = runs.part_of(kind, "run")
    registered = inputs.data.name in plugins.names("data/sources", "SOURCE")
    found = [
        *of_data.findings(inputs.data, stated=registered),
        *of_partition.findings(inputs.partition, None if registered else inputs.data.y),
        *(of_kind.findings(inputs, options, methods) if hasattr(of_kind, "findings") else []),
    ]
    for sentence in found:
        log.warning("note: %s", sentence)
    return found


def write(
    output: Path,
    lines: Iterable[Line],
    inputs: Inputs,
    index: Sequence[str],
    seed: int,
    metric: str,
    findings: Sequence[str],
) -> None:
    """Write lines of scores, as they come, as a csv with a header, and what is kept of clients."""
    kept, header = OfClients(inputs.partition, metric, findings), None
    with (
        atomic(output) as path,
        atomic(output.with_suffix(CLIENTS)) as beside,
        path.open("w", newline="") as file,
    ):
        rows = csv.writer(file, lineterminator="\n")
        for line in kept.note(lines):
            if header is None:
                header = list(line.values)
                rows.writerow(["setting", "data", "seed", *index, *header])
            values = [written(name, line.values[name]) for name in header]
            rows.writerow([inputs.setting, inputs.data.name, seed, *line.index, *values])
        kept.save(beside)


@cache
def is_counted(name: str) -> bool:
    """Whether a column of scores is a metric that is counted; some columns are no metrics."""
    return name in names_of_metrics("base") and load_metric(name).counted


def written(name: str, value: float) -> str:
    """Six decimals of what is measured, six digits of what is counted, nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:.6g}" if is_counted(name) else f"{value:.6f}"
