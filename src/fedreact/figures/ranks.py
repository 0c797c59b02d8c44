"""Ranks of methods over datasets, and which differ significantly from each other (in no paper)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedreact.figures.contract import Ask, Drawing, Entries, FigureKind, Scores
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

ALPHA = 0.05
"""Level of the tests."""


@dataclass(frozen=True)
class Ranks(FigureKind):
    """A row a method, the best first: its rank on each dataset, and its mean rank.

    Settings of one dataset are averaged first. Mean ranks have the 95% interval over datasets. Bars
    join methods of which no pair differs significantly (:func:`cliques`). The test counts each
    dataset once, however many seeds it has; a method that could not run on one of them has no rank.

    Attributes
    ----------
    settings
        A setting of each dataset by its label.
    methods
        By label: a name, or a mapping ``{method: ..., <change>: ...}``.
    metric
        By which methods are ranked, in the last round.
    table
        A table of the same paper with these settings: those with its flag "trivial predictor ahead"
        (:mod:`fedreact.tables.trivial`) do not count.
    """

    settings: dict[str, str]
    methods: dict[str, Any]
    metric: str = PRIMARY["classification"]
    table: str | None = None

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

    def inputs(self, ask: Ask) -> list[str]:
        """Ask for the table with the flags."""
        return [ask.table(self.table)] if self.table else []

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the ranks of methods that ran everywhere."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import panel_names, title_and_legend

        scores = self.scores(cells)
        flagged = [label for label in scores if label in self._flagged(files)]
        of_data = self.by_dataset(scores.drop(columns=flagged), cells)
        ranks = self.ranks(of_data)
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
        _draw_means(right, ranks, cliques(of_data.loc[ranks.index].to_numpy()))
        pairs = k * (k - 1) // 2
        note = (
            f"{n} datasets, {k} methods that ran on all of them. Bars join methods that do not"
            f" differ significantly (Wilcoxon, Holm over {pairs} pairs, {ALPHA:.0%})."
        )
        if 2 ** (1 - n) > ALPHA / pairs:
            note += f" With {n} datasets no pair of so many methods can."
        if flagged:
            note += f" Not counted, trivial predictor ahead: {'; '.join(flagged)}."
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

    def by_dataset(self, scores: "pd.DataFrame", cells: Scores) -> "pd.DataFrame":
        """Average scores ``[method, setting]`` over the settings of each dataset.

        A setting that is alone on its dataset keeps its label; several get the dataset's name.
        """
        import pandas as pd

        of_data: dict[str, list[str]] = {}
        for label in map(str, scores):
            lines = (cells[place] for place in cells if place[0] == label)
            data = next(str(one["data"].iloc[0]) for one in lines if len(one))
            of_data.setdefault(data.split("+")[0], []).append(label)
        named = {
            labels[0] if len(labels) == 1 else f"{data}, {len(labels)} settings": labels
            for data, labels in of_data.items()
        }
        # A method without a score on one of the settings has none on the dataset.
        means = {name: scores[labels].mean(axis=1, skipna=False) for name, labels in named.items()}
        return pd.DataFrame(means, index=scores.index)

    def _flagged(self, files: list[Path]) -> set[str]:
        """Return the settings that have the flag of the table by the metric."""
        from fedreact.tables import cells
        from fedreact.tables.trivial import flagged_labels

        labels = flagged_labels(cells.read(files[0])) if self.table else set()
        return {label for label, metric in labels if metric == self.metric}

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


def _draw_means(axes: "Axes", ranks: "pd.DataFrame", joined: list[tuple[int, int]]) -> None:
    """Draw mean ranks, and a bar beside each group of methods, given by its first and last."""
    import numpy as np

    from fedreact.figures.style import interval

    k = len(ranks)
    means, half_width = interval(ranks)
    low, high = np.maximum(means - half_width, 1), np.minimum(means + half_width, k)
    axes.hlines(np.arange(k), low, high, color="black", linewidth=1)
    axes.plot(means, np.arange(k), "o", color="black", markersize=3.5)
    places = k + 0.03 * k * (1 + np.arange(len(joined)))
    for place, (first, last) in zip(places, joined):
        axes.vlines(place, first - 0.25, last + 0.25, color="#777777", linewidth=2)
    axes.set_xlim(0.5, max([k + 0.5, *(places + 0.03 * k)]))
    axes.set_xlabel("Mean rank (1 is best), 95% interval", fontsize="small")
    axes.tick_params(axis="x", labelsize="small")
    axes.tick_params(axis="y", length=0, labelleft=False)
    axes.grid(axis="x", linewidth=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)


def cliques(scores: "np.ndarray") -> list[tuple[int, int]]:
    """Return groups of methods of which no pair differs significantly.

    Wilcoxon's signed-rank test compares each pair over datasets, and Holm's correction bounds the
    error over all pairs (Benavoli, Corani and Mangili 2016, J. Mach. Learn. Res. 17:5).

    Parameters
    ----------
    scores
        ``[method, dataset]``, the methods in the order of their mean ranks.

    Returns
    -------
    list
        Places of the first and last method of each group of two or more that is in no larger one.
    """
    from itertools import combinations

    from scipy.stats import wilcoxon

    k = len(scores)
    p = {
        (i, j): float(wilcoxon(scores[i], scores[j]).pvalue) if any(scores[i] != scores[j]) else 1.0
        for i, j in combinations(range(k), 2)
    }
    differ: set[tuple[int, int]] = set()
    for tested, pair in enumerate(sorted(p, key=lambda pair: p[pair])):
        if p[pair] > ALPHA / (len(p) - tested):
            break
        differ.add(pair)
    groups: list[tuple[int, int]] = []
    for first in range(k):
        last = first
        while last + 1 < k and not any((i, last + 1) in differ for i in range(first, last + 1)):
            last += 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


FIGURE = Ranks
