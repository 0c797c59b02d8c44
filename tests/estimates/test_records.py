"""What records of earlier runs tell."""

import json

import pytest

from fedreact.estimates import records
from fedreact.estimates.records import Like

ATTEMPT = {"cpu_seconds": 5, "seconds": 4, "memory_mb": 300, "worker_memory_mb": 200}
RECORD = {
    "command": "c",
    "options": {"workers": 4},
    "gflops": 7.5,
    "attempts": [ATTEMPT, ATTEMPT],
    "outputs": {"o": {"bytes": 2_000_000}, "p": {"bytes": 500_000}},
}


def test_what_records_tell():
    found = records.seen(RECORD)
    assert (found.output, found.command, found.gflops) == ("o", "c", 7.5)
    assert (found.cpu_seconds, found.seconds) == (10, 8)
    assert (found.memory_mb, found.megabytes) == (1100, 2.5)
    assert found.gpu is False
    assert records.seen(RECORD | {"options": {}}).memory_mb == 300
    assert records.seen(RECORD | {"options": {"workers": 1}}).memory_mb == 300
    assert records.seen({k: v for k, v in RECORD.items() if k != "gflops"}).gflops is None
    on_gpu = RECORD | {"attempts": [ATTEMPT | {"gpu": "H100"}]}
    assert records.seen(on_gpu).gpu is True


def test_jobs_that_were_cut_off_or_are_not_done_tell_nothing():
    killed = {"started": "s", "ended": None}
    assert records.seen(RECORD | {"attempts": [killed, ATTEMPT]}) is None
    assert records.seen({"attempts": [ATTEMPT]}) is None
    assert records.seen(RECORD | {"outputs": {}}) is None


def test_earlier_runs_are_found_at_any_scale(tmp_path):
    def write(path, content):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)

    write("quick/provenance/tables/t.json", json.dumps(RECORD | {"command": "one"}))
    write("smoke/provenance/runs/k/p/d/s/j/seed0.json", json.dumps(RECORD | {"command": "two"}))
    write("smoke/provenance/runs/k/p/d/s/j/seed1.json", json.dumps({"attempts": []}))
    write("smoke/provenance/data/d.json", "{damaged")
    write("smoke/provenance/plan.json", json.dumps({"o": {"cpu_hours": 1}}))
    write("smoke/tables/t.provenance.json", json.dumps(RECORD))
    found = list(records.earlier(tmp_path))
    assert [one.command for one in found] == ["one", "two"]
    assert list(records.earlier(tmp_path / "nowhere")) == []


@pytest.mark.parametrize(
    ("output", "like"),
    [
        ("results/quick/data/pendigits.npz", Like("data", "", "pendigits")),
        ("results/quick/parts/sumo-ev/valley.npz", Like("parts", "", "sumo-ev")),
        ("results/quick/partitions/p/eeg-sim/eeg10/seed0.npz", Like("partitions", "", "eeg-sim")),
        (
            "results/quick/encoders/p/eeg-sim/eeg10/seed0.npz",
            Like("encoders", "table12", "eeg-sim"),
        ),
        ("results/quick/features/p/rtd/c10/seed0.npz", Like("features", "", "rtd")),
        (
            "results/quick/encoders/p/rtd/c10-0123abcd/seed0.npz",
            Like("encoders", "gru", "rtd"),
        ),
        (
            "results/quick/runs/synchronous/p/rtd/full10/lstm-0123abcd/seed0.csv",
            Like("runs/synchronous", "lstm", "rtd"),
        ),
        (
            "results/quick/runs/clustered/p/sumo-ev/sumo50/all/seed0.csv",
            Like("runs/clustered", "all", "sumo-ev"),
        ),
        ("results/quick/tables/table05.csv", Like("tables")),
        ("results/quick/report.html", Like("report.html")),
    ],
)
def test_results_are_alike_in_their_step_model_and_data(output, like):
    command = f"python scripts/step.py --encoder {like.model} --steps 3"
    assert records.like_of(output, command) == like
    assert records.like_of(output.replace("quick", "smoke"), command) == like
