"""The command that says what a run will cost, and what Snakemake tells it."""

import json
import re
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import BASE
from small_jobs import PRINTED, seen

from fedreact import provenance
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates, overview, planning
from fedreact.estimates.work import SECONDS_A_GFLOP, PlannedWork
from fedreact.resolve.plan import Plan

pytestmark = pytest.mark.campaign


def show(args):
    """Print the plan, as the command does."""
    planned = planning.plan(args.targets, args.scale, args.cores, args.config)
    print(planned.text(args.cores))


OF_DIGITS = PRINTED.replace("/p/d/", "/fed_react/air-writing-sim/").replace(
    "paper=p, dataset=d,", "paper=fed_react, dataset=air-writing-sim,"
)
(ENCODER,) = estimates.parse(OF_DIGITS)
RUN = estimates.ToDo(
    "run",
    (),
    ("results/smoke/runs/clustered/fed_react/air-writing-sim/stationary10/all/seed0.csv",),
    "python scripts/run.py clustered",
    {
        "kind": "clustered",
        "paper": "fed_react",
        "dataset": "air-writing-sim",
        "setting": "stationary10",
        "job": "all",
        "seed": "0",
    },
)


def test_scoring_counts_once_the_test_series_are_known(project, monkeypatch, tmp_path):
    """4 algorithms, each scored after both of its rounds, on 7 and 5 series."""
    plan = Plan(BASE)
    where = dict(RUN.wildcards) | {"kind": "synchronous", "setting": "full10", "job": "causal-cnn"}
    work = PlannedWork(plan)
    file = tmp_path / "partition.npz"
    monkeypatch.setattr(work, "_partition", lambda w: str(file))
    monkeypatch.setattr(work, "_sizes", lambda w, partition: [10, 20])
    before = work.gflops("train", where)
    np.savez(file, n_test=np.array([7, 5]))
    options = work.run(SimpleNamespace(**plan.named(where))).options
    assert (options.rounds, options.score) == (2, "doubling")
    training, task = work.training("train", where)
    passes = 4 * 2 * 12 * 2 * training.objective.multiply_adds(task.steps) / 1e9
    assert work.gflops("train", where) - before == pytest.approx(passes)


def test_an_estimator_measures_what_records_do_not_tell(project, monkeypatch, caplog):
    asked = []

    def calibrate(training, task, device):
        asked.append((training.objective.encoder, task.channels, device))
        return 1e-3

    monkeypatch.setattr(asking, "calibrate", calibrate)
    plan = Plan(BASE)
    with caplog.at_level("INFO"):
        found = asking.estimator(plan, [], "cpu", False)(ENCODER)
    gflops = PlannedWork(plan).gflops(ENCODER.rule, ENCODER.wildcards)
    assert found.cpu_hours == pytest.approx((4 + 1e-3 * gflops) / 3600)
    assert [(channels, device) for _, channels, device in asked] == [(3, "cpu")]
    assert "Timing a few steps of" in caplog.text
    # What trains nothing is not timed.
    run = asking.estimator(plan, [], "cpu", False)(RUN)
    gflops = PlannedWork(plan).gflops("run", RUN.wildcards)
    assert run.cpu_hours == pytest.approx((2 + SECONDS_A_GFLOP * gflops) / 3600)
    assert len(asked) == 1


def test_an_estimator_rests_on_records(project, monkeypatch):
    def calibrate(*_):
        raise AssertionError("records are enough")

    monkeypatch.setattr(asking, "calibrate", calibrate)
    plan = Plan(BASE)
    gflops = PlannedWork(plan).gflops(ENCODER.rule, ENCODER.wildcards)
    found = asking.estimator(plan, [seen(gflops=gflops / 2)], "cpu", False)(ENCODER)
    assert found.cpu_hours == pytest.approx((4 + 2000) / 3600)


