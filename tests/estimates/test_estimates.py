"""What a run will cost: jobs that remain, and estimates of them."""

import pytest
from small_jobs import ENCODER, PRINTED, RUN, TABLE, seen

from fedreact.estimates import estimates
from fedreact.estimates.estimates import ToDo

# ---- Jobs that remain ----------------------------------------------------------------------------


def test_jobs_are_read_from_what_snakemake_prints():
    assert ENCODER.rule == "train_encoder"
    assert ENCODER.inputs[0] == "results/smoke/data/d.npz"
    assert len(ENCODER.inputs) == 2
    assert ENCODER.outputs == ("results/smoke/encoders/p/d/clients10-beta1.5/seed0.npz",)
    assert (ENCODER.threads, ENCODER.memory_mb) == (2, 2000)
    assert ENCODER.command.startswith("python scripts/train_encoder.py --data d ")
    assert ENCODER.wildcards == {
        "paper": "p",
        "dataset": "d",
        "encoder": "clients10-beta1.5+encoder.rounds=10",
        "seed": "0",
    }


def test_jobs_without_inputs_wildcards_threads_or_memory_are_read_too():
    text = "\nrule study:\n    output: s.csv, s.md\n    jobid: 1\nShell command: python study.py\n"
    assert estimates.parse(text) == [ToDo("study", (), ("s.csv", "s.md"), "python study.py")]


def test_nothing_of_a_job_is_taken_for_the_next():
    again = PRINTED.replace("    threads: 2\n", "").replace("mem_mb=2000, ", "")
    again = again.replace("    input: results/smoke/data/d.npz,", "    reason: none,")
    first, second = estimates.parse(PRINTED + again)
    assert first == ENCODER
    assert (second.threads, second.memory_mb, second.inputs) == (1, None, ())
    assert estimates.parse("Nothing to be done (all requested files are present).") == []


def test_what_a_target_needs():
    inputs = {"table": ["a", "b"], "a": ["data"], "b": ["data"], "data": [], "c": ["data"]}
    assert set(estimates.needed(["table"], inputs)) == {"table", "a", "b", "data"}


def test_commands_are_alike_if_they_give_the_same_numbers():
    other = ENCODER.command.replace("--workers 2", "--workers 4").replace("auto", "cuda")
    other = other.replace("--checkpoint c", "--checkpoint elsewhere").replace("| tee l", "| tee m")
    assert estimates.plain(other) == estimates.plain(ENCODER.command)
    assert "--steps 500" in estimates.plain(ENCODER.command)
    more = ENCODER.command.replace("--steps 500", "--steps 501")
    assert estimates.plain(more) != estimates.plain(ENCODER.command)


# ---- Estimates -----------------------------------------------------------------------------------

AMOUNT = 1000.0


def no_calibration(job):
    raise AssertionError("records are enough")


def gflops(job):
    return AMOUNT if job.rule in ("train_encoder", "run") else None


def estimator(before, calibrate=no_calibration, device="cpu", gpu_here=False):
    return estimates.Estimator(before, gflops, calibrate, device, gpu_here)


def test_files_of_clients_are_counted_until_records_tell():
    def of(records):
        found = estimates.Estimator(records, gflops, lambda job: 1.0, megabytes=lambda job: 7.0)
        return found(ENCODER).megabytes

    assert of([]) == pytest.approx(0.7 + 7.0)
    assert of([seen(output=ENCODER.outputs[0], gflops=AMOUNT)]) == 0.6


def test_records_of_like_jobs_give_the_speed():
    # Half the GFLOPs in 1,000 seconds after the start.
    found = estimator([seen(gflops=AMOUNT / 2)])(ENCODER)
    assert found.cpu_hours == pytest.approx((4 + 2000) / 3600)
    # Of another scale: no less than what the rule asks for, and than an encoder's size.
    assert (found.gpu_hours, found.memory_mb, found.megabytes) == (0, 2000, 0.7)
    found = estimator([seen(output="results/smoke/encoders/p/d/other/seed0.npz")])(ENCODER)
    assert (found.memory_mb, found.megabytes) == (900, 0.6)
    assert found.basis == "records"


def test_memory_and_files_of_another_scale_count_if_they_are_larger():
    found = estimator([seen(memory_mb=2500, megabytes=3.0), seen(memory_mb=2400, megabytes=5.0)])
    assert (found(ENCODER).memory_mb, found(ENCODER).megabytes) == (2500, 4.0)


def test_memory_is_that_of_jobs_with_as_many_workers():
    output = "results/smoke/encoders/p/d/other/seed0.npz"
    four = ToDo("r", (), (), ENCODER.command.replace("--workers 2", "--workers 4"))
    before = [seen(output=output), seen(four, output, memory_mb=3000)]
    assert estimator(before)(ENCODER).memory_mb == 900


def test_the_jobs_own_record_goes_first():
    own = seen(output=ENCODER.outputs[0], cpu_seconds=360.0)
    found = estimator([seen(), own])(ENCODER)
    assert (found.cpu_hours, found.basis) == (0.1, "its record")
    # Not under other options, nor if it was another's.
    changed = ToDo("r", (), (), ENCODER.command.replace("--steps 500", "--steps 5"))
    other = seen(changed, output=ENCODER.outputs[0], cpu_seconds=360.0)
    assert estimator([seen(), other])(ENCODER).basis == "records"


def test_the_speed_is_the_median_of_jobs_of_the_same_data_if_there_are_any():
    before = [seen(gflops=500.0), seen(gflops=250.0), seen(gflops=1000.0)]
    other = "results/quick/encoders/p/e/clients10-beta0.1/seed0.npz"
    before += [seen(output=other, gflops=1.0) for _ in range(5)]
    # 1,000 s for 500, 250 and 1,000 GFLOPs.
    assert estimator(before)(ENCODER).cpu_hours == pytest.approx((4 + 2000) / 3600)
    assert estimator(before[3:])(ENCODER).cpu_hours == pytest.approx((4 + 1e6) / 3600)


