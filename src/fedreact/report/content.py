"""The content of the report on each paper, read from the files that the workflow has made."""

import ast
import base64
import json
import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fedreact.claims import judged
from fedreact.claims.contrasts import OUTCOMES
from fedreact.claims.summary import sum_up
from fedreact.frames import records
from fedreact.metrics.contract import COMPARED
from fedreact.metrics.grammar import load_metric
from fedreact.reading import read_yaml
from fedreact.report import claims as claims_of
from fedreact.report import tables as tables_of
from fedreact.report.claims import ClaimReport
from fedreact.report.names import interval, number, printed
from fedreact.report.sources import FigureSource, MethodSource, PaperSource
from fedreact.report.tables import Table
from fedreact.tables.cells import NEARLY

VERDICTS = ("reproduced", "differs", "undecided", "not-comparable")


@dataclass(frozen=True)
class Figure:
    """A figure: its names, what can be seen on it, and its picture.

    Attributes
    ----------
    alt
        Description for readers who do not see it.
    png
        Its file.
    size
        Width and height of the picture.
    """

    name: str
    printed: str
    title: str
    alt: str
    png: Path
    size: tuple[int, int]

    @property
    def heading(self) -> str:
        """The name for people."""
        return f"{self.printed}. {self.title}" if self.printed else self.title

    @property
    def data(self) -> str:
        """The picture in base64, for a data URL."""
        return base64.b64encode(self.png.read_bytes()).decode()


@dataclass(frozen=True)
class Assumption:
    """An entry of the ledger, with the effects of its alternatives.

    Attributes
    ----------
    effect
        The largest measured difference with its interval and setting; empty if not measured.
    size
        The largest difference in units of the margin, for sorting.
    moves
        Claims that have another outcome under an alternative, that alternative, and that outcome.
    """

    id: str
    name: str
    question: str
    taken: str
    why: str
    alternatives: list[str]
    set_in: str
    effect: str
    size: float
    moves: list[tuple[ClaimReport, str, str]]


@dataclass(frozen=True)
class MethodReport:
    """A method by its label: its algorithm, and the options that are not its defaults."""

    label: str
    about: str
    options: str
    file: str


@dataclass(frozen=True)
class Unlike:
    """A difference from the paper: its subject, how it is here, and in the paper if known."""

    of: str
    here: str
    paper: str

    @classmethod
    def read(cls, text: str) -> "Unlike":
        """Read e.g. ``clustered: 20 rounds (paper: 60 to 200)``."""
        match = UNLIKE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no difference from a paper")
        subject, here, paper = match.groups(default="")
        return cls(subject.replace("_", " "), here, paper)


UNLIKE = re.compile(r"(?:([\w-]+(?:, [\w-]+)*): )?(.*?)(?: \(paper: ([^()]*)\))?", re.DOTALL)


