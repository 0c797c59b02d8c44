"""The command ``fedreact``: each of its commands is a file of ``cli/commands/``."""
