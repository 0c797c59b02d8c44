"""The group of all commands of ``fedreact``."""

import logging
import sys
from collections.abc import Sequence

import click

from fedreact.cli import contract
from fedreact.command import errors_as_lines

FAILED = 1
"""Exit status of a user's error; wrong usage is 2, as click has it."""


class Commands(click.Group):
    """Commands that are found by the names of their files, and loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return sorted(contract.names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; ``None`` if there is none of this name."""
        return contract.load(cmd_name) if cmd_name in contract.names() else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for, or say which may have been meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand:
            known = self.list_commands(ctx)
            raise click.exceptions.NoSuchCommand(args[0], possibilities=known, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section."""
        made = {name: contract.load(name) for name in self.list_commands(ctx)}
        sections = [*contract.SECTIONS, *(one.section for one in made.values())]
        width = formatter.width - 6 - max(map(len, made))
        for section in dict.fromkeys(sections):
            lines = [
                (name, one.get_short_help_str(width))
                for name, one in made.items()
                if one.section == section
            ]
            if lines:
                with formatter.section(section):
                    formatter.write_dl(lines)


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="fedreact", prog_name="fedreact")
def group() -> None:
    """Compare methods of federated learning on time series: on your data, and in papers.

    To begin with your data: fedreact try DATA.

    Exit status: 0 if all is well, 1 if something in your files or settings is wrong (one line says
    what) or a run has failed, 2 if the command line is wrong.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)


def main(words: Sequence[str] | None = None) -> None:
    """Run ``fedreact``, given its words (those of the command line, if none are given)."""
    with errors_as_lines(FAILED):
        group.main(None if words is None else list(words), prog_name="fedreact")
