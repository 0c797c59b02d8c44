"""Digests of code, so that an edit re-runs what it touches and a comment does not.

Snakemake does not notice edits to modules that a script imports. Rules therefore carry, as a
parameter, a digest of their script, of all modules of the package that it reaches, and of the
plug-ins that a job loads by their names (:mod:`fedreact.plugins`): the architecture that it trains,
and no other.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

SOURCE = Path("src")

WITHOUT_EFFECT = frozenset({SOURCE / "fedreact/provenance.py", SOURCE / "fedreact/parent.py"})
"""Modules that no result depends on: they write down how results were made, or stop a step."""


@cache
def code_digest(script: str | Path, *named: Path) -> str:
    """Digest of a script and the project's modules that it imports, directly or not.

    Files of plug-ins that it loads by their names count likewise.

    Comments, docstrings and layout do not count. Nor do packages' ``__init__`` files, unless names
    are imported from them.
    """
    digest = hashlib.sha256()
    for path in sorted(set().union(*map(reached, (Path(script), *named)))):
        digest.update(str(path).encode() + b"\0" + _read(path)[1])
    return digest.hexdigest()[:16]


@cache
def reached(script: Path) -> frozenset[Path]:
    """The script and the project's modules that it imports, directly or not."""
    files, todo = set(), [script]
    while todo:
        path = todo.pop()
        if path not in files:
            files.add(path)
            todo.extend(_imports(path))
    return frozenset(files)


@cache
def _imports(path: Path) -> frozenset[Path]:
    names = set()
    for module, name in _read(path)[0]:
        # What is imported from a package may be a module of it or a name in its __init__.
        below = f"{module}.{name}"
        names.add(below if name and _file(below, path) else module)
    files = frozenset(file for name in names if (file := _file(name, path)))
    return files - WITHOUT_EFFECT


def _file(module: str, importer: Path) -> Path | None:
    """The project's file of a module: in the package, or beside a script that imports it."""
    base = {"fedreact": SOURCE, "own": Path()}.get(module.split(".")[0], importer.parent)
    path = base.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _read(path: Path) -> tuple[list[tuple[str, str | None]], bytes]:
    return _parsed(path.read_text(), path)


@cache
def _parsed(text: str, path: Path) -> tuple[list[tuple[str, str | None]], bytes]:
    """What a file imports, as modules and names in them; digest of it without docstrings."""
    tree = ast.parse(text, str(path))
    imports: list[tuple[str, str | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imports += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return imports, hashlib.sha256(ast.dump(tree).encode()).digest()
