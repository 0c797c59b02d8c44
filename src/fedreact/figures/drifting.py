"""What methods reach on the clients that drift alone (Fig. 6.4 of FedConD)."""

from dataclasses import dataclass

from fedreact.errors import UserError
from fedreact.figures.clients import kept_of_clients
from fedreact.figures.curves import Curves


@dataclass(frozen=True)
class Drifting(Curves):
    """The curves of :class:`fedreact.figures.curves.Curves`, as means over the clients that drift.

    ``score`` is the first metric of the runs, of which scores of each client are kept.
    """

    def draw(self, title, cells, files):
        """Draw the panels, each score a mean over the clients whose true cluster is 1."""
        return super().draw(title, {at: self._of_those(of) for at, of in cells.items()}, files)

    def _of_those(self, lines):
        """Lines with the scores of the clients that drift."""
        lines = lines.sort_values(["seed", "round"])
        means = {
            (seed, int(t)): score[drifts == 1].mean()
            for seed, kept in zip(lines["seed"].unique(), kept_of_clients(lines))
            for t, score, drifts in zip(kept["round"], kept["score"], kept["true_cluster"])
        }
        at = list(lines[["seed", "round"]].itertuples(index=False, name=None))
        if not set(at) <= set(means):
            raise UserError("of so many clients scores of each are kept of last rounds alone")
        return lines.assign(**{self.score: [means[one] for one in at]})


FIGURE = Drifting
