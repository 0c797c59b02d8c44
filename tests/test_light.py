"""The workflow asks files for their options and names; it starts often, so they must load fast."""

import subprocess
import sys

import pytest

from fedreact.plugins import PACKAGE

DRAWING = ("fedreact.figures.ledger", "fedreact.figures.style")
"""No figure itself: figures load it when they draw."""

HEAVY = ("torch", "scipy", "pandas", "matplotlib", "sklearn")

IMPORTING = """
import importlib, sys
heavy = {heavy!r}
for name in {modules!r}:
    importlib.import_module(name)
    if found := [name for name in heavy if name in sys.modules]:
        sys.exit(f"{{name}} loads {{', '.join(found)}}")
"""


def modules(pattern):
    files = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.glob(pattern))]
    names = [".".join(("fedreact", *path.with_suffix("").parts)) for path in files]
    return [name for name in names if name not in DRAWING]


@pytest.mark.parametrize(
    "pattern",
    [
        "kinds/*/algorithms/*.py",
        "kinds/*/contract.py",
        "clients/**/*.py",
        "metrics/**/*.py",
        "data/sources/*.py",
        "figures/*.py",
        "studies/*.py",
        "kinds/*/spec.py",
        "resolve/*.py",
        "workflow/*.py",
    ],
)
def test_files_that_the_workflow_asks_load_nothing_heavy(pattern):
    found = modules(pattern)
    assert len(found) > 1
    words = [sys.executable, "-c", IMPORTING.format(heavy=HEAVY, modules=found)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_file_that_loads_torch_is_noticed():
    names = ["fedreact.task", "fedreact.models.flat"]
    words = [sys.executable, "-c", IMPORTING.format(heavy=HEAVY, modules=names)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "fedreact.models.flat loads torch" in done.stderr
