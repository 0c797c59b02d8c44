"""Where the content of the report lies, as the workflow tells the command that writes it.

The command gets these records as JSON (:func:`fedreact.reading.read_typed`). The module loads fast,
since the workflow writes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class TableSource:
    """A table.

    Attributes
    ----------
    name, short
        Name of its target, and its name in its paper.
    csv
        Its file. The forms and origins of the table lie beside it.
    title
        What it shows.
    methods
        Whether its rows or its columns are methods; ``None`` if neither.
    names
        Names of its paper for its data, by role.
    """

    name: str
    short: str
    csv: str
    title: str
    methods: Literal["row", "column"] | None
    names: Mapping[str, str]


@dataclass(frozen=True)
class FigureSource:
    """A figure.

    Attributes
    ----------
    name, short
        Name of its target, and its name in its paper.
    png
        Its picture.
    title
        What it shows.
    panels, curves
        Labels of its panels and of the curves in each.
    """

    name: str
    short: str
    png: str
    title: str
    panels: Sequence[str]
    curves: Sequence[str]


@dataclass(frozen=True)
class ClaimsSource:
    """Claims of a paper: the csv of their judgement, and ``claims.yaml``."""

    csv: str
    yaml: str


@dataclass(frozen=True)
class MethodSource:
    """A method: the file of its algorithm, and the options that are not its defaults."""

    file: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class EffectsSource:
    """The csv of measured effects of a ledger's alternatives, and its digest.

    The file is no input of the report. Its digest changes the command when the file changes.
    """

    csv: str
    sha256: str


@dataclass(frozen=True)
class PaperSource:
    """A paper.

    Attributes
    ----------
    name, title, called, cite
        Name of its folder; its title, its short title, and its citation.
    margins
        The smallest differences that matter, by metric.
    differences
        How the scale differs from the paper.
    data
        The paper's name of each dataset's role, by dataset.
    left_out
        Sentences on tables and figures that cannot be made.
    methods
        Methods by their labels.
    ledger
        Its ``ledger.yaml``, if it has one.
    own
        Whether it is about a user's own data, so that nothing is published of it.
    page
        Its page, beside the report; empty if it has none.
    """

    name: str
    title: str
    called: str
    cite: str
    margins: Mapping[str, float]
    differences: Sequence[str]
    data: Mapping[str, str]
    left_out: Sequence[str]
    tables: Sequence[TableSource]
    figures: Sequence[FigureSource]
    methods: Mapping[str, MethodSource]
    ledger: str | None = None
    effects: EffectsSource | None = None
    claims: ClaimsSource | None = None
    own: bool = False
    page: str = ""


@dataclass(frozen=True)
class DatasetSource:
    """A dataset: its title, how to cite it, its licence, and its page."""

    title: str
    citation: str
    licence: str
    page: str


@dataclass(frozen=True)
class ReportSource:
    """The report: name and description of the scale, its papers, and its datasets by name."""

    scale: str
    about: str
    papers: Sequence[PaperSource]
    datasets: Mapping[str, DatasetSource]
