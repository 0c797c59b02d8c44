"""What ``fedreact import`` and ``fedreact try`` share: the options of readers, and the recipe."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fedreact.cli import words
from fedreact.errors import UserError
from fedreact.io import contract
from fedreact.io.cutting import Cutting
from fedreact.io.importing import Finishing

if TYPE_CHECKING:
    from fedreact.io.recipes import Recipe

F = TypeVar("F", bound=Callable[..., Any])

READERS = {
    name: contract.load(name)
    for name in sorted(contract.formats(), key=lambda name: (name != "table", name))
}
"""Readers by format, the one of tables first, since most files are tables."""


def imports(function: F) -> F:
    """Give a command the options that say what files hold and how series are cut."""
    function = words.options_of(Finishing, section="What is done to series")(function)
    function = words.options_of(Cutting, section="How recordings become series")(function)
    readers = words.options_of(*READERS.values(), section="What the files hold", names=READERS)
    format_ = click.option(
        "--format",
        "format_",
        type=words.Choice(list(READERS)),
        help="Format of the source; by default, the end of its name tells.",
    )
    return format_(readers(function))


def is_given(given: Mapping[str, Any]) -> bool:
    """Tell whether any option of an import is given."""
    return any(value is not None for value in given.values())


def recipe(source: str, name: str, format_: str | None, given: Mapping[str, Any]) -> "Recipe":
    """Make the recipe of an import from the words of the command line.

    Raises
    ------
    UserError
        No reader knows the source, or an option is none of its format.
    """
    from fedreact import options
    from fedreact.io import recipes

    format_ = format_ or contract.recognise(source)
    reader = READERS[format_]
    known = {name for cls in (reader, Cutting, Finishing) for name in options.names(cls)}
    if odd := [key for key, value in given.items() if value is not None and key not in known]:
        fit = [name for name, one in READERS.items() if odd[0] in options.names(one)]
        raise UserError(
            f"--{odd[0].replace('_', '-')} is no option of the format {format_}; it is one of "
            f"{', '.join(fit)}"
        )
    cutting, finishing = words.made(Cutting, given), words.made(Finishing, given)
    return recipes.Recipe(source, name, format_, words.made(reader, given), cutting, finishing)
