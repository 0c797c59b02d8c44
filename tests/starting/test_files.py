"""Files to start from: each defines what its contract asks for, under its own name."""

import ast
from dataclasses import is_dataclass
from pathlib import Path

import pytest

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.starting import files

PLUGINS = [name for name, made in files.FILES.items() if made.folder]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("template", PLUGINS)
def test_a_file_is_found_by_its_name(template):
    name = f"my-{template}"
    file = files.write(template, name)
    made = files.FILES[template]
    assert name in plugins.names(made.folder, made.defines)
    cls = plugins.load(made.folder, name, made.defines)
    assert is_dataclass(cls)
    assert cls.__name__ == f"My{template.capitalize()}"
    assert "FILL IN" in file.read_text()


def test_a_script_writes_its_own_dataset():
    file = files.write("dataset", "wrist-2")
    assert file == Path("own/make_wrist_2.py")
    text = file.read_text()
    assert "data/own/wrist-2.npz" in text
    assert "python own/make_wrist_2.py && fedreact check wrist-2" in text
    ast.parse(text)


def test_nothing_is_overwritten_and_no_name_is_taken():
    file = files.write("synchronous", "fine")
    file.write_text("mine")
    with pytest.raises(UserError, match="stays as it is"):
        files.write("synchronous", "fine")
    assert file.read_text() == "mine"
    with pytest.raises(UserError, match="the project has fedavg itself"):
        files.write("synchronous", "fedavg")
    for name in ("Fine", "2a", "a/b", "class", ""):
        with pytest.raises(UserError, match="no name"):
            files.write("figure", name)
