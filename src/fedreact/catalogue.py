"""List what the configuration can name, with the options of each: for ``make options`` and docs."""

from collections.abc import Iterator
from typing import Any

from fedreact import plugins
from fedreact.encoding import spec as encoding
from fedreact.kinds import contract as runs

FOLDERS = {
    "clients/partitioners": "PARTITIONER",
    "clients/drifts": "DRIFT",
    "data/sources": "SOURCE",
    "optimizers": "OPTIMIZER",
    "figures": "FIGURE",
    "studies": "STUDY",
}
"""Folders of plug-ins that are classes of options, and what a file of each defines."""


def everything() -> Iterator[tuple[str, str, Any]]:
    """Yield the name of each thing, what it is, and the dataclass of its options (or ``None``)."""
    yield "encoder", "Phase 1 of Fed-REACT", encoding.Options
    for kind in runs.kinds():
        yield kind, "kind of run", runs.part_of(kind, "spec").Options
    for kind in runs.kinds():
        for name in plugins.names(f"kinds/{kind}/algorithms", "ALGORITHM"):
            yield name, f"algorithm of {kind}", runs.algorithm_options(kind, name)
    for folder, defines in FOLDERS.items():
        for name in plugins.names(folder, defines):
            yield name, folder, plugins.load(folder, name, defines)
