"""Ranks of methods over datasets, and which differ significantly from the best (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Ranks(FigureKind):
    """A row a method, the best first: its rank on each dataset, and its mean rank.

    Mean ranks have the 95% interval over datasets. The band has the width of the critical
    difference of Nemenyi's test (Demsar 2006, J. Mach. Learn. Res. 7:1): the methods in it do not
    differ significantly from the best one at 5%. The test counts each dataset once, however many
    seeds it has; a method that could not run on one of them has no rank.

    Attributes
    ----------
    settings
        A setting of each dataset by its label.
    methods
        By label: a name, or a mapping ``{method: ..., <change>: ...}``.
    metric
        By which methods are ranked, in the last round.
    """

    settings: dict[str, str]
    methods: dict[str, Any]
    metric: str = PRIMARY["classification"]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metric that methods are ranked by."""
        return (self.metric,)

    def cells(self) -> Entries:
        """Return each method on each dataset."""
        return {
            (label, name): {"setting": setting, **_mapping(method)}
            for label, setting in self.settings.items()
            for name, method in self.methods.items()
        }

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the ranks of methods that ran everywhere."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import panel_names, title_and_legend

        ranks = self.ranks(self.scores(cells))
        n, k = ranks.shape[1], len(ranks)
        size = (3.4 + 0.36 * max(n, 4) + 2.4, 1.9 + 0.19 * max(k, 4))
        figure = Figure(figsize=size, layout="constrained")
        if n < 2 or k < 2:
            axes = figure.subplots()
            axes.set_axis_off()
            axes.text(0.5, 0.5, "Ranks need two methods on two datasets.", ha="center")
            title_and_legend(figure, [axes], title, 1)
            return figure
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(0.36 * n, 2.4))
        _draw_ranks(left, ranks, list(panel_names(ranks.columns, cells).values()))
        gap = critical_difference(k, n)
        alike = _draw_means(right, ranks, gap)
        note = (
            f"{n} datasets, {k} methods that ran on all of them. Grey: critical difference"
            f" {gap:.1f}; {alike} methods do not differ significantly from the best."
        )
        title_and_legend(figure, [right], f"{title}\n{note}", 1)
        return figure

    def scores(self, cells: Scores) -> "pd.DataFrame":
        """Return scores ``[method, dataset]`` in the last round, means over seeds.

        Datasets without any score are left out.
        """
        import pandas as pd

        scores: dict[str, dict[str, float]] = {name: {} for name in self.methods}
        for (label, name), lines in cells.items():
            if self.metric not in lines or lines[self.metric].isna().all():
                continue
            last = lines[lines["round"] == lines.groupby("seed")["round"].transform("max")]
            scores[name][label] = last.groupby("seed")[self.metric].mean().mean()
        shown = [label for label in self.settings if any(label in row for row in scores.values())]
        return pd.DataFrame(scores).T.reindex(index=list(self.methods), columns=shown)

    def ranks(self, scores: "pd.DataFrame") -> "pd.DataFrame":
        """Rank the methods with all scores: ``[method, dataset]``, the best on average first."""
        from fedreact.metrics.grammar import load_metric

        lower = load_metric(self.metric).better == "lower"
        ranks = scores.dropna().rank(axis=0, ascending=lower, method="average")
        order = ranks.mean(axis=1).sort_values(kind="stable").index
        return ranks.loc[order]


def _mapping(method: Any) -> Mapping[str, Any]:
    """Return the entry of a method that may be given by its name."""
    return {"method": method} if isinstance(method, str) else method


def _draw_ranks(axes: "Axes", ranks: "pd.DataFrame", datasets: list[str]) -> None:
    """Draw a map of ranks, a row a method and a column a dataset."""
    k, n = ranks.shape
    axes.imshow(ranks, aspect="auto", cmap="Blues_r", vmin=1, vmax=1.35 * k)
    for i, row in enumerate(ranks.to_numpy()):
        for j, rank in enumerate(row):
            colour = "white" if rank < 0.5 * k else "black"
            axes.text(j, i, f"{rank:g}", ha="center", va="center", fontsize=6, color=colour)
    axes.set_xticks(range(n), datasets)
    axes.tick_params(axis="x", labelsize=6.5, top=True, labeltop=True, bottom=False)
    axes.tick_params(axis="x", labelbottom=False, rotation=90)
    axes.set_yticks(range(k), list(ranks.index), fontsize=7)
    axes.spines[:].set_visible(False)


def _draw_means(axes: "Axes", ranks: "pd.DataFrame", gap: float) -> int:
    """Draw mean ranks, with the band of the critical difference from the best.

    Returns
    -------
    int
        How many methods lie in the band, besides the best.
    """
    import numpy as np

    from fedreact.figures.style import interval

    k = len(ranks)
    means, half_width = interval(ranks)
    best = means.min()
    axes.axvspan(best, min(best + gap, k + 0.5), color="#DDDDDD", linewidth=0)
    low, high = np.maximum(means - half_width, 1), np.minimum(means + half_width, k)
    axes.hlines(np.arange(k), low, high, color="black", linewidth=1)
    axes.plot(means, np.arange(k), "o", color="black", markersize=3.5)
    axes.set_xlim(0.5, k + 0.5)
    axes.set_xlabel("Mean rank (1 is best), 95% interval", fontsize="small")
    axes.tick_params(axis="x", labelsize="small")
    axes.tick_params(axis="y", length=0, labelleft=False)
    axes.grid(axis="x", linewidth=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return int((means <= best + gap).sum()) - 1


def critical_difference(k: int, n: int) -> float:
    """Return Nemenyi's critical difference at 5% of mean ranks of k methods over n datasets."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(0.95, k, float("inf")))
    return q / 2**0.5 * (k * (k + 1) / (6 * n)) ** 0.5


FIGURE = Ranks
