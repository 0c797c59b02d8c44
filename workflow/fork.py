"""``fork.py SCRIPT WORDS ...``: as ``python SCRIPT WORDS ...``, without the time to load torch.

step.sh has it stand for ``python``. The workflow keeps a Python that has loaded what steps need
(src/fedreact/workflow/forks.py). A fork of that one runs the script, with the open files, folder
and environment of this process. Where none answers, the script is started as ever.
"""

# Each step waits for what this loads, and pathlib takes as long as all the rest.
# ruff: noqa: PTH109, PTH110, PTH120, PTH208
import marshal
import os
import socket
import sys


def run(keeper: socket.socket) -> int:
    """Have the script run, and return the status with which it has ended."""
    files = [n for n in map(int, os.listdir("/proc/self/fd")) if n != keeper.fileno()]
    files = [n for n in files if os.path.exists(f"/proc/self/fd/{n}")]  # the list's own is closed
    asked = marshal.dumps((os.getpid(), sys.argv[1:], os.getcwd(), dict(os.environ), files))
    socket.send_fds(keeper, [len(asked).to_bytes(4, "big")], files)
    keeper.sendall(asked)
    while True:
        try:
            answer = keeper.recv(4)
            break
        except KeyboardInterrupt:  # the fork has it as well, and ends as it sees fit
            continue
    if len(answer) < 4:
        print("error: the Python that ran this step is gone; run the same command again")
        return 1
    return int.from_bytes(answer, "big", signed=True)


if __name__ == "__main__":
    folder, path = os.environ["FEDREACT_FORKS"].split(os.pathsep)
    with socket.socket(socket.AF_UNIX) as keeper:
        try:
            if os.path.dirname(sys.executable) != folder:  # of another environment
                raise OSError
            keeper.connect(path)
        except OSError:
            os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
        status = run(keeper)
    sys.exit(status if status >= 0 else 128 - status)
