"""Records of runs as commands leave them, for tests that read them."""

import json
from argparse import Namespace
from pathlib import Path

from fedreact import atomic, digest, plugins, provenance

RESULTS = Path("results/quick")
SCRIPT = Path("s.py")


def tell(monkeypatch, folder):
    """Go to an empty folder with a script, as a command that the workflow told what to record."""
    monkeypatch.chdir(folder)
    forget_code()
    SCRIPT.write_text("x = 1\n")
    told = {"results": str(RESULTS), "config": {"scale": "quick"}}
    monkeypatch.setenv(provenance.TOLD, json.dumps(told))
    monkeypatch.setattr("sys.argv", [str(SCRIPT), "--seed", "3"])
    monkeypatch.setattr(plugins, "loaded", [])
    return RESULTS


def start(output, inputs=(), **options):
    """Begin to record a command: what an earlier one noted in this process is forgotten."""
    for noted in (provenance._read, provenance._written, provenance._noted):
        noted.clear()
    args = Namespace(output=Path(output), data=[Path(p) for p in inputs], **options)
    return provenance.Recording(args)


def record(output, inputs=(), succeeds=True, **options):
    """Run a command that writes its inputs' names to its output."""
    recording = start(output, inputs, **options)
    if succeeds:
        atomic.write_text(Path(output), " ".join(map(str, inputs)))
    recording.end(succeeds)


def forget_code():
    """Digests are remembered within a process, by relative paths."""
    functions = (digest.code_digest, digest.reached, digest._imports, digest._read)
    for function in functions:
        function.cache_clear()
