"""What the report tells of each paper, read from the files that the workflow has made."""

import ast
import base64
import json
import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact.claims import judged
from fedreact.claims.contrasts import OUTCOMES
from fedreact.claims.summary import sum_up
from fedreact.metrics.contract import COMPARED
from fedreact.metrics.grammar import load_metric
from fedreact.reading import read_yaml
from fedreact.report import claims as claims_of
from fedreact.report import tables as tables_of
from fedreact.report.claims import Claim
from fedreact.report.names import interval, number, printed
from fedreact.report.tables import Table

VERDICTS = ("reproduced", "differs", "undecided", "not-comparable")


@dataclass(frozen=True)
class Figure:
    """A figure: what it is called, what can be seen on it, and its picture.

    Attributes
    ----------
    alt
        For those who do not see it.
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
        """For people."""
        return f"{self.printed}. {self.title}" if self.printed else self.title

    @property
    def data(self) -> str:
        """The picture, for an address."""
        return base64.b64encode(self.png.read_bytes()).decode()


@dataclass(frozen=True)
class Assumption:
    """An entry of the ledger, with what its alternatives change.

    Attributes
    ----------
    effect
        The largest measured difference, with its interval, and of what; empty if none is measured.
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
    moves: list[tuple[Claim, str, str]]


@dataclass(frozen=True)
class Method:
    """A method by its label: what its algorithm is, and the options that are not its defaults."""

    label: str
    about: str
    options: str
    file: str


@dataclass(frozen=True)
class Unlike:
    """What differs from the paper: of what, as it is here, and as it is in the paper if known."""

    of: str
    here: str
    paper: str

    @classmethod
    def read(cls, text: str) -> "Unlike":
        """Read e.g. ``clustered: 20 rounds (paper: 60 to 200)``."""
        match = UNLIKE.fullmatch(text)
        of, here, paper = match.groups(default="") if match else ("", text, "")
        return cls(of.replace("_", " "), here, paper)


UNLIKE = re.compile(r"(?:([\w-]+(?:, [\w-]+)*): )?(.*?)(?: \(paper: ([^()]*)\))?", re.DOTALL)


@dataclass(frozen=True)
class Paper:
    """All of a paper."""

    name: str
    title: str
    called: str
    cite: str
    differences: list[Unlike]
    data: list[tuple[str, str]]
    left_out: list[str]
    tables: list[Table]
    figures: list[Figure]
    claims: dict[str, list[Claim]]
    not_judged: list[str]
    ledger: list[Assumption]
    methods: list[Method]

    @property
    def all_claims(self) -> list[Claim]:
        """Of all metrics."""
        return [claim for group in self.claims.values() for claim in group]

    @property
    def outcomes(self) -> dict[str, int]:
        """Count the claims by outcome; those not testable are left out where there are none."""
        found = Counter(claim.whole.outcome for claim in self.all_claims)
        return {name: found[name] for name in OUTCOMES if found[name] or name != "not-testable"}

    @property
    def verdicts(self) -> dict[str, int]:
        """How the cells that the paper has a value for compare."""
        lines = [line for table in self.tables for line in table.lines if line["n_seeds"]]
        found = Counter(line["verdict"] for line in lines if line["published"] is not None)
        return {name: found[name] for name in VERDICTS}

    @property
    def n_cells(self) -> int:
        """Cells that were rebuilt."""
        return sum(bool(line["n_seeds"]) for table in self.tables for line in table.lines)

    @property
    def n_seeds(self) -> str:
        """Of its cells that are means over seeds, e.g. ``3 to 5``."""
        found = sorted(
            {int(x["n_seeds"]) for t in self.tables for x in t.lines if x["data"] != "computed"}
            - {0}
        )
        if not found:
            return "none"
        return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def read(papers: Sequence[Mapping[str, Any]]) -> list[Paper]:
    """Read papers, each as the workflow names its files."""
    return [_paper(given) for given in papers]


