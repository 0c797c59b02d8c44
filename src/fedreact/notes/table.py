"""Notes of a table on data of a user's own."""

from collections.abc import Sequence

import pandas as pd

from fedreact.notes.contract import of_results
from fedreact.notes.scores import read_results
from fedreact.notes.sources import Comparison
from fedreact.reading import read_typed
from fedreact.tables.cells import CellRules
from fedreact.tables.sources import CellSource


def notes_of_table(
    layout: Sequence[CellSource], rules: CellRules, scores: pd.DataFrame, own: str
) -> list[str]:
    """Return the notes of a table's methods.

    Parameters
    ----------
    layout, rules, scores
        As for :func:`fedreact.tables.cells.build`.
    own
        The :class:`~fedreact.notes.sources.Comparison` of the methods, as JSON.
    """
    compared = read_typed(own, "--own", Comparison)
    return of_results(read_results(layout, rules, scores, compared))