def test_estimates_stand_beside_what_was_taken(project, capsys, monkeypatch):
    args = Namespace(scale="smoke", config=["dataset=air-writing-sim", "eeg_dataset=eeg-sim"])
    args.targets, args.cores = ["all"], 2
    monkeypatch.setattr(asking, "calibrate", lambda *_: 1e-3)
    monkeypatch.setattr(asking, "dry_run", lambda *_: OF_DIGITS)
    show(args)
    printed = capsys.readouterr().out
    assert printed.startswith("Scale smoke, air-writing-sim, eeg-sim, sumo-ev, ")
    assert "train_encoder      1" in printed
    assert "model 1" in printed
    kept = json.loads(Path("results/smoke/provenance/plan.json").read_text())
    assert list(kept) == list(ENCODER.outputs)

    (output,) = map(Path, ENCODER.outputs)
    output.parent.mkdir(parents=True)
    output.write_text("")
    attempt = {"cpu_seconds": 7200, "seconds": 4, "memory_mb": 1, "worker_memory_mb": 2}
    record = {"command": ENCODER.command, "options": {}, "attempts": [attempt]}
    record["outputs"] = {str(output): {"bytes": 1}}
    path = provenance.record_file(Path("results/smoke"), output)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record))
    monkeypatch.setattr(asking, "dry_run", lambda *_: "Nothing to be done")
    show(args)
    row = next(x for x in capsys.readouterr().out.splitlines() if x.startswith("train_encoder"))
    assert row.split()[1] == "0"
    assert row.split()[-3] == "1"
    assert row.split()[-2] == overview.hours(kept[str(output)]["cpu_hours"])
    assert row.split()[-1] == "2"


def test_a_job_whose_result_is_gone_has_taken_nothing(project, capsys, monkeypatch):
    monkeypatch.setattr(asking, "calibrate", lambda *_: 1e-3)
    monkeypatch.setattr(asking, "dry_run", lambda *_: OF_DIGITS)
    args = Namespace(scale="smoke", config=["dataset=air-writing-sim"], targets=[], cores=1)
    show(args)
    monkeypatch.setattr(asking, "dry_run", lambda *_: "")
    capsys.readouterr()
    show(args)
    printed = capsys.readouterr().out
    assert "train_encoder" not in printed
    assert printed.rstrip().endswith(overview.DONE)


@pytest.mark.workflow
def test_what_snakemake_prints_is_read_whole(project):
    """Jobs of each rule with their wildcards, which lead to their work."""
    config = ["dataset=air-writing-sim", "eeg_dataset=eeg-sim"]
    printed = asking.dry_run(["table11", "fig03"], 2, "smoke", config)
    jobs = estimates.parse(printed)
    counts = dict(re.findall(r"^(\w+) +(\d+)$", printed.rsplit("Job stats:", 1)[1], re.MULTILINE))
    for target in ("total", "table11", "fig03"):
        del counts[target]
    assert {rule: str([job.rule for job in jobs].count(rule)) for rule in counts} == counts
    assert len(jobs) == sum(map(int, counts.values()))
    assert {"train_encoder", "run", "make_table", "make_figure"} < set(counts)
    work = PlannedWork(Plan(BASE))
    for job in jobs:
        assert job.outputs[0].startswith("results/smoke/")
        assert job.command.startswith("python scripts/")
        counted = job.rule in ("train_encoder", "run")
        assert (work.gflops(job.rule, job.wildcards) is not None) == counted
    runs = [job.wildcards for job in jobs if job.rule == "run"]
    assert {w["kind"] for w in runs} == {"clustered", "n_clusters"}
    changed = "encoder.optimizer=kind:dtssgd,"
    assert any(
        changed in work.plan.named(job.wildcards)["encoder"]
        for job in jobs
        if job.rule == "train_encoder"
    )
    assert all(job.memory_mb for job in jobs if job.rule == "run")


@pytest.mark.workflow
def test_what_snakemake_refuses_is_one_line(project):
    with pytest.raises(UserError, match=r"^nothing_of_this_name is neither a target") as caught:
        asking.dry_run(["nothing_of_this_name"], 1, "smoke", ["dataset=air-writing-sim"])
    assert "\n" not in str(caught.value)
