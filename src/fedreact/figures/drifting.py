"""Scores of methods on the drifting clients alone (Fig. 6.4 of FedConD)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.errors import UserError
from fedreact.figures.clients import client_records
from fedreact.figures.contract import Drawing, Scores
from fedreact.figures.curves import Curves

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Drifting(Curves):
    """The curves of :class:`fedreact.figures.curves.Curves`, as means over the clients that drift.

    ``score`` is the first metric of the runs, of which scores of each client are kept.
    """

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels, each score a mean over the clients whose true cluster is 1."""
        of_drifting = {key: self._drifting(lines) for key, lines in cells.items()}
        return super().draw(title, of_drifting, files)

    def _drifting(self, lines: "pd.DataFrame") -> "pd.DataFrame":
        """Return lines with the scores of the clients that drift."""
        lines = lines.sort_values(["seed", "round"])
        means = {
            (seed, int(t)): score[drifts == 1].mean()
            for seed, record in zip(lines["seed"].unique(), client_records(lines))
            for t, score, drifts in zip(record["round"], record["score"], record["true_cluster"])
        }
        rounds = list(lines[["seed", "round"]].itertuples(index=False, name=None))
        if not set(rounds) <= set(means):
            raise UserError("of so many clients scores of each are kept of last rounds alone")
        return lines.assign(**{self.score: [means[key] for key in rounds]})


FIGURE = Drifting
