"""What a fresh machine installs: one set of pins, for pip and for conda."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from helpers import ROOT


def pins(*files):
    lines = [line for name in files for line in (ROOT / name).read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


SETUP = pins("requirements.txt", "requirements-sumo.txt")
DOCS = pins("requirements-docs.txt", "requirements-federation.txt")


def test_everything_is_pinned_exactly_and_once():
    names = [normal(pin) for pin in SETUP + DOCS]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][\w.]*", pin) for pin in SETUP + DOCS)
    assert len(set(names)) == len(names)


def normal(pin):
    return re.sub(r"[._-]+", "-", pin.split("==")[0]).lower()


def test_environment_yml_has_the_same_pins():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (pip,) = (d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pip == SETUP


NOT_INSTALLED = {"hf", "mlflow", "tensorboard", "trackio"}
"""Extras that make setup leaves out; what needs them says so."""


def test_direct_dependencies_are_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    installed = [names for extra, names in extras.items() if extra not in NOT_INSTALLED]
    assert extras.keys() > NOT_INSTALLED
    direct = set(project["dependencies"]).union(*installed)
    names = {normal(pin) for pin in SETUP + DOCS}
    assert {name.split("==")[0] for name in direct} <= names
    assert {name for name in direct if "==" in name} <= set(SETUP + DOCS)


def test_one_version_is_named_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    released = re.findall(
        r"^## \[(\d.*)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert released[0] == version


def test_torch_version():
    assert "torch==2.13.0" in SETUP


def test_citation_names_both_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    titles = [reference["title"] for reference in citation["references"]]
    assert len(titles) == 2
    assert all(title.startswith("Fed-REACT") for title in titles)


@pytest.fixture
def bare(tmp_path):
    """A folder that make can be asked to set up, without a single package."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "scripts/setup.sh", tmp_path / "scripts")
    for name in ("requirements-sumo.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    (tmp_path / "requirements.txt").write_text("torch==2.13.0\n")
    return tmp_path


def test_a_python_that_is_not_there_is_said_to_be_so(bare):
    printed, status = command_of_make("setup", "PYTHON=nosuchpython", cwd=bare)
    assert status != 0
    assert "error: there is no nosuchpython; name another" in printed
    assert "older" not in printed


@pytest.mark.campaign
@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_without_a_network_one_line_says_so(bare, installer):
    """Both installers are tried where uv is wanted; what they printed is kept."""
    nowhere = "http://127.0.0.1:9/simple"
    closed = {"PIP_INDEX_URL": nowhere, "UV_DEFAULT_INDEX": nowhere, "UV_HTTP_RETRIES": "0"}
    closed |= {"PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    words = ["setup", f"PYTHON={sys.executable}", "TORCH=gpu", f"INSTALLER={installer}"]
    printed, status = command_of_make(*words, cwd=bare, env=closed)
    assert status != 0
    assert len(printed.splitlines()) <= 4, printed
    (line,) = [line for line in printed.splitlines() if line.startswith("error: ")]
    assert line.startswith("error: packages could not be installed: ")
    assert "torch==2.13.0" in line
    assert line.endswith("(.venv/setup.log)")
    assert (bare / ".venv/setup.log").stat().st_size > 0
    assert not (bare / ".venv/.installed").exists()


def test_uv_is_pinned():
    script = (ROOT / "scripts/setup.sh").read_text()
    assert re.search(r'^uv="uv==[0-9][0-9.]*"', script, re.MULTILINE)


def test_commits_are_checked_by_the_pinned_tools_of_make_lint():
    """Hooks install nothing of their own, so that each tool has one pin."""
    makefile = (ROOT / "Makefile").read_text()
    lint = re.search(r"^lint: setup\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"
    commands = {hook["entry"].removesuffix(" --force-exclude") for hook in local["hooks"]}
    assert all(command in lint for command in commands)
    package = {"lint-imports": "import-linter"}
    tools = {command.split()[0] for command in commands}
    assert {package.get(tool, tool) for tool in tools} <= {normal(pin) for pin in SETUP}


def test_ci_runs_what_the_makefile_has():
    text, makefile = (
        (ROOT / ".github/workflows/ci.yml").read_text(),
        (ROOT / "Makefile").read_text(),
    )
    jobs = yaml.safe_load(text)["jobs"]
    parts = jobs["part"]["strategy"]["matrix"]["include"]
    commands = [part["run"] for part in parts] + [jobs["campaign"]["steps"][-1]["run"]]
    targets = {command.split()[1] for command in commands}
    assert targets == {"lint", "test", "docs-site", "wheel", "long-tests"}
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = min((part["python"] for part in parts), key=lambda python: int(python.split(".")[1]))
    assert project["requires-python"] == f">={oldest}"
    uv = re.search(r'^uv="uv==([0-9.]*)"', (ROOT / "scripts/setup.sh").read_text(), re.MULTILINE)[1]
    assert set(re.findall(r"version: ([0-9.]+),", text)) == {uv}


def command_of_make(*words, cwd, env=None):
    # Run by another make, it would say which folders it enters.
    ours = ("MAKELEVEL", "MAKEFLAGS", "MFLAGS")
    environment = {k: v for k, v in os.environ.items() if k not in ours} | (env or {})
    done = subprocess.run(
        ["make", *words], cwd=cwd, env=environment, capture_output=True, text=True
    )
    return done.stdout + done.stderr, done.returncode
