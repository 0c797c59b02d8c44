"""Ranks of methods over datasets, and which differ significantly from the best (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


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
        """What methods are ranked by."""
        return (self.metric,)

    def cells(self):
        """Each method on each dataset."""
        return {
            (label, name): {"setting": setting, **_mapping(method)}
            for label, setting in self.settings.items()
            for name, method in self.methods.items()
        }

    def draw(self, title, cells, files):
        """Draw the ranks of methods that ran everywhere."""
        import numpy as np
        from matplotlib.figure import Figure

        from fedreact.figures.style import panel_names, title_and_legend

        wide = self.ranks(self.scores(cells))
        n, k = wide.shape[1], len(wide)
        size = (3.4 + 0.36 * max(n, 4) + 2.4, 1.9 + 0.19 * max(k, 4))
        figure = Figure(figsize=size, layout="constrained")
        if n < 2 or k < 2:
            axes = figure.subplots()
            axes.set_axis_off()
            axes.text(0.5, 0.5, "Ranks need two methods on two datasets.", ha="center")
            title_and_legend(figure, [axes], title, 1)
            return figure
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(0.36 * n, 2.4))
        left.imshow(wide, aspect="auto", cmap="Blues_r", vmin=1, vmax=1.35 * k)
        for i, row in enumerate(wide.to_numpy()):
            for j, rank in enumerate(row):
                colour = "white" if rank < 0.5 * k else "black"
                look = {"ha": "center", "va": "center", "fontsize": 6, "color": colour}
                left.text(j, i, f"{rank:g}", **look)
        left.set_xticks(range(n), list(panel_names(wide.columns, cells).values()))
        left.tick_params(axis="x", labelsize=6.5, top=True, labeltop=True, bottom=False)
        left.tick_params(axis="x", labelbottom=False, rotation=90)
        left.set_yticks(range(k), list(wide.index), fontsize=7)
        left.spines[:].set_visible(False)
        means, half, gap = wide.mean(axis=1), _half(wide), critical_difference(k, n)
        best = means.min()
        right.axvspan(best, min(best + gap, k + 0.5), color="#DDDDDD", linewidth=0)
        low, high = np.maximum(means - half, 1), np.minimum(means + half, k)
        right.hlines(np.arange(k), low, high, color="black", linewidth=1)
        right.plot(means, np.arange(k), "o", color="black", markersize=3.5)
        right.set_xlim(0.5, k + 0.5)
        right.set_xlabel("Mean rank (1 is best), 95% interval", fontsize="small")
        right.tick_params(axis="x", labelsize="small")
        right.tick_params(axis="y", length=0, labelleft=False)
        right.grid(axis="x", linewidth=0.3)
        right.spines[["top", "right", "left"]].set_visible(False)
        within = int((means <= best + gap).sum())
        note = (
            f"{n} datasets, {k} methods that ran on all of them. Grey: critical difference"
            f" {gap:.1f}; {within - 1} methods do not differ significantly from the best."
        )
        title_and_legend(figure, [right], f"{title}\n{note}", 1)
        return figure

    def scores(self, cells):
        """Scores ``[method, dataset]`` in the last round, means over seeds, where there are any."""
        import pandas as pd

        found: dict[str, dict[str, float]] = {name: {} for name in self.methods}
        for (label, name), lines in cells.items():
            if self.metric not in lines or lines[self.metric].isna().all():
                continue
            last = lines[lines["round"] == lines.groupby("seed")["round"].transform("max")]
            found[name][label] = last.groupby("seed")[self.metric].mean().mean()
        shown = [s for s in self.settings if any(s in of for of in found.values())]
        return pd.DataFrame(found).T.reindex(index=list(self.methods), columns=shown)

    def ranks(self, scores):
        """Ranks ``[method, dataset]`` of those that have all scores, the best on average first."""
        from fedreact.metrics.grammar import load_metric

        lower = load_metric(self.metric).better == "lower"
        ranks = scores.dropna().rank(axis=0, ascending=lower, method="average")
        order = ranks.mean(axis=1).sort_values(kind="stable").index
        return ranks.loc[order]


def _mapping(method: Any) -> Mapping[str, Any]:
    return {"method": method} if isinstance(method, str) else method


def _half(ranks):
    """Half of the 95% interval of each mean rank, over datasets."""
    from fedreact.figures.style import interval

    return interval(ranks)[1]


def critical_difference(k: int, n: int) -> float:
    """Nemenyi's, at 5%, of mean ranks of ``k`` methods over ``n`` datasets."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(0.95, k, float("inf")))
    return q / 2**0.5 * (k * (k + 1) / (6 * n)) ** 0.5


FIGURE = Ranks
