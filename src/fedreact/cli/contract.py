"""The contract of a command of ``fedreact``: a file of ``cli/commands/`` that defines ``COMMAND``.

A command is a :class:`Command` of click, made by :func:`command`. Its name is the file's, with
dashes for underscores; a name that Python keeps for itself ends in an underscore (``import_.py``).
A command is thin: it reads words, calls the library, and prints. What takes long to load, it
imports in its function, since the help of ``fedreact`` loads the files of all commands. A command
of a user's own is a file below ``own/cli/commands/``.
"""

from collections.abc import Callable
from typing import Any

import click

from fedreact import plugins

FOLDER, DEFINES = "cli/commands", "COMMAND"
DATA, RUNS, LOOK_UP = "Your data", "Runs and results", "Look up"
SECTIONS = (DATA, RUNS, LOOK_UP)
"""Sections of the help of ``fedreact``, in order; others come after them."""


class Command(click.Command):
    """A command with the section of the help that it is listed in."""

    section = ""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each section."""
        params = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        records = [(param, param.get_help_record(ctx)) for param in params]
        sections = dict.fromkeys(getattr(param, "section", "Options") for param, _ in records)
        for section in sections:
            lines = [
                record
                for param, record in records
                if record is not None and getattr(param, "section", "Options") == section
            ]
            if lines:
                with formatter.section(section):
                    formatter.write_dl(lines)


def command(section: str) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command, whose docstring is its help."""

    def decorate(function: Callable[..., Any]) -> Command:
        settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        made = click.command(cls=Command, context_settings=settings)(function)
        made.section = section
        return made

    return decorate


def names() -> list[str]:
    """Name all commands, a user's own after the project's."""
    return [name.rstrip("-") for name in plugins.names(FOLDER, DEFINES)]


def load(name: str) -> Command:
    """Load a command by its name, which must be one of :func:`names`."""
    file = next(file for file in plugins.names(FOLDER, DEFINES) if file.rstrip("-") == name)
    made: Command = plugins.load(FOLDER, file, DEFINES)
    return made


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")
"""The option of commands whose output programs may want."""
