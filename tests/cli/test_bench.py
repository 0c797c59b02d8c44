"""``fedreact bench`` up to Snakemake, whose run tests/end_to_end has."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT
from snakemake.cli import parse_config

from fedreact.cli.main import main

METHOD = "own/kinds/synchronous/algorithms/fedavgm.py"


@pytest.fixture
def asked(project, monkeypatch):
    """Words of the commands that would run."""
    words = []

    def run(command, check):
        words.append(" ".join(command))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    shutil.copytree(ROOT / "examples/own", "own")
    return words


def test_a_dataset_that_is_not_there_is_named_with_the_nearest(asked, capsys):
    own = Path("data/own/toys.npz")
    own.parent.mkdir(parents=True)
    np.savez(own, X=np.zeros((2, 1, 3)), y=np.arange(2))
    assert bench("--data", "data/own/toy.npz") == 1
    assert "no file data/own/toy.npz; in data/own are toys (did you mean toys?)" in (
        capsys.readouterr().err
    )


def test_a_program_gets_the_page_alone(asked, capsys, monkeypatch):
    def run(command, check, stdout):
        assert stdout == 2  # the standard error
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    assert bench("--method", METHOD, "--cores", "2", "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"page": "results/quick/benchmark.html"}
    assert "says what is compared" in printed.err


def bench(*words):
    with pytest.raises(SystemExit) as end:
        main(["bench", *words])
    return end.value.code


def test_a_method_is_added_once(asked, capsys):
    assert bench("--method", METHOD, "--cores", "2") == 0
    assert "benchmark_fedavgm says what is compared" in capsys.readouterr().out
    assert Path("config/papers/benchmark_fedavgm/tables.yaml").is_file()
    assert bench("--method", METHOD, "--scale", "smoke", "--cores", "2", "--kept") == 0
    assert "is there already and stays as it is" in capsys.readouterr().out
    assert asked == [
        "snakemake --cores 2 benchmark --config scale=quick",
        "snakemake --cores 2 benchmark --config scale=smoke benchmark_kept=True",
    ]
    config = parse_config(asked[1].partition("--config ")[2].split())
    assert config == {"scale": "smoke", "benchmark_kept": True}  # as Snakemake reads them


def test_data_is_added(asked, capsys):
    rng = np.random.default_rng(0)
    file = Path("data/own/toy.npz")
    file.parent.mkdir(parents=True)
    X, y = rng.normal(size=(60, 2, 20)), rng.integers(3, size=60)
    np.savez(file, X=X, y=y, client=np.repeat(np.arange(6), 10))
    assert bench("--data", str(file)) == 0
    assert Path("config/papers/benchmark_toy/tables.yaml").is_file()
    np.savez(file, X=X, y=y)
    assert bench("--data", str(file)) == 1
    assert "it names no clients; import it" in capsys.readouterr().err
    assert len(asked) == 1


def test_what_is_no_method_starts_nothing(asked, capsys):
    assert bench("--method", "own/none.py") == 1
    assert "own/none.py: no method; wanted own/kinds" in capsys.readouterr().err
    assert not asked
