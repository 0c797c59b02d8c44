"""Another framework in an environment of its own, asked piece by piece of work through a pipe."""

import os
import signal
import subprocess
import tempfile
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from tree import tree

import fedreact

PATHS = [Path(__file__).parent, Path(fedreact.__file__).parents[1]]
"""Where the other process finds this folder's modules and the package's sources."""

TO_END = 60
"""Seconds that a process has to end in, once nothing more is asked."""


class RivalEnded(SystemExit):
    """A framework ended, or took too long; the message says where to look."""


class Rival:
    """A process of another Python that answers requests. Use as a context manager.

    Parameters
    ----------
    name
        Name of the framework.
    python
        The interpreter of its environment.
    serve
        ``module.function`` of this folder, called there with the descriptor of the pipe. It is
        imported, not run as a script, so that processes that it starts find it by name.
    job
        The first request; it is answered when all is imported.
    limit
        Seconds that an answer may take; ``None``: any time.
    variables
        Variables of its environment.
    """

    def __init__(self, name, python, serve, job, limit=None, **variables):
        self.name, self.python, self.serve, self.job = name, python, serve, job
        self.limit, self.variables = limit, variables

    def __enter__(self):
        self.log = Path(tempfile.mkdtemp()) / "rival.log"
        self.pipe, theirs = Pipe()
        paths = [*map(str, PATHS), *filter(None, [os.environ.get("PYTHONPATH")])]
        module = self.serve.rpartition(".")[0]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.python, "-c", f"import {module}; {self.serve}({theirs.fileno()})"],
                env=os.environ | self.variables | {"PYTHONPATH": os.pathsep.join(paths)},
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
            )
        theirs.close()
        try:
            self.ask(self.job)
        except RivalEnded:
            self.end(at_once=True)
            raise
        return self

    def __exit__(self, *error):
        self.end(at_once=bool(error[0]))

    def end(self, at_once):
        """End the process and what it started."""
        self.pipe.close()
        if not at_once:
            try:
                self.process.wait(TO_END)
                return
            except subprocess.TimeoutExpired:
                pass
        for pid in tree(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def ask(self, question, expected=None):
        """Wait for the answer, which is checked if one is expected, and return it.

        Raises
        ------
        RivalEnded
            The process gives no answer, or another one than expected.
        """
        try:
            self.pipe.send(question)
            if not self.pipe.poll(self.limit):
                raise RivalEnded(f"{self.name} took more than {self.limit:g} s: see {self.log}")
            answer = self.pipe.recv()
        except (EOFError, ConnectionError) as error:
            raise RivalEnded(f"{self.name} ended: see {self.log}") from error
        if expected is not None and answer != expected:
            raise RivalEnded(f"{self.name} did {answer} of {expected}: see {self.log}")
        return answer


def answer(fd, prepare):
    """In the other process: prepare for the job, then do what is asked until the pipe ends."""
    pipe = Connection(fd)
    work = prepare(*pipe.recv())
    pipe.send("imported")
    try:
        while True:
            pipe.send(work(pipe.recv()))
    except EOFError:  # the benchmark is done
        pass
