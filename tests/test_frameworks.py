"""What ``benchmarks/frameworks.py`` measures and draws, without other frameworks."""

import os
import subprocess
import sys
import time
from argparse import Namespace
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from frameworks import Framework, Run, Runs, compare, digest, draw, orders, rows_of, run_all, train
from rival import Rival, RivalEnded
from rivals import Job
from rivals.case import CASES, flat
from tree import PeakMemory, tree, tree_cpu, tree_memory

SMALL = {
    name: replace(case, windows=200, least=3, most=12, clients=3, epochs=2, batch=5)
    for name, case in CASES.items()
}
PACKAGES = ("ours", "loop")
ARGS = Namespace(rounds=2, turns=0, cores=1, limit=None)


@pytest.mark.parametrize("name", SMALL)
def test_module_is_architecture(name):
    case = SMALL[name]
    theta, (X, _) = case.theta(), case.data()
    ours = case.architecture.forward(torch.from_numpy(theta)[None], X[None, :7])[0]
    torch.testing.assert_close(case.module(theta)(X[:7]), ours, rtol=1e-4, atol=1e-5)
    assert np.array_equal(flat(case.module(theta)), theta)


def test_batches_are_epochs_of_the_client():
    case = SMALL["har"]
    epochs = list(case.epochs_of(1, 4))
    assert len(epochs) == case.epochs
    for batches in epochs:
        assert max(map(len, batches)) <= case.batch
        assert sorted(torch.cat(batches).tolist()) == sorted(case.client(1))
    assert [batch.tolist() for batch in epochs[0]] != [batch.tolist() for batch in epochs[1]]


def test_loop_and_ours_agree():
    case = SMALL["har"]
    ours, loop = [train(name, sys.executable, case, 1, ARGS, watched=True) for name in PACKAGES]
    assert len(ours.rounds) == 2
    assert ours.memory > 2**20
    assert np.abs(ours.theta - case.theta()).max() > 1e-4
    np.testing.assert_allclose(ours.theta, loop.theta, rtol=0, atol=1e-4)


def test_framework_that_takes_too_long_is_a_row():
    args = Namespace(**vars(ARGS) | {"limit": 0.01})
    (row,) = rows_of(SMALL["har"], run_all(SMALL["har"], {"loop": sys.executable}, args), 1)
    assert "loop took more than 0.01 s" in row["ended"]
    assert "seconds" not in row


FAILING = """
import sys, threading, time, rivals

def run(job, orders):
    threading.Thread(target=time.sleep, args=(100,)).start()
    raise ValueError("lost")

def serve(fd):
    sys.modules["rivals.failing"] = sys.modules[__name__]
    rivals.serve(fd)
"""


def test_framework_that_fails_is_noticed_though_its_threads_go_on(tmp_path, monkeypatch):
    (tmp_path / "failing.py").write_text(FAILING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    job = Job("failing", SMALL["har"], 1, SMALL["har"].theta())
    rival = Rival("failing", sys.executable, "failing.serve", job, limit=60)
    with pytest.raises(RivalEnded, match=r"failing ended: see .*log"), rival:
        pytest.fail("it has started")
    assert "ValueError: lost" in rival.log.read_text()
    assert rival.process.poll() is not None


def test_digest_tells_bits_apart():
    theta = np.ones(4, np.float32)
    other = theta.copy()
    other[3] = np.nextafter(np.float32(1), np.float32(2))
    assert digest(theta) == digest(theta.copy())
    assert digest(theta) != digest(other)


def test_same_bytes(capsys):
    one, other = np.zeros(2, np.float32), np.ones(2, np.float32)
    runs = Runs(Run(theta=one), [Run(theta=one)], Run(theta=other))
    assert (runs.same(), runs.same_on_one()) == ("yes", "no")
    assert Runs(Run(theta=one), [Run(theta=other)]).same() == "no"
    assert (Runs(Run(theta=one)).same(), Runs(Run(theta=one)).same_on_one()) == ("?", "?")
    case = SMALL["har"]
    theta = case.theta()
    compare(case, {"ours": Runs(Run(theta=theta)), "loop": Runs(Run(theta=theta + 0.5))})
    assert "0.5" in capsys.readouterr().out.splitlines()[-1]


def test_orders_name_who_takes_least():
    one = {"seconds": 1.0, "cpu_seconds": 4.0, "idle_seconds": 0.1, "start_seconds": 9.0}
    rows = [
        one | {"framework": "ours", "megabytes": 300.0},
        one | {"framework": "loop", "megabytes": 200.0, "seconds": 2.0},
        {"framework": "flower", "ended": "watched: it took too long"},
    ]
    lines = list(orders(rows))
    assert "seconds a round, from the least: ours, loop" in lines
    assert "peak memory, from the least: loop, ours" in lines


def test_tree_is_measured():
    allocate = "import time; kept = bytearray(50 * 2**20); time.sleep(60)"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {allocate!r}])"
    process = subprocess.Popen([sys.executable, "-c", child])
    try:
        with PeakMemory(process.pid, seconds=0.05) as peak:
            limit = time.monotonic() + 30
            while tree_memory(process.pid) < 50 * 2**20 and time.monotonic() < limit:
                time.sleep(0.05)
        assert peak.bytes >= 50 * 2**20
        pids = list(tree(process.pid))
        assert len(pids) == 2
        assert tree_cpu(process.pid) >= tree_cpu(process.pid, without=pids[1])
    finally:
        for pid in tree(process.pid):
            os.kill(pid, 9)
        process.wait()


def test_figure_of_rows(tmp_path):
    rows = pd.DataFrame(
        {
            "case": "har",
            "clients": [100, 1000, 100, 1000],
            "framework": ["ours", "ours", "loop", "loop"],
            "cores": 2,
            "seconds": [1.0, 9.0, 2.0, None],
            "megabytes": [300.0, 350.0, 200.0, None],
        }
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    figure = draw(pd.read_csv(tmp_path / "rows.csv"))
    seconds, megabytes = figure.axes
    lines = {line.get_label(): line for line in megabytes.get_lines()}
    assert list(lines["ours"].get_ydata()) == [300.0, 350.0]
    assert list(lines["loop"].get_xdata()) == [100]
    crosses = [line for line in seconds.get_lines() if line.get_marker() == "x"]
    assert [list(line.get_xdata()) for line in crosses] == [[1000]]


def test_environment_is_made_once(tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(subprocess, "run", lambda words, check: told.append(list(map(str, words))))
    (tmp_path / "small").mkdir()
    framework = Framework(("small==1",), ("last==2",))
    for _ in range(2):
        assert framework.python("small", tmp_path) == str(tmp_path / "small/bin/python")
    assert len(told) == 4
    assert told[0][1:3] == ["-m", "venv"]
    assert "--no-deps" in told[1]
    assert "small==1" in told[2]
    assert told[3][-2:] == ["--no-deps", "last==2"]
    framework = replace(framework, packages=("small==2",))
    framework.python("small", tmp_path)
    assert len(told) == 8
