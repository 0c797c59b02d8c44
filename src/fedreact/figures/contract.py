"""The contract of a kind of figure: a file of this folder that defines ``FIGURE``.

A kind of figure is a frozen dataclass below :class:`FigureKind`, whose fields are the options that
an entry of ``figures.yaml`` has besides ``title`` and ``kind`` (and ``study``). It says what it is
made from, and draws it. Matplotlib and pandas are imported where something is drawn, since the
workflow, which starts often, asks figures what they are made from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Entries: TypeAlias = Mapping[tuple[str, str], dict[str, Any]]
"""Entries of cells, by the labels of panel and curve: ``{setting: ..., method: ..., ...}``."""
Scores: TypeAlias = "Mapping[tuple[str, str], pd.DataFrame]"
"""Lines of scores of such cells, by the same labels."""
Drawing: TypeAlias = "Figure"
"""A figure of matplotlib."""


class Ask(Protocol):
    """The files that a figure may ask the workflow for."""

    def table(self, name: str) -> str:
        """Return the csv file of a table of the same paper."""

    def run(self, kind: str, setting: str) -> list[str]:
        """Return the files of a kind of run that has no methods, over all seeds."""

    def partition(self, name: str) -> str:
        """Return the partition of the first seed."""

    def dataset(self, role: str) -> str:
        """Return the dataset that stands for a role."""

    def parts(self, role: str, *names: str) -> list[str]:
        """Return parts of that dataset; all, if none is named."""


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure, with defaults for what most figures do not need.

    Attributes
    ----------
    metrics
        The metrics that it shows of its cells' scores.
    """

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it shows of its cells' scores."""
        return ()

    def cells(self) -> Entries:
        """Return entries ``{setting: ..., method: ..., <change>: ...}`` by panel and curve."""
        return {}

    def legend(self) -> tuple[str, ...]:
        """Return the labels that have a colour, the same one in all figures of the paper."""
        return ()

    def inputs(self, ask: Ask) -> list[str]:
        """Return the files that it is made from, besides scores and the files of its study."""
        return []

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the figure.

        Parameters
        ----------
        cells
            Lines ``seed, round`` and metrics, by the labels of panel and curve.
        files
            Files of :meth:`inputs`, or of its study.
        """
        raise NotImplementedError


def each_method(settings: Mapping[str, str], methods: Mapping[str, str]) -> Entries:
    """Return the entry of each method on each setting, both by their labels."""
    return {
        (panel, label): {"setting": setting, "method": method}
        for panel, setting in settings.items()
        for label, method in methods.items()
    }