@dataclass(frozen=True)
class PaperReport:
    """All of a paper.

    Attributes
    ----------
    data
        The paper's name of a role of data, and the dataset that stands for it.
    own, page
        Whether it is about a user's own data, and the name of its page.
    claims
        Judged claims by metric.
    """

    name: str
    title: str
    called: str
    cite: str
    differences: list[Unlike]
    data: list[tuple[str, str]]
    left_out: list[str]
    tables: list[Table]
    figures: list[Figure]
    claims: dict[str, list[ClaimReport]]
    not_judged: list[str]
    ledger: list[Assumption]
    methods: list[MethodReport]
    own: bool = False
    page: str = ""

    @property
    def all_claims(self) -> list[ClaimReport]:
        """Claims of all metrics."""
        return [claim for group in self.claims.values() for claim in group]

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of claims by outcome; "not-testable" is left out if no claim has it."""
        counts = Counter(claim.whole.outcome for claim in self.all_claims)
        return {name: counts[name] for name in OUTCOMES if counts[name] or name != "not-testable"}

    @property
    def verdicts(self) -> dict[str, int]:
        """Number of rebuilt cells with a published value, by verdict."""
        lines = [line for table in self.tables for line in table.lines if line["n_seeds"]]
        counts = Counter(line["verdict"] for line in lines if line["published"] is not None)
        return {name: counts[name] for name in VERDICTS}

    @property
    def n_nearly(self) -> int:
        """Number of cells with a verdict that are nearly comparable only."""
        lines = [line for table in self.tables for line in table.lines if line["n_seeds"]]
        judged = [line for line in lines if line["published"] is not None]
        return sum(line.get("grade") == NEARLY for line in judged)

    @property
    def n_cells(self) -> int:
        """Number of rebuilt cells."""
        return sum(bool(line["n_seeds"]) for table in self.tables for line in table.lines)

    @property
    def n_seeds(self) -> str:
        """Numbers of seeds of its cells that are means over seeds, e.g. ``3 to 5``."""
        numbers = sorted(
            {int(x["n_seeds"]) for t in self.tables for x in t.lines if x["data"] != "computed"}
            - {0}
        )
        if not numbers:
            return "none"
        return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def read(papers: Sequence[PaperSource]) -> list[PaperReport]:
    """Read papers from their files."""
    return [_paper(source) for source in papers]


def summary(papers: Sequence[PaperSource]) -> list[str]:
    """Sum up the claims of papers in at most five lines."""
    sources = {paper.name: paper.claims for paper in papers if paper.claims}
    if not sources:
        return []
    table = pd.concat([judged.read(Path(source.csv)) for source in sources.values()])
    claims = {name: read_yaml(Path(source.yaml)) for name, source in sources.items()}
    called = {paper.name: paper.called for paper in papers}
    return sum_up(table.reset_index(drop=True), claims, called)


def _paper(source: PaperSource) -> PaperReport:
    tables = [tables_of.read(table) for table in source.tables]
    groups: dict[str, list[ClaimReport]] = {}
    not_judged: list[str] = []
    if source.claims:
        by_name = {one.short: table for one, table in zip(source.tables, tables)}
        claims = read_yaml(Path(source.claims.yaml))
        groups, not_judged = claims_of.read(Path(source.claims.csv), claims, source.name, by_name)
    return PaperReport(
        name=source.name,
        title=source.title,
        called=source.called,
        cite=source.cite,
        differences=[Unlike.read(text) for text in source.differences],
        data=[(known, data) for data, known in source.data.items()],
        left_out=list(source.left_out),
        tables=tables,
        figures=[_figure(figure) for figure in source.figures],
        claims=groups,
        not_judged=not_judged,
        ledger=_ledger(source, [claim for group in groups.values() for claim in group]),
        methods=[_method(label, method) for label, method in source.methods.items()],
        own=source.own,
        page=source.page,
    )


def _figure(source: FigureSource) -> Figure:
    png = Path(source.png)
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    alt = f"Plot: {source.title}."
    if source.panels:
        alt += f" Panels: {'; '.join(source.panels)}."
    if source.curves:
        alt += f" Shown in each: {', '.join(source.curves)}."
    return Figure(source.name, printed(source.short), source.title, alt, png, (width, height))


def _ledger(source: PaperSource, claims: Sequence[ClaimReport]) -> list[Assumption]:
    """Read the entries of the ledger, those first that move most."""
    ledger = (read_yaml(Path(source.ledger)) or {}) if source.ledger else {}
    measured = pd.read_csv(source.effects.csv) if source.effects else None
    assumptions = []
    for name, entry in ledger.items():
        text, size = "", 0.0
        if measured is not None:
            text, size = _effect(measured[measured["assumption"] == name], source.margins)
        moves = [
            (claim, reading.removeprefix(f"{name}: "), outcome)
            for claim in claims
            for reading, outcome in claim.moved_by
            if reading.startswith(f"{name}: ")
        ]
        assumptions.append(
            Assumption(
                id=f"{source.name}-ledger-{name}",
                name=name,
                question=entry["question"],
                taken=str(entry["taken"]),
                why=entry["why"],
                alternatives=[str(one) for one in entry["alternatives"]],
                set_in=entry["set_in"],
                effect=text,
                size=size,
                moves=moves,
            )
        )
    return sorted(assumptions, key=lambda one: (-len(one.moves), -one.size))


def _effect(lines: pd.DataFrame, margins: Mapping[str, float]) -> tuple[str, float]:
    """Return the largest significant difference in words, and its size in margins."""
    if lines.empty:
        return "", 0.0
    lines = lines[lines["metric"].isin(COMPARED)]
    clear = lines[(lines["ci_low"] > 0) | (lines["ci_high"] < 0)]
    if clear.empty:
        return "measured: nothing that this run could see", 0.0
    sizes = [abs(line["difference"]) / margins.get(line["metric"], 1.0) for line in records(clear)]
    place = max(range(len(sizes)), key=lambda i: sizes[i])
    line = clear.iloc[place]
    metric = load_metric(line["metric"])
    d = metric.decimals
    ci = interval(line["ci_low"], line["ci_high"], d, "+")
    text = f"{number(line['difference'], d, '+')} ({ci}) {metric.title.lower()}"
    return f"{text} with {line['alternative']} ({line['setting']}, {line['method']})", sizes[place]


def _method(label: str, source: MethodSource) -> MethodReport:
    tree = ast.parse(Path(source.file).read_text(encoding="utf-8"))
    about = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
    options = json.dumps(source.options, ensure_ascii=False)[1:-1].replace('"', "")
    return MethodReport(label, about, options, source.file)
