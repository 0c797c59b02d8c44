"""What is found by its file's name: algorithms, architectures, encoders, sources, figures, ...

A name in the configuration is that of a file, with dashes for underscores: the architecture
``causal-cnn`` is ``models/architectures/causal_cnn.py`` of this package. A user's own files lie
below ``own/`` in the current folder, in folders of the same names (``own/models/architectures/``),
and are found in the same way. What such a file defines is said by the ``contract.py`` of its
folder.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from fedreact import options
from fedreact.errors import UserError, known

PACKAGE = Path(__file__).parent
OWN = Path("own")
NAME = "[A-Za-z0-9_-]+"

loaded: list[Path] = []
"""Files of the plug-ins that this process has loaded, for its record."""


def find(folder: str, name: str, defines: str) -> Path:
    """File of a plug-in.

    Parameters
    ----------
    folder
        Its folder in the package, e.g. ``models/encoders``.
    name
        As the configuration has it.
    defines
        What a plug-in of this folder defines, e.g. ``ENCODER``.

    Raises
    ------
    UserError
        There is none, or a user's own has the name of one of the project's, or is no Python.
    """
    if not isinstance(name, str) or not re.fullmatch(NAME, name):
        raise _unknown(folder, name, defines)
    return _find(Path.cwd(), folder, name, defines)


@cache  # a plan asks ten thousand times
def _find(here: Path, folder: str, name: str, defines: str) -> Path:
    file = f"{name.replace('-', '_')}.py"
    ours, own = PACKAGE / folder / file, OWN / folder / file
    there = [path for path in (ours, own) if path.is_file() and _defines(path, defines)]
    if len(there) == 2:
        raise UserError(f"{own}: the project has {name!r} itself; give yours another name")
    if not there:
        if own.is_file():
            raise UserError(f"{own}: defines no {defines}")
        raise _unknown(folder, name, defines, f"; or write {own}")
    if there == [own]:
        _check_syntax(own)
    return there[0]


def _check_syntax(path: Path) -> None:
    """Refuse what is no Python: it would stop the digest of its code, with a traceback."""
    try:
        ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{path}: {type(error).__name__}: {error}") from error


def _unknown(folder: str, name: Any, defines: str, else_: str = "") -> UserError:
    there = known(names(folder, defines), name)
    return UserError(f"{options.shown(name)} is unknown among {folder}; known: {there}{else_}")


def names(folder: str, defines: str) -> list[str]:
    """Names of a folder's plug-ins, the user's own after the project's."""
    files = [*sorted((PACKAGE / folder).glob("*.py")), *sorted((OWN / folder).glob("*.py"))]
    return [path.stem.replace("_", "-") for path in files if _defines(path, defines)]


def _defines(path: Path, name: str) -> bool:
    """Whether a file defines a name, without importing it."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return re.search(rf"^{name}\b|^(?:def|class) {name}\b", text, re.MULTILINE) is not None


def load(folder: str, name: str, defines: str) -> Any:
    """Import a plug-in and return what it defines.

    Raises
    ------
    UserError
        See :func:`find`; or the file cannot be imported.
    """
    if not isinstance(name, str):  # a list, say, which no cache can hold
        raise _unknown(folder, name, defines)
    return _load(folder, name, defines)


@cache
def _load(folder: str, name: str, defines: str) -> Any:
    path = find(folder, name, defines)
    content = module(path)
    if not hasattr(content, defines):
        raise UserError(f"{path}: defines no {defines}")
    return getattr(content, defines)


def module(path: Path) -> ModuleType:
    """Import a file of the package or one of the user's own, by its name.

    By name, so that the processes of a training find it, too.
    """
    if path not in loaded:
        loaded.append(path)
    if path.is_relative_to(PACKAGE):
        parts = ("fedreact", *path.relative_to(PACKAGE).with_suffix("").parts)
        return importlib.import_module(".".join(parts))
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(".".join(path.with_suffix("").parts))
    except (Exception, SystemExit) as error:  # nobody knows what a user's file does
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: {type(error).__name__}: {reason}") from error


@cache
def source_file(path: Path) -> Path:
    """Path of a plug-in's file from the current folder, as code digests have it."""
    return (
        Path("src/fedreact") / path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path
    )


def make(folder: str, content: Any, defines: str, where: str) -> Any:
    """Make a plug-in with options from ``{kind: <its name>, <option>: <value>, ...}``."""
    if not isinstance(content, Mapping) or not isinstance(content.get("kind"), str):
        raise UserError(f"{where}: wanted a kind and its options, got {options.shown(content)}")
    try:
        cls = load(folder, content["kind"], defines)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    return options.check(cls, {k: v for k, v in content.items() if k != "kind"}, where)


@dataclass(frozen=True)
class Named:
    """Annotates an option that names plug-ins: by a name, ``{kind: <name>, <option>: ...}``, or
    several names by labels.

    What it names is checked with the option, and counts as code of the job.
    """

    folder: str
    defines: str

    def check(self, value: Any, where: str) -> None:
        """Raise a ``UserError`` unless all that is named can be found and has such options."""
        labelled = isinstance(value, Mapping) and "kind" not in value
        if labelled and not (value and all(isinstance(name, str) for name in value.values())):
            raise UserError(f"{where}: wanted a kind and its options, got {options.shown(value)}")
        for name in self.names(value):
            try:
                find(self.folder, name, self.defines)
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
        if value is not None and not isinstance(value, str) and "kind" in value:
            make(self.folder, value, self.defines, where)

    def names(self, value: Any) -> list[str]:
        """Names in the value of such an option."""
        if value is None:
            return []
        if isinstance(value, Mapping):
            return [value["kind"]] if "kind" in value else list(value.values())
        return [value]


def named(made: Any) -> Iterator[tuple[str, str, str]]:
    """Plug-ins that options name: folder, name, and what the file defines."""
    return named_by(type(made), options.vars_of(made))


def named_by(kind: type, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The same of a class, and values of its options; others have their defaults."""
    for option, mark in options.marks(kind):
        for name in mark.names(values.get(option, getattr(kind, option, None))):
            yield mark.folder, name, mark.defines
