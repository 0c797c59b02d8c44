"""The entries of a paper's files (``config/papers/<paper>/*.yaml``): their keys, types and
texts."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec

from fedreact import options
from fedreact.errors import UserError

OF_NOBODY = ("", "nobody", "data of your own")
"""Citations of a paper about a user's own data."""
Seeds = Annotated[tuple[options.Natural, ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class BenchmarkPart:
    """A paper's part in the benchmark (:mod:`fedreact.resolve.benchmark`).

    Attributes
    ----------
    reference
        Label of a method: tables that have it as reference are regimes of the benchmark's page.
    everyone, tenth
        Settings whose options a dataset of a user's own takes: with all clients in a round, and
        with a tenth of them.
    adds
        The method or data that the paper adds to the benchmark; ``null``: it is the benchmark.
    """

    reference: str
    everyone: str | None = None
    tenth: str | None = None
    adds: str | None = None


@dataclass(frozen=True)
class About:
    """``paper.yaml``.

    Attributes
    ----------
    title
        Title of the paper.
    cite
        Citation of the paper. If it is left out, or is ``nobody`` or ``data of your own``, the
        folder is about a user's own data, not about a publication: tables carry notes on what may
        be concluded, the target ``<paper>_page`` makes a page of the result, and nothing is
        compared with published values.
    short
        Short name; by default its title up to a colon.
    prefix
        Prefix of the names of its tables and figures; by default its folder's name and ``_``.
    margins
        Margin of each metric, for claims without a published difference.
    trivial
        Labels of methods that learn nothing (a constant, persistence). Where one of them scores
        above both methods of a claim, the claim is not testable.
    pooled
        Labels of methods that train on all data in one place, so that they are no federation.
    federated
        Labels of methods of which a part is trained by the federation, although their algorithm is
        one of clients alone: a client's own model on a shared encoder.
    means_over
        What means over rows, and ranks, count: ``rows`` all alike, as papers do, or ``datasets``.
        Then rows of one dataset are averaged first, and rows in which a trivial method is ahead do
        not count.
    names_of_data
        Name of each role of data in its labels.
    benchmark
        Its part in the benchmark; ``null``: none.
    options_of
        Paper whose searches choose the methods' options on each dataset; ``null``: this one.
    main
        Whether it is the main paper, which is listed first, and the role of whose data
        ``dataset`` of ``config/config.yaml`` chooses a dataset for.
    data
        Role of the data of its partitions that name none.
    """

    title: str
    cite: str = ""
    short: str | None = None
    prefix: str | None = None
    margins: dict[str, options.Positive] = field(default_factory=dict)
    trivial: tuple[str, ...] = ()
    pooled: tuple[str, ...] = ()
    federated: tuple[str, ...] = ()
    means_over: Literal["rows", "datasets"] = "rows"
    names_of_data: dict[str, str] = field(default_factory=dict)
    benchmark: BenchmarkPart | None = None
    options_of: str | None = None
    main: bool = False
    data: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is about a user's own data."""
        return self.cite in OF_NOBODY

    def with_data(self, label: str, role: str, data: str) -> str:
        """A label with the name of a user's data in place of the paper's, or behind it."""
        name = self.names_of_data.get(role)
        return label.replace(name, data) if name and name in label else f"{label} ({data})"


@dataclass(frozen=True)
class PartitionSpec:
    """A partition of ``experiment.yaml``: the role of the data, a partitioner, and its options."""

    data: str
    by: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class SettingSpec:
    """A setting of ``experiment.yaml``: a partition, and options of encoder and kinds of run."""

    partition: str
    steps: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class TableSpec:
    """An entry of ``tables.yaml``: rows and columns by their labels, or a study.

    Attributes
    ----------
    rows, columns
        A name, or a mapping: ``setting``, ``method``, and what is changed in them.
    rows_are
        What a name in a row stands for; one in a column is the other.
    setting, method
        Setting or method of all cells.
    metrics
        Names of metrics; the first is the table's.
    score
        The mean over rounds, or the last round's.
    study
        Instead: ``kind``, a file of ``studies/``, and its options.
    reference
        Label of the method that the others are compared with, by seed.
    reaching
        One of the metrics: instead of by ``score``, all metrics are read when a method first has
        the final score of the weakest method of the row.
    """

    title: str
    rows: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Any] = field(default_factory=dict)
    rows_are: Literal["settings", "methods"] = "settings"
    setting: str | None = None
    method: str | None = None
    metrics: tuple[str, ...] = ()
    score: Literal["mean", "last"] = "mean"
    study: dict[str, Any] | None = None
    reference: str | None = None
    reaching: str | None = None
    notes: tuple[str, ...] = ()

    def asked(self, where: str) -> dict[tuple[str, str], dict[str, Any]]:
        """What each cell asks for, by the labels of row and column: ``{setting: ..., ...}``."""
        marks = ("setting", "method") if self.rows_are == "settings" else ("method", "setting")
        methods = self.columns if self.rows_are == "settings" else self.rows
        if self.reference is not None and self.reference not in methods:
            raise UserError(f"{where}: reference: {self.reference!r} is no label of a method")
        if self.reaching is not None and self.reaching not in self.metrics:
            raise UserError(f"{where}: reaching: {self.reaching!r} is none of its metrics")
        named = (("setting", self.setting), ("method", self.method))
        of_table = {mark: name for mark, name in named if name is not None}
        cells = {}
        for row, in_row in self.rows.items():
            for column, in_column in self.columns.items():
                parts = [of_table, _mapping(in_row, marks[0]), _mapping(in_column, marks[1])]
                twice = [k for a, b in itertools.combinations(parts, 2) for k in a if k in b]
                if twice:
                    raise UserError(f"{where}: {row}, {column}: {twice[0]} is given twice")
                cells[row, column] = {k: v for part in parts for k, v in part.items()}
        return cells


def _mapping(entry: Any, mark: str) -> dict[str, Any]:
    """A name, or a mapping, as a mapping."""
    if isinstance(entry, str):
        return {mark: entry}
    if not isinstance(entry, Mapping):
        raise UserError(f"{options.shown(entry)} is neither a name nor a mapping")
    return dict(entry)


@dataclass(frozen=True)
class FigureSpec:
    """An entry of ``figures.yaml``: a title, the kind of figure, its options, perhaps a study."""

    title: str
    kind: str
    options: Any
    study: dict[str, Any] | None = None


@dataclass(frozen=True)
class PrintedEntry:
    """An entry of ``printed.yaml``: a table or figure that the paper prints.

    Attributes
    ----------
    shows
        What it shows, for people.
    targets
        Names of the tables and figures that rebuild it; none where ``missing`` says why.
    lacks
        What these leave out, and why.
    missing
        Why nothing rebuilds it.
    """

    shows: str
    targets: tuple[str, ...] = ()
    lacks: str = ""
    missing: str = ""


@dataclass(frozen=True)
class SearchSpec:
    """An entry of ``search.yaml``: settings and grids of options of methods.

    Attributes
    ----------
    grids
        Values by option, for each method.
    seeds
        Seeds, none of which a table uses.
    score
        The mean over rounds, or the last round's.
    by_dataset
        Whether all tables and figures of the paper take the best options on each dataset.
        ``fedreact search`` writes them to ``chosen/<scale>.yaml``.
    """

    title: str
    seeds: Seeds
    settings: tuple[Any, ...]
    grids: dict[str, dict[str, list[Any]]]
    metric: str = "accuracy"
    score: Literal["mean", "last"] = "mean"
    by_dataset: bool = False


@dataclass(frozen=True)
class LedgerEntry:
    """An entry of ``ledger.yaml``: what the paper leaves open, and what is taken.

    Attributes
    ----------
    question, taken, why, alternatives
        For people.
    set_in
        A file, or an option.
    measured_on
        Settings that the alternatives are run on.
    varied
        Values that the multiverse gives an open choice, by the key that it sets: an option of the
        kind of run (``clustered.C``), of the encoder or partition, ``encoder_seed``, or of methods
        (``methods.ifca+flsc.steps``). A value that is a mapping sets several keys.
    """

    question: str
    taken: Any
    why: str
    alternatives: list[Any]
    set_in: str
    measured_on: tuple[str, ...] = ()
    varied: dict[str, list[Any]] = field(default_factory=dict)
