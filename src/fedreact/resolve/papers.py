"""Papers: what lies in ``config/papers/<paper>/``, checked.

A paper's files are data: its experiment (partitions, settings, methods), tables, figures,
searches, ledger, claims, scales and published values. ``<paper>/<name>`` cites another paper.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from fedreact import options, plugins
from fedreact.claims.contract import Claim
from fedreact.errors import UserError, unknown
from fedreact.kinds import contract as runs
from fedreact.reading import read_yaml
from fedreact.resolve.entries import (
    About,
    FigureSpec,
    LedgerEntry,
    PartitionSpec,
    PrintedEntry,
    SearchSpec,
    SettingSpec,
    TableSpec,
)
from fedreact.resolve.layers import Location
from fedreact.resolve.multiverse_entries import MultiverseSpec
from fedreact.resolve.scales import PARTITIONERS, PaperScale, check_scale, check_step

FOLDER = Path("config/papers")
SECTIONS = ("partitions", "settings", "methods")
"""Parts of ``experiment.yaml``."""
FILES = {
    *("paper", "experiment", "datasets", "tables", "figures"),
    *("search", "ledger", "claims", "multiverse", "printed"),
}
"""YAML files of a paper."""
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""Of what becomes a part of paths, where other characters mark changes."""


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper.

    Attributes
    ----------
    methods
        By name: its kind of run, and what it stands for.
    scale_files
        File that each key of its scale is written in, where the scale is like another.
    chosen
        Options that a search chose at its scale, by dataset and by method, with changes of the
        setting as in paths (``fed_react/local+encoder.rounds=0``).
    chosen_file
        File of these options, which need not be there.
    """

    name: str
    about: About
    partitions: Mapping[str, PartitionSpec]
    settings: Mapping[str, SettingSpec]
    methods: Mapping[str, tuple[str, runs.Method]]
    tables: Mapping[str, TableSpec]
    figures: Mapping[str, FigureSpec]
    searches: Mapping[str, SearchSpec]
    ledger: Mapping[str, LedgerEntry]
    claims: Mapping[str, Claim]
    multiverse: MultiverseSpec | None
    scale: PaperScale
    scale_files: Mapping[str, Path]
    printed: Mapping[str, PrintedEntry]
    chosen: Mapping[str, Mapping[str, Mapping[str, Any]]]
    chosen_file: Path

    def at(self, file: str, *keys: str) -> Location:
        """Where keys of one of its files are written; the file ``scale`` is that of the scale."""
        if file in SECTIONS:
            return Location(self.folder / "experiment.yaml", (file, *keys))
        path = self.scale_files.get(keys[0]) if file == "scale" else None
        return Location(path or self.folder / f"{file}.yaml", keys)

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return FOLDER / self.name

    @property
    def prefix(self) -> str:
        """Before the names of its tables and figures."""
        return f"{self.name}_" if self.about.prefix is None else self.about.prefix


Content = tuple[Any, str]
"""Content of a file, and its path for errors."""


def paper_names() -> list[str]:
    """Names of the papers' folders, that of the main paper first."""
    files = sorted(FOLDER.glob("*/paper.yaml"))
    names = [path.parent.name for path in files if _is_main(path, path.stat().st_mtime_ns)]
    return names + [path.parent.name for path in files if path.parent.name not in names]


@cache
def _is_main(path: Path, time: int) -> bool:
    content = read_yaml(path)
    return isinstance(content, Mapping) and content.get("main") is True


def main_role() -> str | None:
    """Role of the main paper's data, which ``dataset`` of the configuration chooses for."""
    if not (names := paper_names()):
        return None
    content = read_yaml(FOLDER / names[0] / "paper.yaml")
    return content.get("data") if isinstance(content, Mapping) else None


def load_paper(name: str, scale: str, like: str | None = None) -> Paper:
    """Read and check a paper's folder; what its scale leaves open is as at the scale ``like``.

    Raises
    ------
    UserError
        One line: which file, which key, what is wrong, what is allowed.
    """
    folder = FOLDER / name
    _check_files(folder)

    def read(file: str, needed: bool = False) -> Content:
        path = folder / f"{file}.yaml"
        return (read_yaml(path) or {}) if needed or path.exists() else {}, str(path)

    about = options.check(About, *read("paper", needed=True))
    experiment = _experiment(*read("experiment"))
    partitions = {
        key: _partition(content, about.data, where)
        for key, content, where in _entries(*experiment["partitions"])
    }
    settings = {
        key: _setting(content, where) for key, content, where in _entries(*experiment["settings"])
    }
    methods = _methods(*experiment["methods"])
    figures = {key: _figure(content, where) for key, content, where in _entries(*read("figures"))}
    content, where = read(f"scales/{scale}")
    scale_files = dict.fromkeys(content, Path(where))
    if like is not None:
        base, of_base = read(f"scales/{like}")
        for layer in ((base, of_base), (content, where)):
            options.check(PaperScale, *layer)
        scale_files = dict.fromkeys(base, Path(of_base)) | scale_files
        content, where = (base | content, where) if content else (base, of_base)
    paper = Paper(
        name,
        about,
        partitions,
        settings,
        methods,
        options.check_all(TableSpec, *read("tables")),
        figures,
        options.check_all(SearchSpec, *read("search")),
        options.check_all(LedgerEntry, *read("ledger")),
        options.check_all(Claim, *read("claims")),
        _multiverse(*read("multiverse")),
        check_scale(content, where, settings, partitions),
        scale_files,
        options.check_all(PrintedEntry, *read("printed")),
        _chosen(*(chosen := read(f"chosen/{scale}"))),
        Path(chosen[1]),
    )
    _check_names(paper)
    _check_printed(paper)
    for table in paper.scale.tables_left_out:
        if table not in paper.tables:
            raise UserError(f"{where}: tables_left_out: {unknown(table, paper.tables)}")
    for table, spec in paper.tables.items():
        of_scores = [bool(content) for content in (spec.rows, spec.columns, spec.metrics)]
        if any(of_scores) == bool(spec.study) or any(of_scores) != all(of_scores):
            raise UserError(
                f"{folder}/tables.yaml: {table}: give rows and columns, and metrics, or a study"
            )
    return paper


