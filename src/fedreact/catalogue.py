"""List what the configuration can name, with the options of each: for ``make options`` and docs."""

from collections.abc import Iterator, Sequence
from typing import Any

from fedreact import options, plugins
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError, known
from fedreact.kinds import contract as runs

FOLDERS = {
    "clients/partitioners": "PARTITIONER",
    "clients/regimes": "REGIME",
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


def listed(names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield what is named, or everything: its name, what it is, and its options.

    Raises
    ------
    UserError
        Nothing has one of the names.
    """
    there = list(everything())
    all_names = list(dict.fromkeys(name for name, _, _ in there))
    if wrong := [name for name in names if name not in all_names]:
        raise UserError(f"{wrong[0]!r} is unknown; known: {known(all_names, wrong[0])}")
    for name, what, cls in there:
        if names and name not in names:
            continue
        lines = list(options.table(cls)) if cls else []
        yield {
            "name": name,
            "what": what,
            "options": [dict(zip(("option", "default", "meaning"), line)) for line in lines],
        }


def text(names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a list for people, a section each."""
    for one in listed(names):
        yield f"{one['name']} ({one['what']})"
        nothing = {"option": "no options", "default": "", "meaning": ""}
        for line in one["options"] or [nothing]:
            default = f" = {line['default']}" if line["default"] else ""
            yield f"  {line['option']}{default}"
            if line["meaning"]:
                yield f"      {line['meaning']}"
        yield ""
