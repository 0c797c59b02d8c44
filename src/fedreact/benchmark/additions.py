"""A paper that adds a method or a dataset of one's own to the benchmark.

Its tables have the names of the benchmark's, so that the page puts both side by side. What it holds
is an ordinary folder of ``config/papers``, to be read and edited.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from fedreact.errors import UserError
from fedreact.reading import read_yaml

METHOD = re.compile(r"own/kinds/(?P<kind>\w+)/algorithms/(?P<name>\w+)\.py")
PREFIX = "benchmark_"
Files = dict[str, Any]
"""Content of YAML files by their names in the folder."""


def find_benchmark(papers: Path) -> Path:
    """Return the folder of the paper that is the benchmark: it has a part, and adds nothing.

    Raises
    ------
    UserError
        There is no such paper.
    """
    for file in sorted(papers.glob("*/paper.yaml")):
        if (part := read_yaml(file).get("benchmark")) and not part.get("adds"):
            return file.parent
    raise UserError(f"{papers}: no paper.yaml says what the benchmark is (benchmark)")


def method_paper(file: Path, benchmark: Path) -> tuple[str, Files]:
    """Return the name of the paper of a method, and its files.

    Each row has the method beside clients that train alone. Regimes are those of its kind of run.

    Parameters
    ----------
    file
        ``own/kinds/<kind>/algorithms/<name>.py``.
    benchmark
        Folder of the benchmark's paper.

    Raises
    ------
    UserError
        The file is not there, or is no algorithm of a kind of run.
    """
    match = METHOD.fullmatch(file.as_posix())
    if match is None or not file.is_file():
        raise UserError(
            f"{file}: no method; wanted own/kinds/<kind>/algorithms/<name>.py "
            "(docs/howto/own_method.md)"
        )
    kind, name = match["kind"], match["name"].replace("_", "-")
    settings = read_yaml(benchmark / "experiment.yaml")["settings"]
    tables = {}
    for table, entry in _regimes(benchmark).items():
        rows = {
            label: f"{benchmark.name}/{setting}"
            for label, setting in entry["rows"].items()
            if kind in settings[setting]
        }
        if rows:
            alone = entry["reference"]
            columns = {name: name, alone: _cited(entry["columns"][alone], benchmark.name)}
            tables[table] = {**_words(entry), "rows": rows, "columns": columns}
    if not tables:
        raise UserError(f"{file}: the benchmark has no setting for runs of kind {kind}")
    files: Files = {
        "paper.yaml": _about(benchmark, name, "a method of your own"),
        "experiment.yaml": {"methods": {kind: {name: {}}}},
        "tables.yaml": tables,
    }
    for scale in sorted(benchmark.glob("scales/*.yaml")):
        content = read_yaml(scale)
        shared = {key: content[key] for key in ("seeds", "apart", "differences") if key in content}
        files[f"scales/{scale.name}"] = shared
    return PREFIX + match["name"], files


def data_paper(name: str, has_time: bool, has_labels: bool, benchmark: Path) -> tuple[str, Files]:
    """Return the name of the paper of a dataset of one's own, and its files.

    Its rows are the regimes that the data allows, with the methods of the benchmark.

    Parameters
    ----------
    name
        Name of the dataset, whose file is ``data/own/<name>.npz``.
    has_time, has_labels
        Whether it says when series end, and has one label for each.
    """
    partition: dict[str, Any] = {"data": name, "by": "owner", "split": "random", "test_share": 0.3}
    settings = read_yaml(benchmark / "experiment.yaml")["settings"]
    part = read_yaml(benchmark / "paper.yaml")["benchmark"]
    like, tenth = settings[part["everyone"]], settings[part["tenth"]]
    regimes: dict[str, list[tuple[str, dict[str, Any], dict[str, Any]]]] = {
        "usual": [(name, {}, like)],
        "participation": [(f"{name}, a tenth", {}, tenth)],
        "size": [
            (f"{name}, 2 clients", _regime("few-clients", clients=2), _one_cluster(like)),
            (f"{name}, all clients", _regime("few-clients"), like),
        ],
    }
    if has_time:
        regimes["later"] = [(f"{name}, later part", {"split": "chronological"}, like)]
    if has_labels:
        regimes["labels"] = [
            (f"{name}, {n} labelled", _regime("few-labels", per_label=n), like) for n in (1, 4, 16)
        ]
        joined = {kind: of_kind for kind, of_kind in like.items() if kind != "asynchronous"}
        regimes["newcomers"] = [(name, _regime("newcomers"), joined)]
    partitions, made, tables = {}, {}, {}
    for table, entry in _regimes(benchmark).items():
        rows = {}
        for number, (label, change, setting) in enumerate(regimes.get(table, [])):
            key = f"{table}{number}"
            partitions[key] = partition | change
            made[key] = {**setting, "partition": key}
            rows[label] = key
        if rows:
            columns = {
                label: _cited(column, benchmark.name) for label, column in entry["columns"].items()
            }
            tables[table] = {**_words(entry), "rows": rows, "columns": columns}
    files: Files = {
        "paper.yaml": _about(benchmark, name, "data of your own"),
        "experiment.yaml": {"partitions": partitions, "settings": made},
        "tables.yaml": tables,
    }
    for scale in sorted(benchmark.glob("scales/*.yaml")):
        content = read_yaml(scale)
        own = {key: content[key] for key in ("seeds", "defaults", "at_most") if key in content}
        own["differences"] = content.get("differences", [])[:1]
        if (rounds := content.get("settings", {}).get(part["tenth"])) is not None:
            own["settings"] = {"participation0": rounds}
        files[f"scales/{scale.name}"] = own
    return PREFIX + name.replace("-", "_"), files


def write(folder: Path, files: Mapping[str, Any]) -> None:
    """Write a paper's files, all or none; a text is written as it is.

    Raises
    ------
    UserError
        The folder is there already, so that a person may have edited it.
    """
    if folder.exists():
        raise UserError(f"{folder} is there already; edit it, or remove it to have it written anew")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Not beside the papers, where a folder is one of them.
    part = folder.parents[1] / f".{folder.name}.{os.getpid()}.part"
    try:
        for name, content in files.items():
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else text(content), "utf-8")
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def text(content: Any) -> str:
    """Write the content of a YAML file, a key a line."""
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)


def _regimes(benchmark: Path) -> dict[str, Any]:
    """Return the benchmark's tables that are regimes."""
    reference = read_yaml(benchmark / "paper.yaml")["benchmark"]["reference"]
    tables = read_yaml(benchmark / "tables.yaml")
    return {name: entry for name, entry in tables.items() if entry.get("reference") == reference}


def _about(benchmark: Path, name: str, what: str) -> dict[str, Any]:
    about = read_yaml(benchmark / "paper.yaml")
    kept = {key: about[key] for key in ("margins", "trivial", "pooled") if key in about}
    return {"title": f"{name} in the benchmark", "cite": what, **kept} | {
        "benchmark": {"reference": about["benchmark"]["reference"], "adds": name},
        "options_of": benchmark.name,
    }


def _words(entry: Mapping[str, Any]) -> dict[str, Any]:
    keys: Iterable[str] = ("title", "score", "reference", "metrics")
    return {key: entry[key] for key in keys if key in entry}


def _cited(column: str | Mapping[str, Any], paper: str) -> str | dict[str, Any]:
    """Name a method of a column, as another paper cites it."""
    if isinstance(column, Mapping):
        return {**column, "method": _cited(column["method"], paper)}
    return column if "/" in column else f"{paper}/{column}"


def _regime(kind: str, **of_kind: Any) -> dict[str, Any]:
    return {"regime": {"kind": kind, **of_kind}}


def _one_cluster(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Make two clients one cluster, since the number of clusters of two cannot be estimated."""
    return {**setting, "clustered": {**setting["clustered"], "n_clusters": 1}}
