"""Changes of a setting: typed where they are written, and text in paths alone.

A change names what it changes: ``rounds`` (of the run), ``encoder.rounds``, ``partition.beta``,
``data.per_label``, ``encoder_from``, or a part of an option, ``encoder.optimizer.window``. In a
path they follow the setting's name, ``stationary10+linkage=average``.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fedreact import options
from fedreact.errors import UserError, unknown
from fedreact.kinds import contract as runs

MARKS = ("setting", "method", "options", "tuned")
"""Keys of a cell that are no changes of its setting; ``options`` are those of its method."""

CHANGE = r"[A-Za-z0-9._]+=[A-Za-z0-9._,:-]*"
"""In a path; the wildcards of ``workflow/rules/common.smk`` take it."""

OWN = ("encoder", "partition", "data")
"""What options can be changed of, beside those of the run, which have no prefix."""


def split(changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Sort changes by what they are of; those of the run are under ``""``."""
    by_step: dict[str, dict[str, Any]] = {"": {}, **{step: {} for step in OWN}}
    for key, value in changes.items():
        if not isinstance(key, str):
            raise UserError(f"the key {options.shown(key)} is not a text; put it in quotes")
        step, dot, rest = key.partition(".")
        if dot and step in OWN:
            by_step[step][rest] = value
        else:
            by_step[""][key] = value
    return by_step


def apply(cls: type, values: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> Any:
    """Make options of a class from what is given, with changes.

    A change of ``option.part`` is one within an option that is a mapping.
    """
    result = dict(values)
    for key, value in changes.items():
        name, dot, part = key.partition(".")
        if name not in options.names(cls):
            raise UserError(f"{where}: {unknown(key, options.names(cls))}")
        if dot:
            before = result.get(name, options.defaults(cls).get(name))
            if not isinstance(before, Mapping):
                raise UserError(f"{where}: {name} has no part {part!r}")
            value = {**before, part: value}
        result[name] = value
    return options.check(cls, result, where)


def text(name: str, changes: Mapping[str, Any]) -> str:
    """Name of a variant in paths."""
    parts = [f"{key}={options.text_of(value)}" for key, value in changes.items()]
    if odd := [part for part in parts if not re.fullmatch(CHANGE, part)]:
        raise UserError(f"{odd[0]!r} cannot be part of a path")
    return "+".join([name, *parts])


def parts(name: str) -> tuple[str, dict[str, str]]:
    """Split a name in a path into what it varies and the texts of its changes.

    Raises
    ------
    UserError
        A change is not ``key=value``.
    """
    base, *changes = name.split("+")
    pairs = [change.partition("=") for change in changes]
    if wrong := [c for c, (key, equals, _) in zip(changes, pairs) if not key or not equals]:
        raise UserError(f"{name!r}: {wrong[0]!r} is not key=value")
    return base, {key: value for key, _, value in pairs}


def of_method(kind: str, method: runs.Method, changes: Mapping[str, Any]) -> runs.Method:
    """A method with other options of its own or of its run; its name says which."""
    if not changes:
        return method
    entry = {"algorithm": method.algorithm, **method.options, **method.of_run, **changes}
    variant = runs.method(kind, method.name, entry, f"method {method.name}")
    text = "+".join([method.name, *(f"{k}={options.text_of(v)}" for k, v in changes.items())])
    return replace(variant, name=text)


def own_options(kind: str, method: runs.Method) -> set[str]:
    """Return the options that a method has: its algorithm's, and those it may set of its run."""
    cls = runs.algorithm_options(kind, method.algorithm)
    return {*runs.part_of(kind, "spec").PER_METHOD, *(options.names(cls) if cls else ())}


def of_algorithm(kind: str, method: runs.Method, changes: Mapping[str, Any]) -> runs.Method:
    """A method with other options of its algorithm; what these are anyway changes no name."""
    cls = runs.algorithm_options(kind, method.algorithm)
    values = {} if cls is None else options.defaults(cls)
    values |= method.options
    return of_method(
        kind, method, {k: v for k, v in changes.items() if k not in values or values[k] != v}
    )


def different(values: Mapping[str, Any], method: Any, of_run: Any) -> dict[str, Any]:
    """Return the options that differ from those of a method, or else of its run."""
    before = options.vars_of(of_run) | (dict(method.options) if method is not None else {})
    return {k: v for k, v in values.items() if k not in before or before[k] != v}
