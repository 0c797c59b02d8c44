"""A job of the workflow: what a rule of ``workflow/rules/`` reads, and nothing else decides."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Words = tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """One command of the workflow.

    Attributes
    ----------
    script
        File of the command.
    words
        Its options, except for outputs and resources, which the rule itself names.
    inputs
        Files that it reads, by the name that the rule gives them.
    code
        Digest of the code that it runs: of its script, and of the plug-ins that it names.
    threads
        Cores.
    memory
        Megabytes, and megabytes of each thread.
    minutes
        Minutes on a cluster, after which it is stopped.
    checkpoint
        File that a training keeps until it is done, named after its code, so that a training of
        other code never takes it up. ``None`` where nothing is kept.
    params
        What else the rule names, by name. A change of it re-runs the job, as one of ``words`` does.
    """

    script: str = ""
    words: Words = ()
    inputs: Mapping[str, Words] = field(default_factory=dict)
    code: str = ""
    threads: int = 1
    memory: tuple[int, int] = (0, 0)
    minutes: int = 0
    checkpoint: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The command, without its outputs and resources."""
        return shlex.join(["python", self.script, *self.words])

    def megabytes(self, threads: int) -> int:
        """Memory of the job with so many threads."""
        base, each = self.memory
        return base + each * threads

    @property
    def files(self) -> Words:
        """All files that it reads, in their order."""
        return tuple(file for files in self.inputs.values() for file in files)
