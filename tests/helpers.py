"""What several test modules share: copies of the project, its commands, waiting."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from fedreact.data import files
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError
from fedreact.resolve.papers import SECTIONS
from fedreact.resolve.plan import Plan

ROOT = Path(__file__).resolve().parent.parent

# Tests reach no network: the digits are those of the mirror, if one is named, else simulated.
os.environ["FEDREACT_OFFLINE"] = "1"

MIRRORS = files.mirrors(os.environ.get(files.MIRRORS))
"""Folders with real data, if there are any."""


def of_mirror(source, entry):
    """The dataset that a source reads from the mirrors, or a skip."""
    wanted = source.wanted(entry)
    found = files.locate(wanted, Path("/nowhere"), MIRRORS)
    if found is None:
        pytest.skip(f"no mirror with {entry.name}")
    return source.read(found, wanted)


LEFT_OUT = [".git", ".venv", ".snakemake", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info"]


def slowly(given: dict, *at_once: str) -> list:
    """Parameters by name, of which ``make test`` tries only some; ``make check`` tries all."""
    return [
        pytest.param(value, id=name, marks=() if name in at_once else pytest.mark.campaign)
        for name, value in given.items()
    ]


def copy_project(to: Path) -> Path:
    """Copy the project without its history, environment, data and whatever is built."""

    def left_out(folder, names):
        here = {
            ROOT: {"coverage", "crates", "data", "dist", "dvc.lock", "results", "site"},
            ROOT / ".dvc": {"cache", "tmp", "config.local"},
        }
        return here.get(Path(folder), set()).intersection(names) | shutil.ignore_patterns(
            *LEFT_OUT
        )(folder, names)

    return shutil.copytree(ROOT, to, ignore=left_out, dirs_exist_ok=True)


SCALES = sorted(path.stem for path in (ROOT / "config/scales").glob("*.yaml"))
SMOKE = ["--config", "scale=smoke"]
SCRIPTS = Path(sys.executable).parent
PATHS = os.environ | {"PATH": os.pathsep.join([str(SCRIPTS), os.environ["PATH"]])}
"""Environment in which the commands of this Python's environment are found."""
VERBOSE = {"FEDREACT_VERBOSE": "1"}
"""What has a run print all that Snakemake and the steps say."""


def command(*words, cwd, env=None, timeout=900):
    """Run a command of this environment on the code of ``cwd``, if that is a copy of the project.

    Returns what it printed, and its status.
    """
    if Path(cwd, "src/fedreact").is_dir():
        env = {"PYTHONPATH": str(Path(cwd, "src"))} | (env or {})
    done = subprocess.run(
        [SCRIPTS / words[0], *words[1:]],
        cwd=cwd,
        env=PATHS | (env or {}),
        timeout=timeout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout, done.returncode


def snakemake(*words, cwd, **options):
    printed, status = command("snakemake", *words, cwd=cwd, **options)
    assert status == 0, printed[-4000:]
    return printed


def planned(*words, cwd, **options):
    """Rules that a dry run would run, with how many jobs of each."""
    printed = snakemake("-n", *words, cwd=cwd, **options)
    if "Nothing to be done" in printed:
        return {}
    table = printed.rsplit("Job stats:", 1)[1]
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}


def digits(built):
    """Folder of the runs of Phase 2 on digits: those of the mirror, or simulated."""
    name = "pendigits" if os.environ.get("FEDREACT_DATA_MIRROR") else "air-writing-sim"
    return built / "results/smoke/runs/clustered/fed_react" / name


def owners_of_smoke(project):
    """Owners that each prepared dataset has, and that the registry says it has."""
    found = {}
    for name, entry in load_registry(*registries(project / "config")).items():
        file = project / f"results/smoke/data/{name}.npz"
        if "smoke" in entry.owners and file.exists():
            found[name] = len(np.unique(np.load(file)["owner"])), entry.owners["smoke"]
    return found


def check_claims(project, paper):
    """Each claim is judged, or named as left out; fewer than three seeds decide nothing."""
    claims = yaml.safe_load((project / f"config/papers/{paper}/claims.yaml").read_text())
    file = project / f"results/smoke/claims/{paper}.csv"
    judged, text = pd.read_csv(file), file.with_suffix(".md").read_text()
    for name, claim in claims.items():
        left_out = (
            f"Not judged, since its cells are left out here (its table says why): {claim['claim']}"
        )
        assert (name in set(judged["claim"])) != (left_out in text), name
    assert np.isfinite(judged["difference"][judged["n_seeds"] > 0]).all()
    of_contrasts = set(judged["claim"][judged["at"].notna()])
    assert of_contrasts == set(judged["claim"])
    assert (judged["n_seeds"] < 3).all()
    decided = judged["outcome"] != "undecided"
    assert (judged["outcome"][decided] == "not-testable").all()
    assert judged["reason"][decided & judged["at"].notna()].notna().all()


def descendants(pid):
    """Processes below one, from /proc."""
    if not Path("/proc").is_dir():
        pytest.skip("needs /proc")
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    below, todo = [], [pid]
    while todo:
        children = [p for p, parent in parents.items() if parent == todo[0]]
        below += children
        todo = todo[1:] + children
    return below


def edit(path, old, new):
    """Change the first place where a text stands in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def longer_training(folder, rounds):
    """A copy of the project whose encoders at scale smoke take some rounds, with checkpoints."""
    project, old = copy_project(folder), "  encoder: {rounds: 2, steps: 1, clients_per_round: 10}"
    scale = project / "config/papers/fed_react/scales/smoke.yaml"
    edit(scale, old, f"  encoder: {{rounds: {rounds}, steps: 1}}")
    return project


def wait_until(condition, seconds=300):
    """Wait for something to become true, and return it."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return found


def edit_yaml(path, change):
    """Change the content of a YAML file; comments are lost."""
    content = yaml.safe_load(Path(path).read_text())
    change(content)
    Path(path).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


BASE = {
    "scale": "smoke",
    "papers": ["fed_react"],
    "dataset": "air-writing-sim",
    "eeg_dataset": "eeg-sim",
    "data_folder": "data",
    "data_mirror": None,
    "benchmark_kept": False,
    "device": "auto",
}
"""A configuration that needs no files of data."""


def make_plan(**changes):
    """A checked plan, in the current folder."""
    plan = Plan(BASE | changes)
    plan.check()
    return plan


def refused(**changes):
    """The one line that refuses the configuration of the current folder."""
    with pytest.raises(UserError) as caught:
        make_plan(**changes)
    text = str(caught.value)
    assert "\n" not in text
    return text


def write_paper(name, **files):
    """A paper's folder in the current folder: contents of its files or sections by name."""
    folder = Path("config/papers") / name
    experiment = {section: files.pop(section) for section in SECTIONS if section in files}
    files |= {"experiment": experiment} if experiment else {}
    for file, content in files.items():
        path = folder / f"{file}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))


def contrast(*values):
    """A record of a :class:`fedreact.claims.judged.Contrast`, of its first fields."""
    names = ("at", "left", "right", "ours", "theirs", "published", "margin", "chance", "trivial")
    return dict(zip(names, values))


def cell(*values):
    """A record of where the scores of a table's cell lie, of its first fields."""
    return dict(zip(("row", "column", "folder", "method", "skipped", "unlike"), values))