def _chosen(content: Any, where: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Check the file that ``fedreact search`` writes."""
    try:
        return msgspec.convert(content, dict[str, dict[str, dict[str, Any]]])
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: {error}; fedreact search writes it anew") from None


def _check_files(folder: Path) -> None:
    """Refuse files that nothing reads."""
    if odd := [path for path in sorted(folder.glob("*.yaml")) if path.stem not in FILES]:
        raise UserError(f"{odd[0]}: {unknown(odd[0].stem, FILES)}, each a file of a paper")


def _experiment(content: Any, where: str) -> dict[str, Content]:
    """Return the content of each section of ``experiment.yaml``, and where it is."""
    if not isinstance(content, Mapping):
        raise UserError(f"{where}: wanted {', '.join(SECTIONS)}")
    if odd := [key for key in content if key not in SECTIONS]:
        raise UserError(f"{where}: {unknown(odd[0], SECTIONS)}")
    return {name: (content.get(name) or {}, f"{where}: {name}") for name in SECTIONS}


def _check_printed(paper: Paper) -> None:
    """Refuse targets that are not there, and what has neither targets nor a reason, or both."""
    for name, entry in paper.printed.items():
        where = f"{paper.folder}/printed.yaml: {name}"
        if odd := [one for one in entry.targets if one not in {**paper.tables, **paper.figures}]:
            raise UserError(f"{where}: {unknown(odd[0], [*paper.tables, *paper.figures])}")
        if bool(entry.targets) == bool(entry.missing) or (entry.lacks and entry.missing):
            raise UserError(f"{where}: give targets, and what they lack, or why it is missing")


def _check_names(paper: Paper) -> None:
    """Refuse names that cannot be part of a path."""
    if not re.fullmatch("[A-Za-z0-9_]+", paper.name):
        raise UserError(f"{paper.folder}: a paper's name is letters, digits and _ alone")
    if not re.fullmatch(f"({NAME})?", paper.prefix):
        raise UserError(f"{paper.folder}/paper.yaml: prefix: {paper.prefix!r} is no part of a name")
    for what in ("partitions", "settings", "methods", "tables", "figures", "searches"):
        if odd := [name for name in getattr(paper, what) if not re.fullmatch(NAME, name)]:
            raise UserError(
                f"{paper.folder}: {what}: {options.shown(odd[0])} is no name; use letters, digits, "
                "dots, dashes and _"
            )


def _entries(content: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Yield names, their entries, and where these are."""
    if not isinstance(content, Mapping):
        raise UserError(f"{where}: wanted names and what they stand for")
    for name, entry in content.items():
        if not isinstance(name, str):
            raise UserError(f"{where}: the key {name} is not a text; put it in quotes")
        if not isinstance(entry, Mapping):
            raise UserError(f"{where}: {name}: wanted keys, got {options.shown(entry)}")
        if odd := [key for key in entry if not isinstance(key, str)]:
            raise UserError(f"{where}: {name}: the key {odd[0]} is not a text; put it in quotes")
        yield name, entry, f"{where}: {name}"


def _partition(entry: Mapping[str, Any], role: str | None, where: str) -> PartitionSpec:
    rest = dict(entry)
    data, by = rest.pop("data", role), rest.pop("by", None)
    if not isinstance(data, str):
        raise UserError(f"{where}: data: the role or name of a dataset is needed")
    if not isinstance(by, str):
        known = ", ".join(plugins.names(PARTITIONERS, "PARTITIONER"))
        raise UserError(f"{where}: by: a partitioner is needed; known: {known}")
    check_step(by, rest, where)
    return PartitionSpec(data, by, rest)


def _setting(entry: Mapping[str, Any], where: str) -> SettingSpec:
    rest = dict(entry)
    partition = rest.pop("partition", None)
    if not isinstance(partition, str):
        raise UserError(f"{where}: partition: a name of the section partitions is needed")
    for step, of_step in rest.items():
        check_step(step, of_step, where)
    return SettingSpec(partition, rest)


def _methods(content: Any, where: str) -> dict[str, tuple[str, runs.Method]]:
    methods: dict[str, tuple[str, runs.Method]] = {}
    for kind, listed, place in _entries(content, where):
        if kind not in runs.kinds():
            raise UserError(f"{place} is no kind of run; known: {', '.join(runs.kinds())}")
        for name, entry, here in _entries(listed, place):
            if name in methods:
                raise UserError(f"{here}: there are two methods of this name")
            methods[name] = kind, runs.method(kind, name, entry, here)
    return methods


def _multiverse(content: Any, where: str) -> MultiverseSpec | None:
    return options.check(MultiverseSpec, content, where) if content else None


def _figure(entry: Mapping[str, Any], where: str) -> FigureSpec:
    rest = dict(entry)
    title, kind, study = (rest.pop(key, None) for key in ("title", "kind", "study"))
    if not isinstance(title, str) or not isinstance(kind, str):
        raise UserError(f"{where}: needs a title and a kind")
    made = plugins.make("figures", {"kind": kind, **rest}, "FIGURE", where)
    return FigureSpec(title, kind, made, study)
