"""Options: frozen dataclasses in which each default, choice, bound and help text stands once.

The check of the YAML files, command lines, and the documentation are derived from them: types and
bounds from the annotations, help texts from the section ``Attributes`` of the docstring.
"""

import argparse
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass, make_dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

import msgspec
import yaml

from fedreact.errors import UserError, known

T = TypeVar("T")


@runtime_checkable
class Mark(Protocol):
    """An annotation of an option that names files (:class:`fedreact.plugins.Named`)."""

    folder: str
    defines: str

    def check(self, value: Any, where: str) -> None:
        """Raise a ``UserError`` if the value names what is not there."""

    def names(self, value: Any) -> list[str]:
        """Return the names in the value of such an option."""


LARGEST = 1e38  # what float32 holds; beyond, it is as good as infinite
Count = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=LARGEST)]
NonNegative = Annotated[float, msgspec.Meta(ge=0, lt=LARGEST)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
InnerShare = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Sizes = Annotated[tuple[Count, ...], msgspec.Meta(min_length=1)]


def check(cls: type[T], content: Any, where: str) -> T:
    """Make an instance of a dataclass from what a YAML file gives.

    Parameters
    ----------
    cls
        A dataclass; fields may be dataclasses themselves.
    content
        A mapping of its fields; those with defaults may be missing.
    where
        File and key, for the error.

    Raises
    ------
    UserError
        One line: which key, what is wrong, what is allowed.
    """
    known = names(cls)
    if not isinstance(content, Mapping):
        raise UserError(f"{where}: wanted keys ({', '.join(known)}), got {shown(content)}")
    _check_keys(cls, content, where)
    missing = [f.name for f in _fields(cls) if _needed(f) and f.name not in content]
    if missing:
        raise UserError(f"{where}: {missing[0]} is missing")
    try:
        made = msgspec.convert(dict(content), cls)
    except msgspec.ValidationError as error:
        raise UserError(f"{where}: {_reason(cls, content, str(error))}") from None
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    for name, mark in marks(cast(type, cls)):
        mark.check(getattr(made, name), f"{where}: {name}")
    return made


def _check_keys(cls: type, content: Mapping[Any, Any], where: str) -> None:
    """Refuse keys that a dataclass does not have, and those that dataclasses within it do not."""
    if unknown := [key for key in content if key not in names(cls)]:
        there = known(names(cls), unknown[0])
        raise UserError(f"{where}: unknown key {', '.join(map(str, unknown))}; known keys: {there}")
    for name, value in content.items():
        hint = plain(_hints(cls)[name])
        by_name = get_origin(hint) is dict
        inner: type = get_args(hint)[-1] if by_name else hint
        if not isinstance(value, Mapping) or not is_dataclass(inner):
            continue
        for key, part in value.items() if by_name else [("", value)]:
            if isinstance(part, Mapping):
                _check_keys(inner, part, f"{where}.{name}{'.' if key else ''}{key}")


@cache
def marks(cls: type) -> list[tuple[str, Mark]]:
    """Return the options that name files of the project, each with its :class:`Mark`."""
    annotated = [(name, getattr(hint, "__metadata__", ())) for name, hint in _hints(cls).items()]
    return [(name, mark) for name, all_ in annotated for mark in all_ if isinstance(mark, Mark)]


def check_all(cls: type[T], entries: Any, where: str) -> dict[str, T]:
    """Check a mapping of names to what :func:`check` checks."""
    if not isinstance(entries, Mapping):
        raise UserError(f"{where}: wanted names and what they stand for, got {shown(entries)}")
    if odd := [name for name in entries if not isinstance(name, str)]:
        raise UserError(f"{where}: the key {odd[0]} is not a text; put it in quotes")
    return {name: check(cls, content, f"{where}.{name}") for name, content in entries.items()}


def _reason(cls: type, content: Mapping[Any, Any], text: str) -> str:
    """Turn ``Expected `int`, got `str` - at `$.rounds` `` into ``rounds: expected int, ...``."""
    what, _, location = text.partition(" - at ")
    path = location.replace("`", "").removeprefix("$").lstrip(".") or "the top level"
    what = what.replace("`", "")
    top = re.split(r"[.\[]", path)[0]
    if top in (hints := _hints(cls)):
        value = content.get(top)
        choices = _choices(hints[top])
        if what.startswith("Invalid enum value"):  # one type of several
            parts = get_args(hints[top])
            choices = choices or tuple(choice for part in parts for choice in _choices(part))
        if choices:
            return f"{path}: {shown(value)} is unknown; known: {known(choices, value)}"
        if path == top:
            what = f"{what.split(', got ')[0]}, got {shown(value)}"
        elif "got" not in what:
            what += f", got {shown(value)}"
    return f"{path}: {what[0].lower()}{what[1:]}"


def shown(value: Any) -> str:
    """Write a value into an error: short, on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def names(cls: type) -> list[str]:
    """Names of the options that a person may set."""
    return [f.name for f in _fields(cls) if f.init and not f.name.startswith("_")]


def defaults(cls: type) -> dict[str, Any]:
    """Each option's default; those without are left out."""
    known = names(cls)
    return {f.name: default_of(f) for f in _fields(cls) if f.name in known and not _needed(f)}


def default_of(option: Field[Any]) -> Any:
    """Return the default of a field."""
    if option.default_factory is MISSING:
        return option.default
    return option.default_factory()


@cache
def part_of(cls: type, only: tuple[str, ...] | None = None, without: tuple[str, ...] = ()) -> type:
    """A dataclass with some of the options of another, for its checks."""
    wanted = [f for f in _fields(cls) if f.init and f.name not in without]
    if only is not None:
        wanted = [f for f in wanted if f.name in only]
    made = [
        (
            f.name,
            _hints(cls)[f.name],
            field(default=f.default, default_factory=f.default_factory)
            if f.default is not MISSING or f.default_factory is not MISSING
            else field(),
        )
        for f in wanted
    ]
    part = make_dataclass(cls.__name__, made, frozen=True, kw_only=True)
    part.__doc__ = _documented(cls)
    return part


def _documented(cls: type) -> str:
    """Return a docstring that has the help texts of a class, of those that it inherits too."""
    listed = [f"{name}\n    {text}" for name, text in help_of(cls).items()]
    return "\n".join(["Options.", "", "Attributes", "----------", *listed])


def _needed(option: Field[Any]) -> bool:
    return option.init and option.default is MISSING and option.default_factory is MISSING


def _fields(cls: type) -> tuple[Field[Any], ...]:
    """Return the fields of a dataclass."""
    return fields(cls)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def hints(cls: type) -> dict[str, Any]:
    """Return the type of each option, with its bounds."""
    return _hints(cls)


def is_sequence(hint: Any) -> bool:
    """Tell whether an option has several values."""
    return get_origin(plain(hint)) is tuple


def plain(hint: Any) -> Any:
    """Return a type without bounds, and without the ``None`` beside it."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    parts = [part for part in get_args(hint) if part is not type(None)]
    union = type(None) in get_args(hint) and len(parts) == 1
    return plain(parts[0]) if union else hint


def _choices(hint: Any) -> tuple[Any, ...]:
    hint = plain(hint)
    return get_args(hint) if get_origin(hint) is Literal else ()


# ---- Texts: in paths and on command lines ------------------------------------------------------


def text_of(value: Any) -> str:
    """Write a value as part of a path or as a word; :func:`value_of` reads it."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, list | tuple):
        nested = any(isinstance(part, list | tuple) for part in value)
        return ("_" if nested else ",").join(map(text_of, value))
    if isinstance(value, Mapping):
        return ",".join(f"{key}:{text_of(part)}" for key, part in value.items())
    # Without the plus of 1e+22: in paths, it is what divides changes.
    return repr(value).replace("+", "") if isinstance(value, float) else str(value)


def value_of(cls: type, name: str, text: str, where: str) -> Any:
    """Read what :func:`text_of` wrote of an option of a class."""
    if name not in names(cls):
        raise UserError(f"{where}: {name!r} is unknown; known: {known(names(cls), name)}")
    hint = plain(_hints(cls)[name])
    if text == "null":
        return None
    if get_origin(hint) is tuple:
        if get_origin(plain(get_args(hint)[0])) is tuple:
            return [[_scalar(one) for one in part.split(",")] for part in text.split("_")]
        if plain(get_args(hint)[0]) is str:
            return [part for part in text.split(",") if part]
        return [_scalar(part) for part in text.split(",") if part]
    if get_origin(hint) is dict:
        pairs = [part.partition(":") for part in text.split(",") if part]
        return {key: v if key == "kind" else _scalar(v) for key, _, v in pairs}
    return text if hint is str or get_origin(hint) is Literal else _scalar(text)


def _scalar(text: str) -> Any:
    """Return a YAML scalar; 1e-05, as Python writes small numbers, is a string to YAML."""
    try:
        value = yaml.safe_load(text)
        return float(value) if isinstance(value, str) else value
    except (ValueError, yaml.YAMLError):
        return text


# ---- Command lines -----------------------------------------------------------------------------


def help_of(cls: type) -> dict[str, str]:
    """Help text of each option, from the docstring's section ``Attributes``."""
    texts: dict[str, str] = {}
    for part in reversed(cls.__mro__):
        lines = inspect.cleandoc(part.__dict__.get("__doc__") or "").splitlines()
        if "Attributes" not in lines:
            continue
        listed: list[str] = []
        for line in lines[lines.index("Attributes") + 2 :]:
            if line and not line.startswith(" "):
                listed = [name.strip() for name in line.split(",")]
                texts |= dict.fromkeys(listed, "")
            elif line:
                texts |= {name: f"{texts[name]} {line.strip()}".strip() for name in listed}
    return texts


def add_arguments(parser: argparse.ArgumentParser, cls: type) -> None:
    """Give a command the options of a class; those that are not given keep their defaults."""
    helps = help_of(cls)
    for option in _fields(cls):
        if option.name not in names(cls):
            continue
        default = "" if _needed(option) else f" (default: {text_of(default_of(option))})"
        text = helps.get(option.name, "").replace("%", "%%").replace("``", "")
        parser.add_argument(
            f"--{_flag(option.name)}",
            dest=option.name,
            metavar=_metavar(_hints(cls)[option.name]),
            default=argparse.SUPPRESS,
            help=f"{text}{default}",
        )


def _metavar(hint: Any) -> str:
    if choices := _choices(hint):
        return "{" + ",".join(map(str, choices)) + "}"
    hint = plain(hint)
    return getattr(hint, "__name__", str(hint)).upper().replace("BOOL", "{true,false}")


def from_words(cls: type[T], args: argparse.Namespace, where: str) -> T:
    """Make the options that a command line gives."""
    content = {
        name: value_of(cls, name, text, where)
        for name, text in vars(args).items()
        if name in names(cls) and isinstance(text, str)
    }
    return check(cls, content, where)


def words(values: Mapping[str, Any]) -> list[str]:
    """Write options as the words of a command line."""
    return [word for name, value in values.items() for word in (f"--{_flag(name)}", text_of(value))]


def _flag(name: str) -> str:
    return name.replace("_", "-")


def changed(options: Any, base: Any = None) -> dict[str, Any]:
    """What options have otherwise than others of their class, or than the defaults."""
    before = defaults(type(options)) if base is None else vars_of(base)
    return {
        name: value
        for name, value in vars_of(options).items()
        if name not in before or before[name] != value
    }


def vars_of(options: Any) -> dict[str, Any]:
    """Options as a mapping."""
    return {name: getattr(options, name) for name in names(type(options))}


def table(cls: type) -> Iterable[tuple[str, str, str]]:
    """Lines for the documentation: name, default, help text of each option."""
    helps = help_of(cls)
    for option in _fields(cls):
        if option.name in names(cls):
            default = "" if _needed(option) else text_of(default_of(option))
            choices = ", ".join(map(str, _choices(_hints(cls)[option.name])))
            text = helps.get(option.name, "").replace("``", "")
            yield option.name, default, f"{text} ({choices})" if choices else text
