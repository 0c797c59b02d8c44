"""Names of variants: ``base+key=value+key=value``, a setting or a method with changed options."""

import contextlib
from functools import cache
from typing import Any

import yaml

from fedreact.errors import UserError


def split_variant(name: str) -> tuple[str, dict[str, Any]]:
    """Split ``base+key=value`` into the base and what is changed in it; values are YAML.

    Raises
    ------
    UserError
        A change is not ``key=value``.
    """
    base, *changes = name.split("+")
    pairs = [change.partition("=") for change in changes]
    if wrong := [
        change for change, (key, equals, _) in zip(changes, pairs) if not key or not equals
    ]:
        raise UserError(f"{name!r}: {wrong[0]!r} is not key=value")
    try:
        return base, {key: _value(value) for key, _, value in pairs}
    except yaml.YAMLError as error:
        raise UserError(f"{name!r}: a value is not YAML") from error


@cache
def _value(text):
    """Read a YAML value; 1e-05, as Python writes small numbers, is a string to YAML."""
    value = yaml.safe_load(text)
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return float(value)
    return value


def assignments(values: dict[str, Any]) -> list[str]:
    """Write values as ``key=value`` words."""
    return [f"{key}={value}" for key, value in values.items()]
