"""Records of runs: for each result, what it was made from, by which code, where, and what it took.

A record is a JSON file below ``<results>/provenance/``, at the path that the result has below
``<results>/``, written by the command that makes the result. Times and machines vary from run to
run, so they lie there and not in the results, which stay the same bytes. No result depends on this
module, so code digests leave it out (:mod:`fedreact.digest`), and a record that cannot be
written stops nothing.
"""

import contextlib
import hashlib
import json
import logging
import os
import platform
import resource
import shlex
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from fedreact import private

log = logging.getLogger("fedreact")

TOLD = "FEDREACT_RUN"
"""Environment variable by which the workflow tells commands what they cannot know: JSON with
``results`` (folder) and ``config`` (what the user chose)."""

VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX"}
GENERATION = {"cpu family": "family", "model": "model"}
"""What ``/proc/cpuinfo`` calls a processor's vectors, the widest first, and its generation."""

_read: list[Path] = []
_written: list[Path] = []
_noted: dict[str, float] = {}


def note_read(*paths: Path) -> None:
    """Have files recorded as read, beside those that the command line names."""
    _read.extend(paths)


def note_written(path: Path) -> None:
    """Have a file recorded as written."""
    _written.append(path)


def note_work(gflops: float) -> None:
    """Have recorded how much work it was; estimates of like jobs rest on that."""
    _noted["gflops"] = gflops


PACKAGES = {
    "libsumo": "eclipse-sumo",
    "matplotlib": "matplotlib",
    "mne": "mne",
    "numpy": "numpy",
    "pandas": "pandas",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "torch": "torch",
}
"""Module and package of what numbers can depend on."""


def record_file(results: Path, result: Path) -> Path:
    """Where the record of a result lies; its forms (csv, md, tex) share one."""
    below = result.relative_to(results)
    return results / "provenance" / below.with_name(below.name.split(".")[0] + ".json")


def read_record(results: Path, result: Path) -> dict | None:
    """Read the record of a result; ``None`` where there is none, or none that can be read."""
    try:
        return json.loads(record_file(results, result).read_text())
    except (OSError, ValueError):
        return None


def upstream(results: Path, paths: Iterable[str]) -> dict[str, dict | None]:
    """Records of results and of all that they were made from, by path.

    Inputs that are no results (configuration, raw files) have no record; their digests stand in
    the records of what was made from them.
    """
    records, todo = {}, list(paths)
    while todo:
        path = todo.pop(0)
        if path not in records and Path(path).is_relative_to(results):
            records[path] = read_record(results, Path(path))
            todo += (records[path] or {}).get("inputs", {})
    return records


class Recording:
    """The record of a command that is running.

    Nothing is recorded unless the workflow has told what it knows (:data:`TOLD`), and only of what
    is written below its results.

    Parameters
    ----------
    args
        The parsed command line. Paths are inputs, except ``output``, ``outputs_csv`` and
        ``checkpoint``.
    """

    def __init__(self, args: Namespace):
        workflow = json.loads(os.environ.get(TOLD, "{}"))
        self.results = Path(workflow.get("results", ""))
        arguments = {name: value for name, value in vars(args).items() if value is not None}
        outputs = [*_paths(arguments.pop("output", [])), *_paths(arguments.pop("outputs_csv", []))]
        arguments.pop("checkpoint", None)
        self.active = workflow != {} and any(path.is_relative_to(self.results) for path in outputs)
        if not self.active:
            return
        self.output = outputs[0]
        self.inputs = [path for value in arguments.values() for path in _paths(value)]
        options = {name: value for name, value in arguments.items() if not _paths(value)}
        script = Path(sys.argv[0])
        self.record = {
            "script": str(script),
            "command": shlex.join(["python", *sys.argv]),
            "options": options,
            "config": workflow["config"],
            "commit": commit(),
            "python": platform.python_version(),
            "machine": machine(),
        }
        # A training that is resumed goes on with the record, too.
        before = read_record(self.results, self.output) or {}
        attempts = [] if "outputs" in before else before.get("attempts", [])
        self.attempt = {"started": _now(), "ended": None}
        self.record["attempts"] = [*attempts, self.attempt]
        self.clock = time.monotonic()
        self._save(self.output)

    def end(self, succeeded: bool = True) -> None:
        """Complete the record: inputs, outputs (none if the command failed), code, what it took.

        Inputs are the paths of the command line and what was noted as read; outputs what was noted
        as written, if it is still there.
        """
        if not self.active:
            return
        try:
            self.attempt |= {"ended": _now(), "seconds": round(time.monotonic() - self.clock, 2)}
            self.attempt |= usage()
            kept = [path for path in _written if path.is_file()] if succeeded else []
            if kept:
                self.record |= self._code() | _noted
                self.record["packages"] = packages()
                self.record["inputs"] = described(p for p in [*self.inputs, *_read] if p.is_file())
                self.record["outputs"] = described(kept)
            places = {record_file(self.results, path): path for path in [self.output, *kept]}
            for path in places.values():
                self._save(path)
        except (OSError, ValueError) as error:
            log.warning("no record of this run: %s", error)

    def _code(self):
        """Digest of the code, and the plug-ins that were loaded by their names."""
        from fedreact import plugins
        from fedreact.digest import code_digest

        named = sorted(map(str, {plugins.source_file(path) for path in plugins.loaded}))
        script = Path(self.record["script"])
        if not script.is_file():
            return {"plugins": named, "code": None}
        return {"plugins": named, "code": code_digest(script, *map(Path, named))}

    def _save(self, result):
        path = record_file(self.results, result)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(self.record, indent=1, default=str) + "\n")
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):  # what a full disk has cut off
                temporary.unlink()
            log.warning("no record of this run: %s", error)


