"""Another framework in an environment of its own, asked piece by piece of work through a pipe."""

import os
import subprocess
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path


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
    variables
        Variables of its environment.
    """

    def __init__(self, name, python, serve, job, **variables):
        self.name, self.python, self.serve, self.job = name, python, serve, job
        self.variables = variables

    def __enter__(self):
        self.log = Path(tempfile.mkdtemp()) / "rival.log"
        self.pipe, theirs = Pipe()
        paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        module = self.serve.split(".")[0]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.python, "-c", f"import {module}; {self.serve}({theirs.fileno()})"],
                env=os.environ | self.variables | {"PYTHONPATH": os.pathsep.join(paths)},
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
            )
        theirs.close()
        self.ask(self.job)
        return self

    def __exit__(self, *error):
        self.pipe.close()
        if error[0]:
            self.process.terminate()
        self.process.wait()

    def ask(self, question, expected=None):
        """Wait for the answer, which is checked; say where to look if there is none."""
        try:
            self.pipe.send(question)
            answer = self.pipe.recv()
        except (EOFError, ConnectionError) as error:
            raise SystemExit(f"{self.name} ended: see {self.log}") from error
        if expected is not None and answer != expected:
            raise SystemExit(f"{self.name} did {answer} of {expected}: see {self.log}")


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
