"""The contract of a kind of figure: a file of this folder that defines ``FIGURE``.

A kind of figure is a frozen dataclass below :class:`FigureKind`, whose fields are the options that
an entry of ``figures.yaml`` has besides ``title`` and ``kind`` (and ``study``). It says what it is
made from, and draws it. Matplotlib and pandas are imported where something is drawn, since the
workflow, which starts often, asks figures what they are made from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


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

    metrics: ClassVar[tuple[str, ...]] = ()

    def cells(self) -> Mapping[tuple[str, str], dict[str, Any]]:
        """By the labels of panel and curve: ``{setting: ..., method: ..., <change>: ...}``."""
        return {}

    def legend(self) -> tuple[str, ...]:
        """Labels that have a colour, the same one in all figures of the paper."""
        return ()

    def inputs(self, ask: Ask) -> list[str]:
        """Files that it is made from, beside the scores of its cells and its study's."""
        return []

    def draw(
        self,
        title: str,
        cells: "Mapping[tuple[str, str], pd.DataFrame]",
        files: list[Path],
    ) -> "matplotlib.figure.Figure":
        """Draw it.

        Parameters
        ----------
        cells
            Lines ``seed, round`` and metrics, by the labels of panel and curve.
        files
            Of :meth:`inputs`, or of its study.
        """
        raise NotImplementedError
