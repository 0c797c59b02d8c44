"""What a run will cost: jobs that remain, work, estimates, and what was taken."""

import json
from argparse import Namespace
from pathlib import Path

import plan as command
import pytest
from test_config import BASE

from fedreact import provenance
from fedreact.workflow import estimates, speed
from fedreact.workflow.config import load_plan

PRINTED = """
[Sat Nov 21 14:27:17 2026]
rule train_encoder:
    input: results/smoke/data/d.npz, results/smoke/partitions/d/clients10-beta1.5/seed0.npz
    output: results/smoke/encoders/d/clients10-beta1.5/seed0.npz
    log: results/smoke/logs/encoders/d/clients10-beta1.5/seed0.log
    jobid: 3
    wildcards: dataset=d, encoder=clients10-beta1.5, seed=0
    threads: 2
    resources: mem_mb=2000, mem_mib=1908, tmpdir=/tmp
Shell command: python scripts/train_encoder.py --data d --rounds 10 --steps 500 --batch-size 10 \
--encoder table12 --workers 2 --output o 2>&1 | tee l

[Sat Nov 21 14:27:17 2026]
localrule table05:
    input: results/smoke/tables/table05.csv, results/smoke/tables/table05.md
    jobid: 0
    resources: tmpdir=/tmp
Shell command: None
"""
(ENCODER,) = estimates.parse(PRINTED)
SUPERVISED = (
    "python scripts/train_supervised.py --architecture lstm --algorithms {} --rounds 2 "
    "--epochs 100 --batch-size 50"
)


def in_epochs(algorithms):
    return estimates.ToDo(
        "r",
        (),
        ("results/paper/supervised/rtd/full10/lstm/seed0.csv",),
        SUPERVISED.format(algorithms),
    )


@pytest.fixture
def plan(project):
    return load_plan(BASE)


def test_jobs_are_read_from_what_snakemake_prints():
    assert ENCODER.rule == "train_encoder"
    assert ENCODER.inputs[0] == "results/smoke/data/d.npz"
    assert ENCODER.outputs == ("results/smoke/encoders/d/clients10-beta1.5/seed0.npz",)
    assert (ENCODER.threads, ENCODER.memory_mb) == (2, 2000)
    script, options = speed.options_of(ENCODER.command)
    assert script == speed.ENCODER
    assert options["steps"] == ["500"]
    assert options["output"] == ["o"]  # and nothing of the pipe


def amount(plan, job):
    return speed.work(*speed.options_of(job.command), job.outputs[0], plan)


def test_work_by_hand(plan):
    # 10 clients x 10 rounds x 500 steps x 10 anchors; 3 passes' worth of an anchor's GFLOPs.
    loss = speed.contrastive("table12", 3)
    an_anchor = speed.training_flops(speed.contrastive_flops(loss, 100)) / 1e9
    assert amount(plan, ENCODER) == pytest.approx(500_000 * an_anchor)
    # 10 clients x 2 rounds x 100 epochs of 2,160 samples.
    a_sample = speed.training_flops(speed.flops(speed.ARCHITECTURES["lstm"](3, 100, 10))) / 1e9
    assert amount(plan, in_epochs("fedavg")) == pytest.approx(4_320_000 * a_sample)
    # Ditto trains two models.
    both = amount(plan, in_epochs("fedavg ditto"))
    assert both == pytest.approx(3 * amount(plan, in_epochs("fedavg")))
    rounds = estimates.ToDo(
        *("run_phase2", (), ("results/quick/rounds/d/participation0.5/seed0.csv",)),
        "python scripts/run_phase2.py --rounds 60 --participation 0.5 --methods a b c",
    )
    assert amount(plan, rounds) == 100 * 0.5 * 60 * 3
    table = estimates.ToDo("make_table", (), ("t.csv",), "python scripts/make_table.py")
    assert amount(plan, table) is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("results/quick/data/pendigits.npz", "digits"),
        ("results/quick/data/eeg-sim.npz", "eeg"),
        ("results/quick/rounds/sumo-ev/sumo50/seed0.csv", "sumo"),
        ("results/quick/tables/table05.csv", "digits"),
    ],
)
def test_kinds_of_data(path, kind):
    assert speed.kind_of(path) == kind


def seen(job=ENCODER, output="results/quick/encoders/d/clients10-beta0.1/seed0.npz", **changes):
    values = {"cpu_seconds": 1004.0, "seconds": 600.0, "memory_mb": 900, "megabytes": 0.6}
    return estimates.Seen(output, job.command, **(values | {"gpu": False} | changes))


def no_calibration(*_):
    raise AssertionError("records are enough")


def test_records_of_like_jobs_give_the_speed(plan):
    # Half the steps in 1,000 seconds after the start.
    half = ENCODER.command.replace("--steps 500", "--steps 250")
    before = [seen(estimates.ToDo("r", (), (), half))]
    found = estimates.Estimator(plan, before, no_calibration)(ENCODER)
    assert found.cpu_hours == pytest.approx((4 + 2000) / 3600)
    # Of another scale: no less than what the rule asks for, and than an encoder's size.
    assert (found.gpu_hours, found.memory_mb, found.megabytes) == (0, 2000, 0.7)
    before = [seen(output="results/smoke/encoders/d/clients10-beta0.1/seed0.npz")]
    found = estimates.Estimator(plan, before, no_calibration)(ENCODER)
    assert (found.memory_mb, found.megabytes) == (900, 0.6)
    assert found.basis == "records"


