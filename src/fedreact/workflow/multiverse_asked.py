"""What the report of a multiverse is asked: choices, claims, and published cells."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fedreact.claims import margins
from fedreact.errors import UserError, unknown
from fedreact.multiverse.universe import Choice
from fedreact.tables import published as values
from fedreact.workflow.cells import Cells
from fedreact.workflow.papers import Paper


def asked(
    paper: Paper, cells: Cells, settings: dict[str, int], choices: Sequence[Choice]
) -> dict[str, Any]:
    """Content of a :class:`fedreact.multiverse.summary.Asked`.

    Parameters
    ----------
    paper, cells
        The paper, and what its tables need.
    settings
        Number of universes, by setting.
    choices
        What is varied.
    """
    spec = paper.multiverse
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
        "claims": claims(paper, cells, settings),
        "cells": published(paper, cells, settings),
    }


def option(key: str) -> str:
    """Option that a choice's key sets, without kind and methods."""
    return key.rpartition(".")[2]


def _label(value):
    """A value of a choice as readers see it."""
    if isinstance(value, Mapping):
        return " and ".join(f"{option(key).replace('_', ' ')} {one}" for key, one in value.items())
    return str(value)


def claims(paper: Paper, cells: Cells, settings: dict[str, int]) -> list[dict[str, Any]]:
    """A line for each claim and setting.

    Returns
    -------
    list of dict
        ``claim``, its ``text``, ``setting``, ``sign`` (1 if higher is claimed, else -1), ``pairs``
        of methods, the ``published`` difference or ``None``, and the ``margin``.
    """
    known = list(paper.claims)
    for name in paper.multiverse.claims:
        if name not in known:
            raise UserError(f"{paper.folder}/multiverse.yaml: claims: {unknown(name, known)}")
    return [
        line for name in paper.multiverse.claims for line in _claim(paper, cells, settings, name)
    ]


def _claim(paper, cells, settings, name) -> Iterator[dict[str, Any]]:
    claim, spec = paper.claims[name], paper.multiverse
    table, printed = cells.table(claim.table), _printed(paper, claim.table)
    usual = paper.about.margins.get(spec.metric, claim.margin)
    by_setting: dict[str, list] = {}
    for (row, column), cell in table.items():
        at, label = (row, column) if claim.compare == "columns" else (column, row)
        left = table.get((at, claim.left) if claim.compare == "columns" else (claim.left, at))
        if label not in claim.right or (claim.at and at not in claim.at) or left is None:
            continue
        methods = (left.method.name, cell.method.name)
        if cell.setting in settings and set(methods) <= set(spec.methods):
            effect = margins.published(printed, claim, spec.metric, at, label)
            by_setting.setdefault(cell.setting, []).append((methods, effect))
    for setting, pairs in by_setting.items():
        effects = [effect for _, effect in pairs]
        differences = [effect.difference for effect in effects if effect is not None]
        yield {
            "claim": name,
            "text": claim.claim,
            "setting": setting,
            "sign": margins.sign(claim.relation, spec.metric) or 1,
            "pairs": [methods for methods, _ in pairs],
            "published": sum(differences) / len(differences) if differences else None,
            "margin": margins.of_average(claim, effects, usual),
        }


def published(paper: Paper, cells: Cells, settings: dict[str, int]) -> list[dict[str, Any]]:
    """Published values of cells that universes run: ``table``, ``setting``, ``method``, ``value``.

    Tables without a published value of the multiverse's metric are left out.
    """
    spec = paper.multiverse
    if spec.nearest and spec.nearest not in paper.tables:
        raise UserError(
            f"{paper.folder}/multiverse.yaml: nearest: {unknown(spec.nearest, paper.tables)}"
        )
    lines = []
    for table in paper.tables:
        printed = _printed(paper, table)
        for (row, column), cell in cells.table(table).items() if printed["rows"] else ():
            value = values.value_of(printed, row, column, spec.metric)
            if value is not None and cell.setting in settings and cell.method.name in spec.methods:
                place = {"setting": cell.setting, "method": cell.method.name}
                lines.append({"table": table, **place, "value": value})
    return lines


def _printed(paper, table):
    path = paper.folder / "published" / f"{table}.yaml"
    return values.read(path if path.exists() else None)
