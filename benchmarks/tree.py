"""CPU time and memory of a process and all that it has started, from /proc."""

import os
import threading
from pathlib import Path


def tree(root, without=None):
    """Return the fields of /proc/<pid>/stat, from the state on, by the process: a tree's."""
    fields, children = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # What follows the name, which may hold spaces, starts with the state and the parent.
            own = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        pid = int(stat.parent.name)
        fields[pid] = own
        children.setdefault(int(own[1]), []).append(pid)
    within, left = {}, [root]
    while left:
        pid = left.pop()
        if pid != without and pid in fields:
            within[pid] = fields[pid]
            left += children.get(pid, [])
    return within


def tree_cpu(root, without=None):
    """Sum the CPU seconds of a process and its descendants, ended ones too, except ``without``."""
    ticks = sum(sum(map(int, fields[11:15])) for fields in tree(root, without).values())
    return ticks / os.sysconf("SC_CLK_TCK")


def tree_memory(root):
    """Sum the bytes of memory of a process and its descendants; shared pages count once."""
    total = 0
    for pid in tree(root):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:  # it ended meanwhile
            continue
        # A page that n processes share is an nth page of each.
        total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


class PeakMemory:
    """The most memory of a tree of processes, looked at every ``seconds``: a context manager."""

    def __init__(self, root, seconds=0.1):
        self.root, self.seconds, self.bytes = root, seconds, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        """Look until the block ends, and then once more."""
        last = False
        while not last:
            last = self.ended.wait(self.seconds)
            self.bytes = max(self.bytes, tree_memory(self.root))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.ended.set()
        self.thread.join()