def summary(papers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sum up the claims of papers, each as the workflow names its files, in at most five lines."""
    of = [given for given in papers if given["claims"]]
    if not of:
        return []
    table = pd.concat([judged.read(Path(given["claims"]["csv"])) for given in of])
    claims = {given["name"]: read_yaml(Path(given["claims"]["yaml"])) for given in of}
    called = {given["name"]: given["called"] for given in of}
    return sum_up(table.reset_index(drop=True), claims, called)


def _paper(given):
    tables = [tables_of.read(one) for one in given["tables"]]
    groups, not_judged = {}, []
    if given["claims"]:
        by_name = {one["short"]: table for one, table in zip(given["tables"], tables)}
        claims = read_yaml(Path(given["claims"]["yaml"]))
        csv = Path(given["claims"]["csv"])
        groups, not_judged = claims_of.read(csv, claims, given["name"], by_name)
    ledger = read_yaml(Path(given["ledger"])) if given["ledger"] else {}
    effects = Path(given["effects"][0]) if given["effects"] else None
    return Paper(
        *(given["name"], given["title"], given["called"], given["cite"]),
        [Unlike.read(text) for text in given["differences"]],
        *([tuple(pair) for pair in given["data"]], given["left_out"], tables),
        *([_figure(one) for one in given["figures"]], groups, not_judged),
        _ledger(given, ledger or {}, [c for group in groups.values() for c in group], effects),
        [_method(label, *of) for label, of in given["methods"].items()],
    )


def _figure(given):
    png = Path(given["png"])
    size = struct.unpack(">II", png.read_bytes()[16:24])
    alt = f"Plot: {given['title']}."
    if given["panels"]:
        alt += f" Panels: {'; '.join(given['panels'])}."
    if given["curves"]:
        alt += f" Shown in each: {', '.join(given['curves'])}."
    return Figure(given["name"], printed(given["short"]), given["title"], alt, png, size)


def _ledger(given, ledger, claims, effects):
    """Entries, those first that move most."""
    measured = pd.read_csv(effects) if effects else None
    found = []
    for name, entry in ledger.items():
        text, size = "", 0.0
        if measured is not None:
            text, size = _effect(measured[measured["assumption"] == name], given["margins"])
        moves = [
            (claim, reading.removeprefix(f"{name}: "), outcome)
            for claim in claims
            for reading, outcome in claim.moved_by
            if reading.startswith(f"{name}: ")
        ]
        alternatives = [str(one) for one in entry["alternatives"]]
        told = (entry["question"], str(entry["taken"]), entry["why"], alternatives, entry["set_in"])
        id_ = f"{given['name']}-ledger-{name}"
        found.append(Assumption(id_, name, *told, text, size, moves))
    return sorted(found, key=lambda one: (-len(one.moves), -one.size))


def _effect(lines, margins):
    """The largest difference that is clearly one, in words, and its size in margins."""
    if lines.empty:
        return "", 0.0
    lines = lines[lines["metric"].isin(COMPARED)]
    clear = lines[(lines["ci_low"] > 0) | (lines["ci_high"] < 0)]
    if clear.empty:
        return "measured: nothing that this run could see", 0.0
    sizes = [
        abs(line["difference"]) / margins.get(line["metric"], 1.0)
        for line in clear.to_dict("records")
    ]
    at = max(range(len(sizes)), key=lambda i: sizes[i])
    line = clear.iloc[at]
    metric = load_metric(line["metric"])
    d = metric.decimals
    ci = interval(line["ci_low"], line["ci_high"], d, "+")
    text = f"{number(line['difference'], d, '+')} ({ci}) {metric.title.lower()}"
    return f"{text} with {line['alternative']} ({line['setting']}, {line['method']})", sizes[at]


def _method(label, file, options):
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    about = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
    told = json.dumps(options, ensure_ascii=False)[1:-1].replace('"', "")
    return Method(label, about, told, file)