def test_runs_of_another_kind_or_architecture_say_nothing():
    def of(kind, job):
        return seen(RUN, output=f"results/quick/runs/{kind}/p/d/s10/{job}/seed0.csv")

    lstm = ToDo("train", (), ("results/smoke/runs/synchronous/p/d/s9/lstm/seed0.csv",), "c")

    def measured(job):
        raise LookupError

    def amount(job):
        return AMOUNT

    for other in (of("clustered", "lstm"), of("synchronous", "timesnet")):
        with pytest.raises(LookupError):
            estimates.Estimator([other], amount, measured)(lstm)
    # Tuned or not, it is the same architecture.
    for like in (of("synchronous", "lstm"), of("synchronous", "lstm-0123abcd")):
        found = estimates.Estimator([like], amount, measured)(lstm)
        assert found.basis == "records"
        # A run starts in 2 s.
        assert found.cpu_hours == pytest.approx((2 + 1002 / 500 * AMOUNT) / 3600)


def test_short_jobs_say_nothing_about_speed_so_it_is_measured_once():
    asked = []

    def calibrate(job):
        asked.append(job)
        return 1e-3

    estimate = estimator([seen(cpu_seconds=7.0)], calibrate)
    first, again = estimate(ENCODER), estimate(ENCODER)
    assert asked == [ENCODER]
    assert first == again
    assert first.cpu_hours == pytest.approx((4 + 1e-3 * AMOUNT) / 3600)
    assert first.basis == "model"
    # Another step is measured for itself.
    assert estimate(RUN).cpu_hours == pytest.approx((2 + 1e-3 * AMOUNT) / 3600)
    assert asked == [ENCODER, RUN]


def test_records_that_do_not_say_how_much_work_it_was_give_no_speed():
    """Those of before it was noted, and of experiments that are no more."""
    old = seen(output="results/quick/encoders/d/clients7/seed0.npz", gflops=None)
    gone = seen(output="results/quick/rounds/d/s10/seed0.csv", gflops=None)
    found = estimator([old, gone, seen(gflops=None)], lambda job: 1.0)(ENCODER)
    assert found.basis == "model"
    assert found.cpu_hours == pytest.approx((4 + AMOUNT) / 3600)


def test_hours_of_a_gpu_that_was_never_seen_are_unknown():
    found = estimator([seen()], device="cuda")(ENCODER)
    assert (found.gpu_hours, found.basis) == (None, "unknown")
    assert found.memory_mb == 2000  # what the rule asks for
    before = [seen(gpu=True, seconds=64.0, gflops=AMOUNT)]
    found = estimator(before, device="cuda")(ENCODER)
    assert found.gpu_hours == pytest.approx(64 / 3600)
    # On a CPU, what a GPU took says nothing.
    assert estimator(before, lambda job: 1.0)(ENCODER).basis == "model"


def test_a_gpu_that_is_here_is_measured():
    found = estimator([seen()], lambda job: 1e-3, "cuda", gpu_here=True)(ENCODER)
    assert found.gpu_hours == found.cpu_hours == pytest.approx((4 + 1e-3 * AMOUNT) / 3600)
    assert found.basis == "model"


def test_jobs_that_use_no_gpu_take_cpu_hours_where_there_is_one():
    before = [seen(TABLE, "results/quick/tables/t.csv", cpu_seconds=36.0, gflops=None)]
    found = estimator(before, device="cuda")(TABLE)
    assert (found.gpu_hours, found.cpu_hours) == (0, 0.01)


def test_jobs_that_train_nothing_take_the_median_of_their_like():
    before = [seen(TABLE, f"results/quick/tables/{n}.csv", cpu_seconds=n) for n in (1, 2, 9)]
    assert estimator(before)(TABLE).cpu_hours == 2 / 3600
    before = [seen(TABLE, "results/quick/tables/a.csv", cpu_seconds=0.1)]
    assert estimator(before)(TABLE).cpu_hours == 1 / 3600


@pytest.mark.parametrize(
    ("output", "seconds", "megabytes"),
    [
        ("results/smoke/tables/t.csv", 1, 0.1),
        ("results/smoke/features/p/d/e/seed0.npz", 10, 25),
        ("results/smoke/parts/sumo-ev/valley.npz", 60, 10),
        ("results/smoke/data/d.npz", 1, 25),
        ("results/smoke/report.html", 1, 0.1),
    ],
)
def test_what_is_assumed_without_records(output, seconds, megabytes):
    found = estimator([])(ToDo("r", (), (output,), "c"))
    assert (found.cpu_hours, found.megabytes) == (seconds / 3600, megabytes)
    assert (found.memory_mb, found.basis) == (700, "model")


def test_what_a_gpu_does_not_take_stays_on_the_cpu():
    run = ToDo(RUN.rule, RUN.inputs, RUN.outputs, f"{RUN.command} --device cuda", RUN.wildcards)
    before = [seen(run, run.outputs[0], cpu_seconds=36.0)]
    found = estimator(before, device="cuda")(run)
    assert (found.gpu_hours, found.cpu_hours) == (0, pytest.approx(0.01))


def test_a_model_that_does_not_count_its_operations_is_unknown_until_there_is_a_record():
    def nothing(job):
        return float("nan")

    before = [seen(gflops=None, cpu_seconds=360.0)]
    for records, basis, hours in (([], "unknown", 0), (before, "records", 0.1)):
        found = estimates.Estimator(records, nothing, no_calibration)(ENCODER)
        assert (found.basis, found.cpu_hours) == (basis, pytest.approx(hours))
