"""What a fresh machine installs: one set of pins, for pip and for conda."""

import re
import shutil
import subprocess
import tomllib

import yaml
from helpers import ROOT


def pins(*files):
    lines = [line for name in files for line in (ROOT / name).read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


SETUP = pins("requirements.txt", "requirements-sumo.txt")
DOCS = pins("requirements-docs.txt")


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


def test_direct_dependencies_are_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    direct = set(project["dependencies"]).union(*project["optional-dependencies"].values())
    names = {normal(pin) for pin in SETUP + DOCS}
    assert {name.split("==")[0] for name in direct} <= names
    assert {name for name in direct if "==" in name} <= set(SETUP)


def test_torch_version():
    assert "torch==2.13.0" in SETUP


def test_citation_names_both_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    titles = [reference["title"] for reference in citation["references"]]
    assert len(titles) == 2
    assert all(title.startswith("Fed-REACT") for title in titles)


def test_a_python_that_is_not_there_is_said_to_be_so(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.txt", "requirements-sumo.txt", "pyproject.toml"):
        (tmp_path / name).touch()
    printed, status = command_of_make("setup", "PYTHON=nosuchpython", cwd=tmp_path)
    assert status != 0
    assert "error: there is no nosuchpython; name another" in printed
    assert "older" not in printed


def command_of_make(*words, cwd):
    done = subprocess.run(["make", *words], cwd=cwd, capture_output=True, text=True)
    return done.stdout + done.stderr, done.returncode
