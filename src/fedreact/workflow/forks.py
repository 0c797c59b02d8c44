"""Steps of a workflow on this machine are forks of one Python that has loaded what they need.

At small scales most steps take less time than loading torch does. So the workflow keeps a Python
that has loaded it. The shell of a step reaches that one by a socket, through ``workflow/fork.py``,
which stands for ``python`` there. A fork has the words, open files, folder and environment of the
process that asks, and ends when that one does. Nothing has started threads before a fork: BLAS and
pyarrow are told to have one (``ONE_THREAD``), and torch starts its own when it first computes.

Only on Linux. On a cluster each step is a job of its own, and none of this is used. With
``FEDREACT_FORKS=no`` in the environment each step is a Python of its own here as well.
"""

import contextlib
import fcntl
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import fedreact
from fedreact import parent, private

FORKS = "FEDREACT_FORKS"
"""The environment's variable: folder of the Python and its socket."""

LOADED = (
    "matplotlib.backends.backend_agg",
    "matplotlib.figure",
    "pandas",
    "scipy.cluster.hierarchy",
    "scipy.optimize",
    "threadpoolctl",
    "torch",
)
"""What forks need not load."""

ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Settings of libraries that start threads as they are loaded: BLAS, and pyarrow's jemalloc."""

PARTS = (
    *("aggregation", "claims", "clients", "clock", "data", "encoding", "engine"),
    *("figures", "kinds", "losses", "metrics", "models", "optimizers", "tables", "task_models"),
)
"""Folders of this package of which all is loaded, too."""

WORKFLOW, ASKED, GONE, ENDED = range(4)
"""What a Python that is kept waits for: see :func:`keep`."""

_kept: list[subprocess.Popen] = []


def begin() -> None:
    """Keep a Python for the steps of this workflow: until this process ends, or :func:`end`."""
    if os.environ.get(FORKS) == "no" or not _possible():
        return
    folder = tempfile.mkdtemp(prefix="fedreact-")
    path = f"{folder}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(path)
        except OSError:  # its name is too long, or there are no sockets in this folder
            Path(folder).rmdir()
            return
        listener.listen(1024)
        file, source = listener.fileno(), str(Path(__file__).parents[2])
        environment = os.environ | {"PYTHONPATH": source} | ONE_THREAD
        words = [sys.executable, "-m", "fedreact.workflow.forks", path, str(file)]
        # Its input ends when this process does, however that ends.
        _kept[:] = [
            subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[file], env=environment)
        ]
    os.environ[FORKS] = os.pathsep.join([str(Path(sys.executable).parent), path])


def end() -> None:
    """Let the Python go that is kept."""
    while _kept:
        keeper = _kept.pop()
        if keeper.stdin is not None:
            keeper.stdin.close()
        keeper.wait()
        del os.environ[FORKS]


def _possible() -> bool:
    """Whether the system has what this needs (Linux 5.3)."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


def keep(listener: socket.socket) -> list[str] | None:
    """Fork for each who asks, until the workflow is gone; a fork returns the words to run.

    Who connects sends its open files, and a message behind its length (4 bytes). When the fork has
    ended, its status goes back (4 bytes): minus a signal's number, if one has ended it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the forks, and for the workflow
    asking: dict[int, socket.socket] = {}  # by the fork's number
    events = selectors.DefaultSelector()
    events.register(0, selectors.EVENT_READ, (WORKFLOW, 0))
    events.register(listener, selectors.EVENT_READ, (ASKED, 0))
    while True:
        for key, _ in events.select():
            what, pid = key.data
            if what == WORKFLOW:  # forks see it by themselves (parent.py)
                return None
            if what == ASKED:
                who, _ = listener.accept()
                message, files = _read(who)
                if (pid := os.fork()) == 0:
                    for one in events.get_map().values():
                        if one.fd:
                            os.close(one.fd)
                    events.close()
                    who.close()
                    return _become(message, files)
                for file in files:
                    os.close(file)
                asking[pid] = who
                events.register(who, selectors.EVENT_READ, (GONE, pid))
                events.register(os.pidfd_open(pid), selectors.EVENT_READ, (ENDED, pid))
            elif what == GONE and pid in asking:  # it has nothing more to say, so it has ended
                events.unregister(key.fileobj)
                os.kill(pid, signal.SIGTERM)
            elif what == ENDED:
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                events.unregister(key.fileobj)
                os.close(key.fd)
                who = asking.pop(pid)
                with contextlib.suppress(KeyError):
                    events.unregister(who)
                with who, contextlib.suppress(OSError):
                    who.sendall(status.to_bytes(4, "big", signed=True))


def _read(who):
    """Message and files of who has connected."""
    length, files, *_ = socket.recv_fds(who, 4, 250)
    wanted, message = int.from_bytes(length, "big"), bytearray()
    while len(message) < wanted and (part := who.recv(wanted - len(message))):
        message += part
    return message, files


def _become(message, files):
    """Take over words, folder, environment and open files; returns the words."""
    pid, words, folder, environment, numbers = marshal.loads(message)
    above = [fcntl.fcntl(file, fcntl.F_DUPFD, 512) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(above, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment | {parent.FOR: str(pid)})
    sys.argv, sys.path[0] = words, str(Path(words[0]).resolve().parent)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Path("/proc/self/comm").write_text(Path(words[0]).name)
    return words


def load() -> None:
    """Load what is to be loaded; what cannot be, the step says that needs it."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for part in PARTS:
        folder = Path(fedreact.__file__).parent / part
        for module in pkgutil.walk_packages([str(folder)], f"fedreact.{part}.", lambda name: None):
            with contextlib.suppress(Exception):  # whatever a new file raises
                importlib.import_module(module.name)


def main(path: str, file: str) -> None:
    """Load, and fork until the workflow is gone; in a fork, run its script."""
    load()
    gc.collect()
    gc.freeze()  # so that forks share the memory of what is there
    words = keep(socket.socket(fileno=int(file)))
    if words is None:
        shutil.rmtree(Path(path).parent, ignore_errors=True)
    else:
        _run(words[0])


def _run(script):
    """Run a script, and end this process without a fifth of a second of taking everything apart."""
    status = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = 1 if isinstance(end.code, str) else end.code or 0
    except BaseException:  # any: the process ends here
        sys.excepthook(*sys.exc_info())
        status = 1
    private.run_exit_functions()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
