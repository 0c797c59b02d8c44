"""Options of dataclasses as options of commands, and what several commands ask for."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

import click

from fedreact import options
from fedreact.errors import UserError, unknown

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Choice(click.Choice[str]):
    """A choice whose message says which value may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Say that a value is unknown, and which are known."""
        return unknown(value, self.choices)


class Option(click.Option):
    """An option with the section of a command's help that it is listed in."""

    def __init__(self, *args: Any, section: str = "Options", **more: Any):
        super().__init__(*args, **more)
        self.section = section


def options_of(
    *classes: type,
    section: str = "Options",
    without: Iterable[str] = (),
    names: Iterable[str] = (),
) -> Callable[[F], F]:
    """Give a command the options of dataclasses; one that several have is one option.

    If the classes have ``names``, the help of an option says which have it, unless all do.
    """
    having: dict[str, list[str]] = {}
    first: dict[str, type] = {}
    for cls, called in zip(classes, [*names] or [""] * len(classes)):
        for name in options.names(cls):
            if name not in without:
                having.setdefault(name, []).append(called)
                first.setdefault(name, cls)

    def decorate(function: F) -> F:
        for name in reversed(first):
            some = any(having[name]) and len(having[name]) < len(classes)
            where = f" [{', '.join(having[name])}]" if some else ""
            hint, text = options.hints(first[name])[name], _help(first[name], name)
            function = click.option(
                f"--{name.replace('_', '-')}",
                name,
                cls=Option,
                section=section,
                type=_type(hint),
                metavar=_metavar(hint),
                help=text + where,
            )(function)
        return function

    return decorate


def _help(cls: type, name: str) -> str:
    """Return the help text of an option, with its default."""
    text = options.help_of(cls).get(name, "")
    default = options.defaults(cls)[name]
    shown = "" if default in (None, ()) else f" (default: {options.text_of(default)})"
    return text.replace("``null``", "by default").replace("``", "") + shown


def _type(hint: Any) -> Any:
    """Return the type of click for a type of an option."""
    bare = options.plain(hint)
    if get_origin(bare) is Literal:
        return Choice(list(get_args(bare)))
    return {int: click.INT, float: click.FLOAT, bool: click.BOOL}.get(bare, click.STRING)


def _metavar(hint: Any) -> str | None:
    """Return what stands for the value in help; click's own, where this is ``None``."""
    return "A,B,..." if options.is_sequence(hint) else None


def made(cls: type[T], words: Mapping[str, Any]) -> T:
    """Make the options of a class from the words of a command; what was not given is left out.

    Raises
    ------
    click.UsageError
        A value is none that an option may have.
    """
    given = {
        name: value.split(",") if options.is_sequence(hint) else value
        for name, hint in options.hints(cls).items()
        if name in options.names(cls) and (value := words.get(name)) is not None
    }
    try:
        return options.check(cls, given, "")
    except UserError as error:
        name, _, reason = str(error).removeprefix(": ").partition(": ")
        raise click.UsageError(f"--{name.replace('_', '-')}: {reason}") from None


def data_folder() -> Path:
    """Return the folder of raw files: ``FEDREACT_DATA_FOLDER``, else ``data``."""
    return Path(os.environ.get("FEDREACT_DATA_FOLDER", "data"))


STDERR = 2
"""File descriptor to which Snakemake prints where the output of a command is JSON."""


def messages(as_json: bool) -> AbstractContextManager[Any]:
    """Have messages for people go to the standard error where the output is JSON."""
    return redirect_stdout(sys.stderr) if as_json else nullcontext()


def to_json(as_json: bool) -> dict[str, Any]:
    """Return what :mod:`subprocess` needs so that a command's output is not mixed with JSON."""
    return {"stdout": STDERR} if as_json else {}


def print_json(content: Any) -> None:
    """Print JSON."""
    click.echo(json.dumps(content, indent=1, ensure_ascii=False))
