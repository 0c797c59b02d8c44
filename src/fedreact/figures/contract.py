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
    """What a figure may ask the workflow for: paths of files."""

    def table(self, name: str) -> str:
        """The csv file of a table of the same paper."""

    def run(self, kind: str, setting: str) -> list[str]:
        """Files of a kind of run that has no methods, over all seeds."""

    def partition(self, name: str) -> str:
        """The partition of the first seed."""

    def dataset(self, role: str) -> str:
        """The dataset that stands for a role."""

    def parts(self, role: str, *names: str) -> list[str]:
        """Parts of that dataset; all, if none is named."""


@dataclass(frozen=True)
class FigureKind:
    """What most figures need not say themselves.

    Attributes
    ----------
    metrics
        What it shows of its cells' scores.
    """

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it shows of its cells' scores."""
        return ()

    def cells(self) -> Entries:
        """By the labels of panel and curve: ``{setting: ..., method: ..., <change>: ...}``."""
        return {}

    def legend(self) -> tuple[str, ...]:
        """Labels that have a colour, the same one in all figures of the paper."""
        return ()

    def inputs(self, ask: Ask) -> list[str]:
        """Files that it is made from, beside the scores of its cells and its study's."""
        return []

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw it.

        Parameters
        ----------
        cells
            Lines ``seed, round`` and metrics, by the labels of panel and curve.
        files
            Of :meth:`inputs`, or of its study.
        """
        raise NotImplementedError


def each_method(settings: Mapping[str, str], methods: Mapping[str, str]) -> Entries:
    """Return the entry of each method on each setting, both by their labels."""
    return {
        (panel, label): {"setting": setting, "method": method}
        for panel, setting in settings.items()
        for label, method in methods.items()
    }
