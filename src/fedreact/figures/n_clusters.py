"""A criterion over the number of clusters (Fed-REACT, Figs. 3 and 4 in arXiv)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fedreact.figures.contract import Ask, Drawing, FigureKind, Scores


@dataclass(frozen=True)
class NClusters(FigureKind):
    """A curve for each number of samples; its label tells the number of clusters it points to.

    Attributes
    ----------
    setting
        A setting.
    score
        ``wcss`` (elbow) or ``silhouette``.
    """

    setting: str
    score: Literal["wcss", "silhouette"]

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for both criteria, over all seeds."""
        return ask.run("n_clusters", self.setting)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the curves."""
        import pandas as pd
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.clustering.n_clusters import elbow
        from fedreact.figures.style import COLOURS, interval, title_and_legend, with_seeds

        table = pd.concat([pd.read_csv(path) for path in files])
        title = with_seeds(title, table["seed"].nunique())
        figure = Figure(figsize=(6, 3.2), layout="constrained")
        axes = figure.subplots()

        def chosen(mean: pd.Series) -> Any:
            """Return the number of clusters that a curve points to."""
            return elbow(mean.to_numpy()) if self.score == "wcss" else mean.idxmax()

        for i, (samples, lines) in enumerate(table.dropna(subset=self.score).groupby("samples")):
            values = lines.pivot(index="n_clusters", columns="seed", values=self.score)
            mean, half_width = interval(values)
            marker = "osD^v<>"[i % 7]
            axes.errorbar(
                mean.index,
                mean,
                half_width.fillna(0),
                color=COLOURS[i % len(COLOURS)],
                marker=marker,
                markersize=4,
                linewidth=1.2,
                capsize=2,
                label=f"|M| = {samples}: {chosen(mean)}",
            )
        labels = {"wcss": "Within-cluster sum of squares", "silhouette": "Silhouette score"}
        axes.set(xlabel="Number of clusters", ylabel=labels[self.score])
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        axes.spines[["top", "right"]].set_visible(False)
        title_and_legend(figure, [axes], title, 5)
        return figure


FIGURE = NClusters
