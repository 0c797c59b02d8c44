"""What earlier runs took: their records, read for estimates."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from fedreact import provenance
from fedreact.resolve.files import DIGEST


@dataclass(frozen=True)
class Seen:
    """What the record of a job tells.

    Attributes
    ----------
    output, command
        First result, and the command that made it.
    gflops
        How much work it was; ``None`` where it is not counted.
    """

    output: str
    command: str
    gflops: float | None
    cpu_seconds: float
    seconds: float
    memory_mb: float
    megabytes: float
    gpu: bool


def seen(record: dict) -> Seen | None:
    """Read what a record tells of a job's cost; ``None`` if the job is not done or was cut off."""
    attempts = record.get("attempts", [])
    if not record.get("outputs") or any("cpu_seconds" not in a for a in attempts):
        return None
    gflops = record.get("gflops")
    if gflops is not None and isnan(gflops):  # a model that does not count its operations
        gflops = None
    last, workers = attempts[-1], int(record["options"].get("workers") or 1)
    memory = last["memory_mb"] + (workers * last["worker_memory_mb"] if workers > 1 else 0)
    return Seen(
        next(iter(record["outputs"])),
        record["command"],
        gflops,
        sum(a["cpu_seconds"] for a in attempts),
        sum(a["seconds"] for a in attempts),
        memory,
        sum(file["bytes"] for file in record["outputs"].values()) / 1e6,
        "gpu" in last,
    )


def earlier(results: Path = Path("results")) -> Iterator[Seen]:
    """What earlier runs took, at any scale."""
    for path in sorted(results.glob("*/provenance/**/*.json")):
        folder = Path(*path.parts[: len(results.parts) + 1])
        below = path.relative_to(folder / "provenance")
        record = provenance.read_record(folder, folder / below)
        if record and (one := seen(record)):
            yield one


def took(results: Path, outputs: Iterable[str]) -> dict[str, float]:
    """CPU hours that jobs have taken, by output; those are left out of which it is not known."""
    hours = {}
    for output in sorted(outputs):
        record = provenance.read_record(results, Path(output))
        if record and Path(output).exists() and (one := seen(record)):
            hours[output] = one.cpu_seconds / 3600
    return hours


@dataclass(frozen=True)
class Like:
    """What makes jobs alike: their step, and the model and data of what trains one.

    Attributes
    ----------
    step
        ``encoders``, ``runs/<kind>``, ``tables``, ...
    """

    step: str
    model: str = ""
    data: str = ""


def like_of(output: str, command: str) -> Like:
    """What a result is like, by its path below ``results/<scale>/`` and its command."""
    step, *rest = Path(output).parts[2:]
    if step == "runs":
        kind, _, data, _, job = rest[:5]
        return Like(f"runs/{kind}", re.sub(DIGEST, "", job), data)
    if step == "encoders":
        encoder = re.search(r" --encoder (\S+)", command)
        return Like(step, encoder[1] if encoder else "", rest[1])
    if step in ("features", "partitions"):
        return Like(step, "", rest[1])
    return Like(step, "", Path(rest[0]).stem if step in ("data", "parts") and rest else "")
