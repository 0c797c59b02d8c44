"""What the benchmark's page is made from: tables of regimes, and what is known of each method."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RegimeSource:
    """A regime: a table whose columns are methods.

    Attributes
    ----------
    name, title
        Its name in paths, and its words.
    csvs
        Tidy files of its table: the benchmark's own, then those of added methods and data.
    metric
        What methods are compared by.
    better
        Whether ``higher`` or ``lower`` values are better.
    notes
        Sentences on how it was run.
    """

    name: str
    title: str
    csvs: list[str]
    metric: str
    better: str = "higher"
    notes: list[str] = field(default_factory=list)

    @property
    def called(self) -> str:
        """Its name, for tabs."""
        return self.name.replace("_", " ").capitalize()


@dataclass(frozen=True)
class CardSource:
    """What the page says of a method.

    Attributes
    ----------
    file
        File of its algorithm.
    kind
        Kind of run.
    words, citation, equations
        What the method does, in a sentence; where it was published; its equations as text. Empty
        where the file does not say.
    options
        Options that differ from the algorithm's defaults.
    tasks
        Tasks that it can run on.
    """

    file: str
    kind: str
    words: str
    citation: str = ""
    equations: str = ""
    options: dict[str, object] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class BenchmarkSource:
    """Input of the page.

    Attributes
    ----------
    scale
        Name of the scale.
    reference
        Label of the method that the others are compared with.
    trivial
        Labels of methods that learn nothing.
    ceilings
        Labels of methods that are no federation: all data in one place.
    differences
        What the scale does otherwise than the full protocol.
    """

    scale: str
    reference: str
    regimes: list[RegimeSource]
    cards: dict[str, CardSource]
    trivial: list[str] = field(default_factory=list)
    ceilings: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
