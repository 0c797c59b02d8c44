"""The command fedreact in this process, for the tests of its commands."""

from click.testing import CliRunner

from fedreact.cli.main import group


def call(*words):
    """Run the command in this process: its status, output and errors."""
    done = CliRunner().invoke(group, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr
