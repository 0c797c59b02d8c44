"""Lists of what there is: all methods of all papers, and all metrics."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fedreact import options, plugins
from fedreact.kinds import contract as runs
from fedreact.metrics import grammar
from fedreact.resolve.papers import load_paper, paper_names
from fedreact.task import Kind, Task

TASKS: dict[Kind, Task] = {
    "classification": Task("classification", 3, 3, 50),
    "multi-label": Task("multi-label", 3, 3, 50),
    "regression": Task("regression", 1, 3, 50),
}
"""A task of each kind, for the question which an algorithm can run on."""
FULL = "paper"
"""The scale at which papers are read: methods do not depend on it."""


@dataclass(frozen=True)
class MethodEntry:
    """A method of a paper.

    Attributes
    ----------
    name
        As a column of a table names it: ``<paper>/<method>``.
    kind, algorithm
        Kind of run, and the file of the algorithm.
    tasks
        Kinds of tasks that it can run on.
    options
        Options that differ from the algorithm's and the run's defaults.
    about, source
        What the algorithm does, and where it comes from.
    """

    name: str
    kind: str
    algorithm: str
    tasks: tuple[Kind, ...]
    options: str
    about: str
    source: str

    @property
    def paper(self) -> str:
        """The paper that defines it."""
        return self.name.split("/")[0]


def methods() -> list[MethodEntry]:
    """List the methods of all papers, by paper.

    Raises
    ------
    UserError
        The configuration is wrong.
    """
    entries = []
    for paper in paper_names():
        for name, (kind, method) in load_paper(paper, FULL).methods.items():
            changes = {**method.options, **method.of_run}
            entries.append(
                MethodEntry(
                    f"{paper}/{name}",
                    kind,
                    method.algorithm,
                    tuple(
                        task
                        for task, example in TASKS.items()
                        if runs.skipped(kind, method.algorithm, example) is None
                    ),
                    ", ".join(f"{key}: {options.text_of(value)}" for key, value in changes.items()),
                    _does(kind, method.algorithm),
                    about(f"kinds/{kind}/algorithms", method.algorithm, "ALGORITHM"),
                )
            )
    return entries


def _does(kind: str, algorithm: str) -> str:
    """Return the first sentence of the docstring of an algorithm."""
    made = plugins.load(f"kinds/{kind}/algorithms", algorithm, "ALGORITHM")
    text = getattr(made, "__doc__", None) or about(
        f"kinds/{kind}/algorithms", algorithm, "ALGORITHM"
    )
    return " ".join(text.split("\n\n")[0].split()).replace("``", "")


def about(folder: str, name: str, defines: str) -> str:
    """Return the first line of the docstring of a plug-in's file."""
    file = plugins.find(folder, name, defines)
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("``", "")


def metrics() -> dict[str, list[dict[str, Any]]]:
    """List bases, subsets and reducers of metrics, and the metrics that runs record themselves."""
    bases = {name: grammar.load_metric(name) for name in grammar.names("base")}
    there: dict[str, list[dict[str, Any]]] = {"bases": [], "subsets": [], "reducers": []}
    there["recorded"] = []
    for name, metric in bases.items():
        entry: dict[str, Any] = {"name": name, "title": metric.title, "better": metric.better}
        if metric.kinds:
            there["bases"].append(entry | {"tasks": list(metric.kinds)})
        else:
            there["recorded"].append(entry)
    for part in ("subset", "reducer"):
        there[f"{part}s"] = list(_parts(part))
    return there


def _parts(part: str) -> Iterator[dict[str, Any]]:
    """Yield the subsets or the reducers."""
    folder, defines, _ = grammar.PARTS[part]
    for name in grammar.names(part):
        entry: dict[str, Any] = {"name": name, "about": about(folder, name, defines)}
        if part == "subset":
            entry["of"] = plugins.load(folder, name, defines).chosen_from
        yield entry
