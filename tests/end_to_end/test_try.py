"""``fedreact try``, from a folder of CSV files to a table and a page; killed, and resumed."""

import os
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from helpers import PATHS, SCRIPTS, command, copy_project

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

RNG = np.random.default_rng(0)
WORDS = ("-m", "fedreact", "try", "waves", "--pattern", "{client}/{label}_{trial}.csv")
WORDS += ("--at", "smoke", "--cores", "2")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project, with files of five people."""
    project = copy_project(tmp_path_factory.mktemp("try") / "project")
    for who in range(5):
        for k in range(16):
            label = ("slow", "fast")[k % 2]
            wave = np.sin((0.3 + 0.3 * (k % 2)) * np.arange(40) + RNG.uniform(0, 6))
            file = project / f"waves/p{who}/{label}_{k}.csv"
            file.parent.mkdir(parents=True, exist_ok=True)
            series = {"x": wave + 0.2 * RNG.normal(size=40), "y": RNG.normal(size=40)}
            pd.DataFrame(series).to_csv(file, index=False)
    return project


def test_one_command_leads_from_files_to_a_page_also_after_a_kill(project):
    environment = PATHS | {"PYTHONPATH": str(project / "src")}
    process = subprocess.Popen(
        [SCRIPTS / "python", *WORDS],
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    locks, begun = project / ".snakemake/locks", time.monotonic()
    while not (locks.is_dir() and any(locks.iterdir())) and time.monotonic() - begun < 600:
        time.sleep(0.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    printed, status = command("python", *WORDS, cwd=project)
    assert status == 0, printed[-4000:]
    assert "An earlier run was killed; this one goes on from there." in printed
    assert "The page: results/smoke/waves.html" in printed
    assert "MiniRocket, ridge" in printed
    table = pd.read_csv(project / "results/smoke/tables/waves_methods.csv")
    accuracy = table[table["metric"] == "accuracy"].set_index("column")["mean"]
    assert accuracy.between(0, 1).all()
    assert accuracy["MiniRocket, ridge"] > 0.8
    assert (project / "results/smoke/waves.html").is_file()
    assert (project / "results/smoke/figures/waves_rounds.png").is_file()
