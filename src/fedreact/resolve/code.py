"""Digests of the code of jobs: of what they name, and no more."""

from collections.abc import Iterable

from fedreact import plugins
from fedreact.digest import code_digest


def digest(script: str, named: Iterable[tuple[str, str, str]] = ()) -> str:
    """Digest of a script and of the plug-ins that it loads: folder, name, what the file defines."""
    files = {plugins.source_file(plugins.find(*of)) for of in named}
    return code_digest(script, *sorted(files))
