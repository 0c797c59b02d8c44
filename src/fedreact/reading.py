"""Reading YAML files and JSON of command lines, with errors for people."""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from yaml.nodes import Node

from fedreact.errors import UserError

T = TypeVar("T")

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser, which is ten times faster, where PyYAML was built with it."""


def read_yaml(path: Path) -> Any:
    """Read a YAML file; a syntax error is one line with its place."""
    try:
        loader = LOADER(path.read_text(encoding="utf-8"))
        try:
            node = loader.get_single_node()
            _check_keys(node)
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{place}: not YAML ({getattr(error, 'problem', error)})") from error
    except (OSError, ValueError, TypeError, RecursionError) as error:
        # A folder, bytes that are no text, a 13th month, a list as a key, brackets without end.
        raise UserError(f"{path}: not YAML ({error})") from error


def _check_keys(root: Node | None) -> None:
    """Refuse a key that stands twice in a mapping, of which YAML would take the last."""
    todo: list[Node | None] = [root]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in seen or not isinstance(node, yaml.CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            todo += node.value
            continue
        keys = set()
        for key, value in node.value:
            todo += [key, value]
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in keys:
                    what = f"the key {key.value!r} stands twice"
                    raise yaml.MarkedYAMLError(problem=what, problem_mark=key.start_mark)
                keys.add((key.tag, key.value))


@cache
def lines(path: Path) -> dict[tuple[str, ...], int]:
    """Line of each key of a YAML file, by the keys that lead to it; of its anchor, for an alias.

    Empty where there is no such file.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
    except (OSError, yaml.YAMLError):
        return {}
    line_of: dict[tuple[str, ...], int] = {}

    def walk(node: Node | None, keys: tuple[str, ...]) -> None:
        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    walk(merged, keys)
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                line_of[*keys, key.value] = key.start_mark.line + 1
                walk(value, (*keys, key.value))

    walk(root, ())
    return line_of


def read_entry(path: Path, name: str) -> Any:
    """Read one entry of a YAML file of names and what they stand for."""
    content = read_yaml(path)
    if not isinstance(content, dict) or name not in content:
        there = ", ".join(map(str, content)) if isinstance(content, dict) else "nothing"
        raise UserError(f"{path}: {name!r} is unknown; known: {there}")
    return content[name]


def read_json(text: str, what: str) -> Any:
    """Read JSON of a command line; ``what`` is the option that gave it, for the error."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{what}: not JSON ({error})") from error


def read_typed(text: str, what: str, kind: type[T]) -> T:
    """Read JSON of a command line as records of a type, e.g. ``list[CellSource]``.

    ``what`` is the option that gave it.

    Raises
    ------
    UserError
        One line: the text is not JSON, or a field is missing or of another type.
    """
    try:
        return msgspec.convert(read_json(text, what), kind)
    except msgspec.ValidationError as error:
        raise UserError(f"{what}: {error}") from error


def as_json(records: Any) -> str:
    """Write records as the JSON that :func:`read_typed` reads."""
    return msgspec.json.encode(records, enc_hook=str).decode()


def key_and_value(word: str) -> tuple[str, Any]:
    """Read ``key=value`` of a command line, the value as in YAML."""
    key, _, value = word.partition("=")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise UserError(f"{word}: wanted key=value, with a value as in YAML") from error