def described(paths: Iterable[Path]) -> dict[str, dict]:
    """SHA-256 and size in bytes of each file."""
    return {str(p): {"sha256": sha256(p), "bytes": p.stat().st_size} for p in paths}


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def usage() -> dict:
    """Seconds and memory that this process, and its children that have ended, have taken so far.

    ``worker_memory_mb`` is the peak of the largest child; on a GPU its name and peak are added.
    """
    private.stop_fork_server()  # workers count once the server that has started them is gone
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    a_mb = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    spent = {
        "cpu_seconds": round(cpu, 2),
        "memory_mb": round(own.ru_maxrss / a_mb),
        "worker_memory_mb": round(children.ru_maxrss / a_mb),
    }
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        peak = round(torch.cuda.max_memory_allocated() / 2**20)
        spent |= {"gpu": torch.cuda.get_device_name(), "gpu_memory_mb": peak}
    return spent


NO_INPUTS = (".venv", "docs", "reference", "results")
"""Folders of which no job reads anything but results, which have records of their own."""


def commit() -> dict | None:
    """Commit of the current folder, and what differs from it beside :data:`NO_INPUTS`.

    ``None`` without git.
    """

    def git(*words: str) -> str:
        command = ["git", "--no-optional-locks", *words]  # several jobs ask at once
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    try:
        top, id_ = git("rev-parse", "--show-toplevel", "HEAD").split("\n")[:2]
        if Path(top) != Path.cwd().resolve():
            return None
        changed = [line[3:] for line in git("status", "-s", "--no-renames").splitlines()]
        return {"id": id_, "changed": [path for path in changed if is_input(path)]}
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def is_input(path: str) -> bool:
    """Whether a path below the project's folder could change what a job makes."""
    return Path(path.strip('"')).parts[0] not in NO_INPUTS


def packages() -> dict[str, str]:
    """Versions of the packages of :data:`PACKAGES` that this process has loaded."""
    versions = {}
    for module, package in PACKAGES.items():
        if module in sys.modules:
            version = getattr(sys.modules[module], "__version__", None)
            versions[package] = str(version or metadata.version(package))
    return versions


def machine() -> dict:
    """Name, system and processor of this machine."""
    cpuinfo = Path("/proc/cpuinfo")
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": processor(cpuinfo.read_text() if cpuinfo.exists() else ""),
        "cores": os.cpu_count(),
    }


def processor(cpuinfo: str) -> str:
    """Name, generation and widest vectors of a processor, given Linux's words about it.

    Virtual machines are often told the name alone, which processors share whose sums differ in
    their last bits.
    """
    said: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, _, value = line.partition(":")
        said.setdefault(name.strip(), value.strip())
    if not said.get("model name"):
        return platform.machine()
    flags = said.get("flags", "").split()
    vectors = [name for flag, name in VECTORS.items() if flag in flags][:1]
    numbers = [f"{label} {said[key]}" for key, label in GENERATION.items() if key in said]
    return f"{said['model name']} ({', '.join([*numbers, *vectors])})"


def _paths(value):
    """The paths of an option's value."""
    values = value if isinstance(value, list) else [value]
    return values if values and all(isinstance(v, Path) for v in values) else []


def _now():
    return datetime.now(UTC).isoformat(timespec="seconds")
