"""A job of any kind of run, as its command runs it: what it reads, checks and writes."""

import csv
import logging
from argparse import Namespace
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fedreact import npz, plugins
from fedreact.atomic import atomic
from fedreact.clients import checks as partition_checks
from fedreact.clients.partition import Partition
from fedreact.data import checks as data_checks
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.client_records import CLIENTS, ClientRecords
from fedreact.kinds.contract import Inputs, Line, Method, WithFindings, method, skipped
from fedreact.metrics.contract import PRIMARY, Metric
from fedreact.metrics.grammar import load_metric
from fedreact.metrics.grammar import names as names_of_metrics
from fedreact.options import shown
from fedreact.task import Task

log = logging.getLogger("fedreact")


def read_inputs(args: Namespace, spec: Any) -> Inputs:
    """Read data, partition and what else the kind needs; they must be of one dataset."""
    data = SeriesDataset.load(args.data)
    partition = Partition.load(args.partition, len(data.y)).with_labels()
    if partition.newcomers is not None and not getattr(spec, "NEWCOMERS", False):
        raise UserError(
            f"{args.partition}: clients join after the training, which runs of kind {args.kind} "
            "cannot; leave this kind out of the setting"
        )
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


def read_methods(kind: str, entries: Any, task: Task) -> list[Method]:
    """Check the methods of a job: a mapping from names to options.

    Raises
    ------
    UserError
        It is no such mapping; or a method has an unknown algorithm or option, or cannot run on the
        task.
    """
    if not isinstance(entries, dict) or not all(isinstance(e, dict) for e in entries.values()):
        raise UserError(f"--methods: wanted options of methods by name, got {shown(entries)}")
    methods = []
    for name, entry in entries.items():
        checked = method(kind, name, entry, f"method {name}")
        if why := skipped(kind, checked.algorithm, task):
            raise UserError(f"method {name} cannot run on {task.kind}: {why}")
        methods.append(checked)
    return methods


def read_metrics(names: Sequence[str], task: Task) -> dict[str, Metric]:
    """Load metrics by their names, the task's main one if no names are given.

    Raises
    ------
    UserError
        A metric is unknown, or not computed for such tasks.
    """
    metrics = {n: load_metric(n) for n in names or [PRIMARY[task.kind]]}
    for name, metric in metrics.items():
        if task.kind not in metric.kinds:
            raise UserError(f"metric {name} is not available for {task.kind}")
    return metrics


def findings(kind: str, inputs: Inputs, options: Any, methods: Sequence[Method]) -> list[str]:
    """Log, and return, what makes a run's results mean nothing: data, clients, or options."""
    run = runs.part_of(kind, "run")
    registered = inputs.data.name in plugins.names("data/sources", "SOURCE")
    sentences = [
        *data_checks.findings(inputs.data, stated=registered),
        *partition_checks.findings(
            inputs.partition, None if registered else inputs.data.y, inputs.data.label_names
        ),
        *([] if registered else partition_checks.leaks(inputs.partition, inputs.data)),
        *(run.findings(inputs, options, methods) if isinstance(run, WithFindings) else []),
    ]
    for sentence in sentences:
        log.warning("note: %s", sentence)
    return sentences


def write(
    output: Path,
    lines: Iterable[Line],
    inputs: Inputs,
    index: Sequence[str],
    seed: int,
    metric: str,
    findings: Sequence[str],
) -> None:
    """Write lines of scores, as they come, as a csv with a header, and the records of clients."""
    records = ClientRecords(inputs.partition, metric, findings)
    header: list[str] | None = None
    with (
        atomic(output) as path,
        atomic(output.with_suffix(CLIENTS)) as beside,
        path.open("w", newline="") as file,
    ):
        rows = csv.writer(file, lineterminator="\n")
        for line in records.note(lines):
            if header is None:
                header = list(line.values)
                rows.writerow(["setting", "data", "seed", *index, *header])
            values = [written(name, line.values[name]) for name in header]
            rows.writerow([inputs.setting, inputs.data.name, seed, *line.index, *values])
        records.save(beside)


@cache
def is_counted(name: str) -> bool:
    """Tell whether a column of scores is a metric that is counted; some are no metrics."""
    return name in names_of_metrics("base") and load_metric(name).counted


def written(name: str, value: float) -> str:
    """Write a value by six decimals if it is measured, six digits if counted; NaN is empty."""
    if np.isnan(value):
        return ""
    return f"{value:.6g}" if is_counted(name) else f"{value:.6f}"
