"""Ranks of methods over datasets, and how far apart they must be to be told apart (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY


@dataclass(frozen=True)
class Ranks(FigureKind):
    """A line a method, the best first: its rank on each dataset, their mean with its interval.

    The bar above is the critical difference of Nemenyi's test (Demsar 2006, J. Mach. Learn. Res.
    7:1): mean ranks that are closer cannot be told apart at 5%. It looks at datasets alone, of
    which each counts once, however many seeds it has; a method that could not run on one of them
    has no rank.

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
        """The one that it is told."""
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

        from fedreact.figures.style import COLOURS

        scores = self.scores(cells)
        wide = self.ranks(scores)
        n, k = wide.shape[1], len(wide)
        figure = Figure(figsize=(7, 1.6 + 0.22 * max(k, 4)), layout="constrained")
        axes = figure.subplots()
        told = f"{title}\n{n} rows of the table, {k} methods that ran on all of them"
        figure.suptitle(told, fontsize="small", x=0.01, ha="left")
        if n < 2 or k < 2:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "Ranks need two methods on two datasets.", ha="center")
            return figure
        means, half = wide.mean(axis=1), _half(wide)
        for i, name in enumerate(wide.columns):
            colour = COLOURS[i % len(COLOURS)]
            mark = "osD^vPXd*h"[i % 10]
            look = {"color": colour, "markersize": 3.5, "alpha": 0.75, "linestyle": "none"}
            axes.plot(wide[name], np.arange(k), mark, label=name, **look)
        low, high = np.maximum(means - half, 1), np.minimum(means + half, k)
        axes.hlines(np.arange(k), low, high, color="black", linewidth=1)
        axes.plot(means, np.arange(k), "|", color="black", markersize=11, markeredgewidth=2)
        gap = critical_difference(k, n)
        shown = min(gap, k - 1)
        axes.plot([1, 1 + shown], [-1.5, -1.5], color="black", linewidth=2, marker="|")
        more = "" if gap <= k - 1 else ", more than all ranks span"
        axes.text(1, -2.3, f"critical difference {gap:.1f}{more}", fontsize=7)
        axes.set_yticks(np.arange(k), list(wide.index), fontsize=7)
        axes.set_ylim(k - 0.4, -3.2)
        axes.set_xlim(0.5, k + 0.5)
        axes.set_xlabel(
            "Rank (1 is best); stroke and line: mean and 95% interval", fontsize="small"
        )
        axes.tick_params(axis="x", labelsize="small")
        axes.grid(axis="x", linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        look = {"fontsize": 6.5, "frameon": False, "ncols": 3}
        figure.legend(loc="outside lower center", **look)
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
        from fedreact import plugins

        lower = plugins.load("metrics", self.metric, "METRIC").better == "lower"
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
