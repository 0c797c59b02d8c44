"""The page docs/reference/cli.md: the help of each command, as Markdown."""

from collections.abc import Iterator

import click

from fedreact.cli import contract

MADE = "<!-- Made by `make docs` from docstrings in src/fedreact/cli/. Edit those. -->\n"


def page() -> str:
    """Write the page."""
    return MADE + "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    """Yield the lines of the page: commands by section, then what they share."""
    yield "# The command fedreact\n"
    yield (
        "Each command explains itself with `--help`. Run them in the folder of the project, in its "
        "environment (`source .venv/bin/activate`). `python -m fedreact` is the same command.\n"
    )
    made = {name: contract.load(name) for name in sorted(contract.names())}
    yield "| command | what it does |"
    yield "|---|---|"
    for section in contract.SECTIONS:
        for name, one in made.items():
            if one.section == section:
                yield f"| [`{name}`](#{name}) | {one.get_short_help_str(200)} |"
    yield "\n## Exit status\n"
    yield (
        "0: all is well. 1: the result says no: something in your files or settings is wrong (one "
        "line says what), a run has failed, or `check --strict` has a note. 2: the command line is "
        "wrong. Commands with `--json` print JSON for programs.\n"
    )
    yield "## Completion\n"
    yield (
        "The shell completes commands and options once it has read what click writes for it. For "
        "bash, add this line to `~/.bashrc` (for zsh and fish, write `zsh_source` or "
        "`fish_source`):\n"
    )
    yield '```text\neval "$(_FEDREACT_COMPLETE=bash_source fedreact)"\n```\n'
    for name, one in made.items():
        yield f"## {name}\n"
        settings = {**one.context_settings, "terminal_width": 100}
        context = click.Context(one, info_name=f"fedreact {name}", **settings)
        yield f"```text\n{one.get_help(context)}\n```\n"
