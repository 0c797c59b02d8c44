"""What the report of a multiverse is asked: choices, claims, and published cells."""

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from fedreact.claims import margins
from fedreact.errors import UserError, unknown
from fedreact.multiverse.universe import Choice
from fedreact.resolve.cells import Cell
from fedreact.resolve.claims import Claims, Comparison
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.multiverse_entries import MultiverseSpec
from fedreact.resolve.papers import Paper
from fedreact.tables import published as values

METHODS = "methods."


def spec_of(paper: Paper) -> MultiverseSpec:
    """Return what ``multiverse.yaml`` of a paper says.

    Raises
    ------
    UserError
        It has none.
    """
    if paper.multiverse is None:
        raise UserError(f"{paper.folder}/multiverse.yaml: no such file")
    return paper.multiverse


def asked(
    judged: Claims, name: str, settings: dict[str, int], choices: Sequence[Choice]
) -> dict[str, Any]:
    """Content of a :class:`fedreact.multiverse.summary.Design`.

    Parameters
    ----------
    judged, name
        Claims of all papers, and the name of a paper.
    settings
        Number of universes, by setting.
    choices
        What is varied.
    """
    paper = judged.settings.paper(name)
    spec = spec_of(paper)
    known = {choice.name: option(choice.name) for choice in choices}
    over = [name for name, label in known.items() if spec.over in (name, label)]
    if spec.over and len(over) != 1:
        wrong = unknown(spec.over, list(known.values()))
        raise UserError(f"{paper.folder}/multiverse.yaml: over: {wrong}")
    return {
        "metric": spec.metric,
        "seed": spec.seed,
        "over": "".join(over),
        "nearest": spec.nearest,
        "settings": settings,
        "choices": [
            {"name": one.name, "values": list(map(_label, one.values)), "default": one.default}
            for one in choices
        ],
        "claims": claims(judged, paper, settings),
        "cells": published(judged, paper, settings),
    }


def methods(experiments: Experiments, paper: str) -> dict[str, dict[str, Any]]:
    """What the methods of a paper's multiverse stand for in the configuration."""
    names = spec_of(experiments.settings.paper(paper)).methods
    made = {name: experiments.cells(paper).method(name)[1] for name in names}
    return {
        name: {"algorithm": one.algorithm, **one.options, **one.of_run}
        for name, one in made.items()
    }


def option(key: str) -> str:
    """Option that a choice's key sets, without kind and methods."""
    return key.rpartition(".")[2]


def methods_of(key: str) -> list[str]:
    """Methods whose option a choice's key sets; none if it is an option of the run."""
    names, _, _ = key.removeprefix(METHODS).rpartition(".")
    return names.split("+") if key.startswith(METHODS) else []


def _label(value: Any) -> str:
    """A value of a choice as readers see it."""
    if isinstance(value, Mapping):
        return " and ".join(f"{option(key).replace('_', ' ')} {one}" for key, one in value.items())
    return str(value)


def claims(judged: Claims, paper: Paper, settings: Container[str]) -> list[dict[str, Any]]:
    """A line for each claim and setting.

    Returns
    -------
    list of dict
        ``claim``, its ``text``, ``setting``, ``sign`` (1 if higher is claimed, else -1), ``pairs``
        of methods, the ``published`` difference or ``None``, and the ``margin``.
    """
    known, spec = list(paper.claims), spec_of(paper)
    for name in spec.claims:
        if name not in known:
            raise UserError(f"{paper.folder}/multiverse.yaml: claims: {unknown(name, known)}")
    lines = (_claim(judged, paper, settings, name) for name in spec.claims)
    return list(chain(*lines))


def _claim(
    judged: Claims, paper: Paper, settings: Container[str], name: str
) -> Iterator[dict[str, Any]]:
    claim, spec = paper.claims[name], spec_of(paper)
    by_setting: dict[str, list[tuple[Comparison, Cell]]] = {}
    for each in judged.comparisons(paper.name, name, spec.metric):
        ours, theirs = each.ours, each.theirs
        if not isinstance(theirs, Cell) or ours.setting != theirs.setting:
            continue
        if theirs.setting in settings and {ours.method.name, theirs.method.name} <= {*spec.methods}:
            by_setting.setdefault(theirs.setting, []).append((each, theirs))
    for setting, pairs in by_setting.items():
        effects = [each.effect for each, _ in pairs if each.effect is not None]
        yield {
            "claim": name,
            "text": claim.claim,
            "setting": setting,
            "sign": margins.sign(claim.relation, spec.metric) or 1,
            "pairs": [(each.ours.method.name, theirs.method.name) for each, theirs in pairs],
            "published": sum(e.difference for e in effects) / len(effects) if effects else None,
            "margin": judged.margin(paper.name, name, spec.metric, [each for each, _ in pairs]),
        }


def published(judged: Claims, paper: Paper, settings: Container[str]) -> list[dict[str, Any]]:
    """Published values of cells that universes run: ``table``, ``setting``, ``method``, ``value``.

    Cells of other data than the paper speaks of have none.
    """
    spec, cells = spec_of(paper), judged.experiments.cells(paper.name)
    if spec.nearest and spec.nearest not in paper.tables:
        raise UserError(
            f"{paper.folder}/multiverse.yaml: nearest: {unknown(spec.nearest, paper.tables)}"
        )
    lines = []
    for table in paper.tables:
        path = paper.folder / "published" / f"{table}.yaml"
        printed = values.read(path if path.exists() else None)
        for (row, column), cell in cells.table(table).items() if printed["rows"] else ():
            value = values.value_of(printed, row, column, spec.metric)
            if value is None or judged.outputs.stands_in(cell):
                continue
            if cell.setting in settings and cell.method.name in spec.methods:
                place = {"setting": cell.setting, "method": cell.method.name}
                lines.append({"table": table, **place, "value": value})
    return lines
