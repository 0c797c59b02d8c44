"""Preparation of a dataset: its raw files are found or downloaded, checked and converted."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from fedreact import provenance
from fedreact.data import files, own
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError

log = logging.getLogger("fedreact")


def read(
    source: Source,
    entry: DatasetEntry,
    data_folder: Path,
    mirrors: Sequence[Path],
    parts: list[Path],
) -> SeriesDataset:
    """Read a registered dataset, from its parts if it is made in parts.

    Raises
    ------
    UserError
        A file is neither there nor can be downloaded, is damaged, or is not the registered one.
    """
    wanted = source.wanted(entry)
    if sorted(path.stem for path in parts) != sorted(source.parts):
        raise UserError(
            f"{entry.name} is made of {', '.join(source.parts) or 'no parts'}, got "
            f"{', '.join(map(str, parts)) or 'none'} (scripts/prepare_part.py makes them)"
        )
    raw = {path.stem: path for path in parts}
    if not raw:
        raw = raw_files(wanted, data_folder, mirrors)
        for name, path in raw.items():
            files.check_file(wanted.files[name], path)
    if raw and not parts and len(raw) < 5:
        log.info("reading %s", ", ".join(map(str, raw.values())))
    try:
        data = source.read(raw, wanted)
    except UserError as error:
        paths = " and ".join(map(str, raw.values()))
        raise UserError(f"{error} [in {paths}]" if 0 < len(raw) < 5 else str(error)) from error
    if data.task != entry.task:
        log.info("%s is %s, where its entry says %s", entry.name, data.task, entry.task)
    return data


def raw_files(
    entry: DatasetEntry, data_folder: Path, mirrors: Sequence[Path] = ()
) -> dict[str, Path]:
    """Return the paths of the raw files, by their names in the registry.

    Files that are neither in the data folder nor in a mirror are downloaded.

    Raises
    ------
    UserError
        A file is missing and has no address, or cannot be downloaded.
    """
    paths: dict[str, Path] = {}
    downloads: list[tuple[str, Path, str | None]] = []
    for name, file in entry.files.items():
        path = files.find(entry, file, data_folder, mirrors)
        paths[name] = path or data_folder / entry.name / file.names[0]
        if path is None and file.url is None:
            raise UserError(files.missing_message(entry, data_folder, mirrors))
        if path is None and file.url is not None:
            downloads.append((file.url, paths[name], file.sha256))
    looked_in = files.places(entry, data_folder, mirrors)
    for number, (url, path, sha256) in enumerate(downloads, 1):
        log.info("downloading %s (%d of %d)", url, number, len(downloads))
        files.download(url, path, sha256=sha256, looked_in=looked_in)
    provenance.note_read(*paths.values())
    return paths


def read_own(name: str, data_folder: Path, registered: Iterable[str] = ()) -> SeriesDataset:
    """Read a user's dataset; ``registered`` are the names of the project's, for the error.

    Raises
    ------
    UserError
        There is no such dataset, or its file is damaged.
    """
    file = own.path(data_folder, name)
    if not file.is_file():
        known = ", ".join([*registered, *own.names(data_folder)])
        raise UserError(f"dataset {name!r} is unknown; known: {known or 'none'}; or place {file}")
    provenance.note_read(file)
    data = own.read(file, name)
    clients = "no clients" if data.owner is None else f"{data.owner.max() + 1} clients"
    task = data.task
    outputs = "targets" if task.kind == "regression" else "labels"
    log.info("%s: %s, %d %s, %s", file, task.kind, task.outputs, outputs, clients)
    return data
