"""What is built of the package, and a notebook that runs from the wheel alone."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from helpers import PATHS, ROOT, copy_project
from packaging.requirements import Requirement

pytestmark = pytest.mark.campaign

UNREACHABLE = ("failed to fetch", "error sending request", "connect error", "network was disabled")
"""What uv says, in small letters, where no package index can be reached."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the source distribution and the wheel that is made from it."""
    uv = shutil.which("uv", path=PATHS["PATH"])
    if uv is None:
        pytest.skip("needs uv")
    project = copy_project(tmp_path_factory.mktemp("project"))
    (project / "results/quick/tables").mkdir(parents=True)
    (project / "results/quick/tables/table05.csv").write_text("table,row\n")
    to = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [uv, "build", "--out-dir", to, project], capture_output=True, text=True, check=False
    )
    if done.returncode and any(words in done.stderr.lower() for words in UNREACHABLE):
        pytest.skip(f"needs a package index: {done.stderr.splitlines()[-1].strip()}")
    assert done.returncode == 0, done.stderr
    return to


def names(built):
    """Files of the source distribution and of the wheel, without the folder of the former."""
    (source,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
    with tarfile.open(source) as file:
        of_source = {name.partition("/")[2] for name in file.getnames()}
    return of_source, set(ZipFile(wheel).namelist())


def test_templates_and_types_are_shipped_and_no_results(built):
    package = ROOT / "src/fedreact"
    shipped = [package / "py.typed", *package.glob("*/templates/*"), *package.rglob("*.py")]
    wanted = {str(path.relative_to(ROOT / "src")) for path in shipped}
    of_source, of_wheel = names(built)
    assert {name for name in of_wheel if ".dist-info/" not in name} == wanted
    assert {f"src/{name}" for name in wanted} <= of_source
    assert {"LICENSE", "README.md", "CITATION.cff", "CHANGELOG.md"} <= of_source
    assert not [name for name in of_source if name.split("/")[0] in ("results", "data", "tests")]


def needed(*packages):
    """Distributions that packages ask for, directly or not, without optional ones."""
    found, todo = {}, list(packages)
    while todo:
        name = todo.pop().lower()
        if name in found:
            continue
        found[name] = importlib.metadata.distribution(name)
        asked = map(Requirement, found[name].requires or [])
        todo += [of.name for of in asked if not of.marker or of.marker.evaluate({"extra": ""})]
    return found.values()


@pytest.fixture(scope="module")
def clean(built, tmp_path_factory):
    """The Python of an environment with the wheel, and with what the wheel declares that it needs.

    Declared packages are links to those of this environment, since torch alone is a gigabyte.
    """
    (wheel,) = built.glob("*.whl")
    folder = tmp_path_factory.mktemp("clean")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin/python"
    (packages,) = folder.glob("lib/python*/site-packages")
    with ZipFile(wheel) as file:
        file.extractall(packages)
    (info,) = packages.glob("fedreact-*.dist-info")
    asked = importlib.metadata.Distribution.at(info).requires
    declared = [of.name for of in map(Requirement, asked) if "extra" not in str(of.marker)]
    for distribution in needed(*declared):
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            to = packages / top
            if not to.exists():
                to.symlink_to(Path(distribution.locate_file(top)))
    return python


def test_a_notebook_runs_with_the_wheel_and_what_it_declares(clean, tmp_path):
    notebook = nbformat.read(ROOT / "examples/notebooks/fed_react.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    check = "import fedreact; print(fedreact.__file__); assert len(scores) == 40"
    (tmp_path / "notebook.py").write_text("\n".join([*cells, check]))
    ours = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [clean, "notebook.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(clean.parent.parent))
    assert [path.name for path in tmp_path.iterdir()] == ["notebook.py"]
