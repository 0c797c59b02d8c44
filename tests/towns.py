"""Simulated towns for the tests that read traces of vehicles."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from helpers import ROOT

from fedreact.data.sumo.fleet import TYPES
from fedreact.data.sumo.windows import SCALES


def region_of(lengths, first=0):
    """Traces of vehicles with these lengths, without a simulator."""
    vehicle = np.repeat(first + np.arange(len(lengths)), lengths)
    traces = {key: np.full(len(vehicle), centre) for key, (centre, _) in SCALES.items()}
    traces["speed"] = 10 + 10 * np.concatenate([np.arange(n) for n in lengths]).astype(float)
    return traces | {
        "vehicle": vehicle,
        "charge": np.concatenate([90 - np.arange(n) / 100 for n in lengths]),
        "number": first + np.arange(len(lengths)),
        "type": np.array(list(TYPES))[: len(lengths)],
        "region": np.array("town"),
    }


def script(name, *words):
    """Run a command of the project, from its folder."""
    return subprocess.run(
        [sys.executable, f"scripts/{name}", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def needs_sumo():
    """Only where the simulator has been left out by choice; where it fails, so does the test."""
    if importlib.util.find_spec("libsumo") is None:
        pytest.skip("SUMO is not installed (make setup SUMO=no)")


def simulated(town, share, output):
    """Drives in a town, simulated by the command."""
    words = ["--dataset", "sumo-ev", "--part", town, "--options", f"share={share}"]
    done = script("prepare_part.py", *words, "--output", output)
    assert done.returncode == 0, done.stderr
    return output