def test_the_jobs_own_record_goes_first(plan):
    own = seen(output=ENCODER.outputs[0], cpu_seconds=360.0)
    found = estimates.Estimator(plan, [seen(), own], no_calibration)(ENCODER)
    assert (found.cpu_hours, found.basis) == (0.1, "its record")


def test_short_jobs_say_nothing_about_speed_so_it_is_measured_once(plan):
    asked = []

    def calibrate(*words):
        asked.append(words)
        return 1e-3

    estimate = estimates.Estimator(plan, [seen(cpu_seconds=7.0)], calibrate)
    first, again = estimate(ENCODER), estimate(ENCODER)
    assert asked == [(speed.ENCODER, "table12", "cpu")]
    assert first == again
    assert first.cpu_hours == pytest.approx((4 + 1e-3 * amount(plan, ENCODER)) / 3600)
    assert first.basis == "model"


def test_hours_of_a_gpu_that_was_never_seen_are_unknown(plan):
    found = estimates.Estimator(plan, [seen()], no_calibration, "cuda")(ENCODER)
    assert (found.gpu_hours, found.basis) == (None, "unknown")
    assert found.memory_mb == 2000  # what the rule asks for
    before = [seen(gpu=True, seconds=64.0)]
    found = estimates.Estimator(plan, before, no_calibration, "cuda")(ENCODER)
    assert found.gpu_hours == pytest.approx(64 / 3600)


def test_jobs_that_train_nothing_take_the_median_of_their_like(plan):
    table = estimates.ToDo("t", (), ("results/smoke/tables/t.csv",), "python scripts/make_table.py")
    before = [seen(table, f"results/quick/tables/{n}.csv", cpu_seconds=n) for n in (1, 2, 9)]
    assert estimates.Estimator(plan, before, no_calibration)(table).cpu_hours == 2 / 3600
    before = [seen(table, "results/quick/tables/a.csv", cpu_seconds=0.1)]
    assert estimates.Estimator(plan, before, no_calibration)(table).cpu_hours == 1 / 3600


def test_records_of_experiments_that_are_no_more_are_passed_over(plan):
    gone = seen(output="results/quick/encoders/d/clients7/seed0.npz")
    assert estimates.Estimator(plan, [gone], lambda *_: 1.0)(ENCODER).basis == "model"


def test_what_records_tell():
    attempt = {"cpu_seconds": 5, "seconds": 4, "memory_mb": 300, "worker_memory_mb": 200}
    record = {
        "command": "c",
        "options": {"workers": 4},
        "attempts": [attempt, attempt],
        "outputs": {"o": {"bytes": 2_000_000}},
    }
    found = estimates.seen(record)
    assert (found.cpu_seconds, found.memory_mb, found.megabytes) == (10, 1100, 2)
    assert estimates.seen(record | {"options": {}}).memory_mb == 300
    killed = {"started": "s", "ended": None}
    assert estimates.seen(record | {"attempts": [killed, attempt]}) is None
    assert estimates.seen({"attempts": [attempt]}) is None


def test_what_a_target_needs():
    inputs = {"table": ["a", "b"], "a": ["data"], "b": ["data"], "data": [], "c": ["data"]}
    assert set(estimates.needed(["table"], inputs)) == {"table", "a", "b", "data"}


def test_measured_speeds_are_those_of_a_computer():
    for script, model in ((speed.SUPERVISED, "patchtst"), (speed.ENCODER, "table12")):
        gflops_a_second = 1 / speed.calibrate(script, model)
        assert 0.1 < gflops_a_second < 10_000


def test_estimates_stand_beside_what_was_taken(project, capsys, monkeypatch):
    args = Namespace(scale="smoke", config=["dataset=air-writing-sim", "eeg_dataset=eeg-sim"])
    args.targets, args.cores = ["all"], 2
    monkeypatch.setattr(command, "calibrate", lambda *_: 1e-3)
    monkeypatch.setattr(command, "dry_run", lambda args: PRINTED)
    command.main(args)
    printed = capsys.readouterr().out
    assert "train_encoder      1" in printed
    assert "model 1" in printed

    (output,) = map(Path, ENCODER.outputs)
    output.parent.mkdir(parents=True)
    output.write_text("")
    attempt = {"cpu_seconds": 7200, "seconds": 4, "memory_mb": 1, "worker_memory_mb": 2}
    record = {"command": ENCODER.command, "options": {}, "attempts": [attempt]}
    record["outputs"] = {str(output): {"bytes": 1}}
    path = provenance.record_file(Path("results/smoke"), output)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record))
    monkeypatch.setattr(command, "dry_run", lambda args: "Nothing to be done")
    command.main(args)
    row = next(x for x in capsys.readouterr().out.splitlines() if x.startswith("train_encoder"))
    assert row.split()[1] == "0"
    assert row.split()[-3] == "1"
    assert row.split()[-1] == "2"
