"""Digests of the code of jobs: of what they name, and no more."""

from collections.abc import Iterable

from fedreact import plugins
from fedreact.digest import code_digest
from fedreact.metrics.grammar import files as files_of_metric


def digest(script: str, named: Iterable[tuple[str, str, str]] = ()) -> str:
    """Digest of a script and of the plug-ins that it loads: folder, name, what the file defines."""
    files = {plugins.source_file(path) for of in named for path in _files(*of)}
    return code_digest(script, *sorted(files))


def _files(folder, name, defines):
    """Files of a plug-in; the name of a metric has parts, each with a file."""
    return files_of_metric(name) if folder == "metrics" else [plugins.find(folder, name, defines)]
