"""Trainings that are killed go on from their checkpoints, to the same bytes."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import descendants, digits, wait_until

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]


def inputs(built, partition):
    name = digits(built).name
    partitions = built / "results/smoke/partitions/fed_react" / name
    return [
        *("--data", str(built / f"results/smoke/data/{name}.npz")),
        *("--partition", str(partitions / partition / "seed0.npz")),
    ]


def encoder(built, output, rounds=4):
    return [
        sys.executable, str(built / "scripts/train_encoder.py"),
        *inputs(built, "clients10-beta1.5"),
        "--seed", "3", "--rounds", str(rounds), "--steps", "3", "--workers", "2",
        "--output", str(output),
    ]  # fmt: skip


def supervised(built, output):
    methods = {name: {"algorithm": name} for name in ("fedavg", "apfl")}
    return [
        sys.executable, str(built / "scripts/run.py"), "synchronous",
        *inputs(built, "clients10-beta0.1"), "--setting", "s", "--seed", "0",
        "--architecture", "causal-cnn", "--methods", json.dumps(methods), "--rounds", "3",
        "--steps", "2", "--batch-size", "4", "--workers", "2",
        "--output", str(output),
    ]  # fmt: skip


def call(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stderr


def kill_after(words, checkpoint):
    """Start a training, and kill it as soon as a checkpoint is there."""
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    while not checkpoint.exists():
        assert process.poll() is None, "training ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_killed_training_of_an_encoder_resumes_to_the_same_bytes(built, tmp_path):
    whole, cut = tmp_path / "whole.npz", tmp_path / "cut.npz"
    call(encoder(built, whole))
    checkpoint = tmp_path / "cut.checkpoint.npz"
    kill_after(encoder(built, cut), checkpoint)
    assert not cut.exists()
    assert "resuming after round" in call(encoder(built, cut))
    assert cut.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()


def test_a_killed_supervised_training_resumes_to_the_same_bytes(built, tmp_path):
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    call(supervised(built, whole))
    # In the middle of the second algorithm.
    kill_after(supervised(built, cut), tmp_path / "cut.checkpoint-apfl.npz")
    assert not cut.exists()
    assert call(supervised(built, cut)).count("resuming after round") == 2
    assert cut.read_bytes() == whole.read_bytes()
    kept = sorted(tmp_path.glob("*.npz"))  # no checkpoints
    assert [path.name for path in kept] == ["cut.clients.npz", "whole.clients.npz"]
    assert kept[0].read_bytes() == kept[1].read_bytes()


def test_damaged_and_foreign_checkpoints_are_not_resumed(built, tmp_path):
    output, checkpoint = tmp_path / "e.npz", tmp_path / "e.checkpoint.npz"
    foreign = {"theta": np.zeros(3, np.float32), "t": np.array(1), "scores": np.zeros(0)}
    foreign |= {"scored": np.zeros(0), "megabytes": np.zeros(0)}
    foreign["identity"] = np.array("other")
    for content in (b"", b"PK\x03\x04 not a zip"):
        checkpoint.write_bytes(content)
        assert "starting anew" in call(encoder(built, output, 1))
    np.savez(checkpoint, **foreign)
    assert "of other data or settings" in call(encoder(built, output, 1))


def test_workers_end_with_the_process_that_started_them(built, tmp_path):
    words = encoder(built, tmp_path / "e.npz", rounds=500)
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "e.checkpoint.npz").exists():
            assert process.poll() is None
            time.sleep(0.01)
        workers = descendants(process.pid)
        assert len(workers) >= 2
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), 10)
