"""Papers whose report is tested: their tables, figures, claims and ledgers as files."""

import json
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import yaml
from small_table import LAYOUT, METRICS, PUBLISHED, RESULTS, folder, scores

from fedreact.claims import judged
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.report.sources import (
    ClaimsSource,
    DatasetSource,
    FigureSource,
    MethodSource,
    PaperSource,
    ReportSource,
    TableSource,
)
from fedreact.tables import cells, origins
from fedreact.tables.files import ORIGINS
from fedreact.tables.sources import ScoreSource

LEDGER = {
    "linkage": {"question": "Which linkage?", "taken": "ward", "why": "It reads <so>."},
    "rounds": {"question": "How many rounds?", "taken": 60, "why": "As in Table 2."},
}
CLAIMS = {
    "a1-is-better": {
        "claim": "A1 beats SC & others.",
        "source": "section 4",
        "left": "A1",
    },
    "sc-is-better": {"claim": "SC is better than A1.", "source": "section 5", "left": "SC"},
    "of-others": {"claim": "IFCA is worst.", "source": "abstract", "left": "IFCA"},
}


def png(width=3, height=2):
    """A grey picture."""

    def chunk(kind, data):
        code = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + code

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    lines = zlib.compress(b"".join(b"\0" + b"\x77" * width for _ in range(height)))
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", lines), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def record(path, seed):
    """What a run wrote down of itself."""
    return {
        "script": "scripts/run.py",
        "command": "python scripts/run.py ...",
        "options": {"kind": "clustered", "seed": seed, "rounds": 60, "workers": 2,
                    "methods": json.dumps({"a1": {"memory": "a1"}, "sc": {"memory": "none"}})},
        "config": {"scale": "quick"},
        "commit": {"id": "0123456789abcdef", "changed": []},
        "python": "3.11.7",
        "packages": {"numpy": "2.4.6"},
        "machine": {"host": "somewhere", "cores": 2},
        "attempts": [{"started": "2026-01-01T00:00:00", "ended": "2026-01-01T00:01:00"}],
        "code": "c0de",
        "inputs": {"/raw/digits.csv": {"sha256": "feed" * 16, "bytes": 3}},
        "outputs": {path: {"sha256": "beef" * 16, "bytes": 5}},
    }  # fmt: skip


def table(place, name, title="Accuracy", data="rtd"):
    """A table's csv, tex and origins; its source."""
    csv = place / f"{name}.csv"
    rules = cells.CellRules(METRICS, reference="A1")
    found = cells.build(name, LAYOUT, rules, PUBLISHED, scores(data), [])
    found.to_csv(csv, index=False, float_format="%.6f", lineterminator="\n")
    csv.with_suffix(".tex").write_text("\\begin{table} 5 < 6 \\end{table}\n")
    source = origins.ScoredRuns(LAYOUT, scores(data))
    came = origins.origins(csv, found, PUBLISHED, "published/table05.yaml", source)
    came["csv"]["path"] = f"{RESULTS}/tables/{name}.csv"
    runs = {run for cell in came["cells"] for run in cell["runs"]}
    came["records"] = {run: record(run, 0) for run in sorted(runs)}
    came |= {"caption": f"{title}. Rebuilt on {data}.", "reference": "A1"}
    came["notes"] = ["A first note.", "A second one, 5 < 6."]
    csv.with_suffix(ORIGINS).write_text(json.dumps(came))
    return TableSource(
        name=name, short="table05", csv=str(csv), title=title, methods="column", names={}
    )


def claims(place, name):
    """Claims as they are written and as they are judged, one under another reading too."""
    readings = []
    for key, of in CLAIMS.items():
        if key == "of-others":
            continue
        ours, theirs = ("a1", "sc") if of["left"] == "A1" else ("sc", "a1")
        sign = 1 if ours == "a1" else -1
        contrasts = [
            Contrast(
                at=row,
                left=of["left"],
                right="SC" if sign > 0 else "A1",
                ours=ScoreSource(folder(setting), ours),
                theirs=ScoreSource(folder(setting), theirs),
                published=published,
            )
            for row, setting, published in (
                ("RTD - 10 clients", "s10", 0.15 * sign),
                ("RTD & more", "s100", None),
            )
        ]
        readings.append(
            ClaimReading(
                claim=key,
                reading="",
                relation="better",
                sign=1,
                metric="accuracy",
                margin=0.01,
                over="every",
                last=False,
                contrasts=contrasts,
            )
        )
    first = readings[0]
    turned = [replace(one, ours=one.theirs, theirs=one.ours) for one in first.contrasts]
    readings.append(replace(first, reading="linkage: average", contrasts=turned))
    found = judged.judged(name, readings, scores())
    csv, file = place / f"{name}_claims.csv", place / f"{name}_claims.yaml"
    found.to_csv(csv, index=False, float_format="%.6g")
    rest = {"table": "table05", "relation": "better"}
    file.write_text(
        yaml.safe_dump({key: {**of, **rest} for key, of in CLAIMS.items()}, sort_keys=False)
    )
    return ClaimsSource(csv=str(csv), yaml=str(file))


def paper(place: Path, name="first", title="First paper: and more", data="rtd", **more):
    """The source of a paper, and its files."""
    place.mkdir(exist_ok=True)
    ledger = place / f"{name}_ledger.yaml"
    entries = {
        key: {**of, "alternatives": ["average", 5], "set_in": f"clustered.{key}"}
        for key, of in LEDGER.items()
    }
    ledger.write_text(yaml.safe_dump(entries, sort_keys=False))
    picture = place / f"{name}_fig01.png"
    picture.write_bytes(png())
    figure = FigureSource(
        name=f"{name}_fig01",
        short="fig01",
        png=str(picture),
        title="What happens",
        panels=["(a) RTD"],
        curves=["A1", "SC"],
    )
    ifca = "src/fedreact/kinds/clustered/algorithms/ifca.py"
    source = PaperSource(
        name=name,
        title=title,
        called=title.split(":")[0],
        cite="A. Nobody (2026)",
        margins={"accuracy": 0.01},
        differences=["fewer rounds"],
        data={data: "RTD"},
        left_out=[],
        tables=[table(place, f"{name}_table05", data=data)],
        figures=[figure],
        methods={"IFCA": MethodSource(ifca, {"learning_rate": 0.3})},
        ledger=str(ledger),
        claims=claims(place, name),
    )
    return replace(source, **more)


def report(*papers):
    """The source of a report."""
    page = "https://example.org/digits"
    digits = DatasetSource("Digits", "A. Nobody (1999)", "CC BY 4.0", page)
    return ReportSource("quick", "All of it, shorter.", list(papers), {"rtd": digits})
