"""Digests of the code of jobs: of what they name, and no more."""

from collections.abc import Iterable
from pathlib import Path

from fedreact import plugins
from fedreact.digest import code_digest
from fedreact.metrics.grammar import files as files_of_metric


def digest(script: str, named: Iterable[tuple[str, str, str]] = ()) -> str:
    """Digest of a script and of the plug-ins that it loads: folder, name, what the file defines."""
    files = {plugins.source_file(path) for each in named for path in files_of(*each)}
    return code_digest(script, *sorted(files))


def files_of(folder: str, name: str, defines: str) -> list[Path]:
    """Return the files of a plug-in; the name of a metric has parts, each with a file."""
    return files_of_metric(name) if folder == "metrics" else [plugins.find(folder, name, defines)]
