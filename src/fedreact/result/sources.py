"""Input of the page of a result on a user's own data, as the workflow tells the command.

The module loads fast, since the workflow writes these records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fedreact.notes.sources import Comparison
from fedreact.tables.sources import CellSource


@dataclass(frozen=True)
class SettingSource:
    """A setting of a table: who holds what, and how it is run.

    Attributes
    ----------
    label
        Its label in the table.
    data, partition
        Files of the dataset, and of the partition with the first seed.
    data_name
        Name of the dataset.
    dealt
        How series are dealt to clients and split, in words.
    imported
        How the data was imported, in words; empty if no recipe says it.
    import_notes
        What the import dropped and decided.
    runs
        What is set for each kind of run, in words, by its name.
    rounds
        Number of rounds of each kind of run that has them, and where it is written.
    steps
        Local steps of a client over all rounds, of each kind of run that has a number of them.
    """

    label: str
    data: str
    partition: str
    data_name: str
    dealt: str
    imported: str
    import_notes: Sequence[str]
    runs: Mapping[str, str]
    rounds: Mapping[str, tuple[int, str]]
    steps: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TableSource:
    """A table that compares methods.

    Attributes
    ----------
    name, title
        Name of its target, and what it shows.
    metrics, last, methods_are, reference, trivial
        As :class:`fedreact.tables.cells.CellRules` has them.
    layout
        Its cells.
    scores
        Files of the scores.
    compared
        Parts of the methods, and margins.
    settings
        Its settings.
    kinds
        Kind of run of each method, by its label.
    """

    name: str
    title: str
    metrics: Sequence[str]
    last: bool
    methods_are: str
    reference: str | None
    trivial: Sequence[str]
    layout: Sequence[CellSource]
    scores: Sequence[str]
    compared: Comparison
    settings: Sequence[SettingSource]
    kinds: Mapping[str, str]


@dataclass(frozen=True)
class CardSource:
    """What the page says of a method.

    Attributes
    ----------
    file, kind
        File of its algorithm, and kind of run.
    about, cite
        First paragraph of the file's docstring, and the publication to cite, if there is one.
    options
        Options that differ from the algorithm's defaults.
    """

    file: str
    kind: str
    about: str
    cite: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class ResultSource:
    """Input of the page.

    Attributes
    ----------
    name, title
        Name of the folder of the configuration, and its title.
    scale
        Name of the scale.
    command
        Command that makes the page.
    tables
        Tables that compare methods.
    methods
        Methods by their labels.
    differences
        What the scale shortens.
    left_out
        Sentences on tables that cannot be made.
    """

    name: str
    title: str
    scale: str
    command: str
    tables: Sequence[TableSource]
    methods: Mapping[str, CardSource]
    differences: Sequence[str] = field(default_factory=list)
    left_out: Sequence[str] = field(default_factory=list)
