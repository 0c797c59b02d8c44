"""Several scores of methods, side by side (M-Att, Fig. 3.5)."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.figures.bars import draw_groups
from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method


@dataclass(frozen=True)
class BarsOfScores(FigureKind):
    """A group of bars a score, a bar a method: means over seeds with their 95% intervals.

    Attributes
    ----------
    setting
        A setting.
    scores
        Metric by label of its group.
    label
        Label of the axis.
    bars
        Method by label.
    """

    setting: str
    scores: dict[str, str]
    label: str
    bars: dict[str, str]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are shown."""
        return tuple(self.scores.values())

    def legend(self) -> tuple[str, ...]:
        """Return the methods."""
        return tuple(self.bars)

    def cells(self) -> Entries:
        """Return each method."""
        return each_method({"": self.setting}, self.bars)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the groups beside each other."""
        from fedreact.figures.style import seeds_of, with_seeds

        values = {}
        for label in self.bars:
            if ("", label) in cells:  # others cannot run
                by_seed = cells["", label].groupby("seed")[list(self.metrics)].mean()
                values[label] = by_seed.T.set_axis(list(self.scores))
        title = with_seeds(title, seeds_of(cells))
        return draw_groups(title, self.label, self.legend(), list(self.scores), values)


FIGURE = BarsOfScores
