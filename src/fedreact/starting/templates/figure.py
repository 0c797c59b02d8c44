"""FILL IN: what the figure shows. As it stands, it shows the mean score of each method as a dot."""

from dataclasses import dataclass
from pathlib import Path

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method


@dataclass(frozen=True)
class Mine(FigureKind):
    """FILL IN: what it shows. Fields are what an entry of figures.yaml says.

    Attributes
    ----------
    settings
        Setting by title of its panel.
    methods
        Method by label.
    score
        A metric.
    """

    settings: dict[str, str]
    methods: dict[str, str]
    score: str = "accuracy"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are shown."""
        return (self.score,)

    def legend(self) -> tuple[str, ...]:
        """Return the labels that have a colour."""
        return tuple(self.methods)

    def cells(self) -> Entries:
        """Return the scores that it needs: each method on each setting."""
        return each_method(self.settings, self.methods)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a panel for each setting."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading

        figure = Figure(figsize=(1 + 2.5 * len(self.settings), 3), layout="constrained")
        panels = figure.subplots(1, len(self.settings), squeeze=False)[0]
        for axes, panel in zip(panels, self.settings):
            # FILL IN what is drawn. Lines of a cell have seed, round, and the metrics.
            labels = [label for label in self.methods if (panel, label) in cells]
            means = [cells[panel, label][self.score].mean() for label in labels]
            axes.plot(means, range(len(labels)), "o")
            axes.set_yticks(range(len(labels)), labels)
            axes.set_title(panel)
        heading(figure, title)
        return figure


FIGURE = Mine
