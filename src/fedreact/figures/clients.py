"""Who is with whom over the rounds, and how scores spread over clients (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fedreact.figures.contract import FigureKind
from fedreact.metrics.contract import PRIMARY

TENTH, QUARTILES = 10, (25, 50, 75)


@dataclass(frozen=True)
class Clients(FigureKind):
    """Clusters of each client over the rounds of the first seed; below, scores of clients.

    Attributes
    ----------
    setting
        A setting.
    curves
        Method by label; those without one cluster for each client, or with each client alone, have
        no panel.
    """

    setting: str
    curves: dict[str, str]
    metrics: ClassVar[tuple[str, ...]] = (PRIMARY["classification"],)

    def cells(self):
        """Each method."""
        return {
            ("", label): {"setting": self.setting, "method": method}
            for label, method in self.curves.items()
        }

    def draw(self, title, cells, files):
        """Draw a panel of clusters a method, and below a line of scores each."""
        from matplotlib.colors import ListedColormap
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        from fedreact.figures.style import COLOURS, seeds_of
        from fedreact.metrics.grammar import load_metric

        kept = {label: kept_of_clients(lines) for (_, label), lines in cells.items()}
        shown = [label for label, seeds in kept.items() if _grouped(seeds[0]["cluster"])]
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        n, look = seeds_of(cells), {"fontsize": "small", "x": 0.01, "ha": "left"}
        figure.suptitle(f"{title}, {n} seed{'s' if n > 1 else ''}", **look)
        above, below = figure.subfigures(2, 1, height_ratios=(1.25, 1))
        above.suptitle("Cluster of each client (colour) in the first seed", **look)
        for axes, label in zip(above.subplots(1, max(1, len(shown)), squeeze=False)[0], shown):
            found, order, ends = _over_time(kept[label][0])
            # Readers can distinguish so many colours; then they come again.
            look = {"cmap": ListedColormap(["#eeeeee", *COLOURS]), "vmin": -1, "vmax": len(COLOURS)}
            values = found[:, order].T
            values = [[v % len(COLOURS) if v >= 0 else v for v in row] for row in values]
            extent = (0.5, len(found) + 0.5, len(order) - 0.5, -0.5)
            axes.imshow(values, aspect="auto", interpolation="none", extent=extent, **look)
            for end in ends[:-1]:
                axes.axhline(end - 0.5, color="white", linewidth=2)
            axes.set_title(label, fontsize="small")
            axes.set_xlabel("Round", fontsize="small")
            axes.set_yticks([])
            axes.tick_params(labelsize="small")
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
        known = shown and (kept[shown[0]][0]["true_cluster"] >= 0).any()
        label = "Clients, by true cluster" if known else "Clients"
        above.axes[0].set_ylabel(label, fontsize="small")
        axes, grey = below.subplots(), "#555555"  # colours are clusters
        for i, seeds in enumerate(kept.values()):
            low, worst, quarter, median, upper, high = _spread(seeds)
            axes.plot([low, high], [i, i], color=grey, linewidth=1)
            axes.plot([quarter, upper], [i, i], color=grey, linewidth=6, solid_capstyle="butt")
            axes.plot(median, i, "|", color="white", markersize=8, markeredgewidth=2)
            axes.plot(worst, i, "v", color=grey, markersize=6)
        measured = load_metric(self.metrics[0]).title
        axes.set_yticks(range(len(kept)), list(kept), fontsize="small")
        axes.set_ylim(len(kept) - 0.5, -0.5)
        axes.tick_params(axis="x", labelsize="small")
        axes.set_xlabel(
            f"{measured}, each client's mean over rounds\n"
            "line: range; bar: quartiles; stroke: median; triangle: mean of the lowest tenth",
            fontsize="small",
        )
        axes.spines[["top", "right"]].set_visible(False)
        return figure


def kept_of_clients(lines, names=("round", "score", "cluster", "true_cluster")):
    """What is kept of the clients of a cell, given its lines: a mapping of arrays a seed.

    ``metric`` is what scores are of.
    """
    from fedreact.errors import UserError
    from fedreact.kinds import client_records

    found = []
    for file, method in lines.sort_values("seed")[["file", "method"]].drop_duplicates().to_numpy():
        beside = client_records.read(Path(file))
        if beside is None:
            raise UserError(f"{file}: there is no record of its clients beside it")
        at = beside["method"] == method
        if lacking := [name for name in names if name not in beside]:
            raise UserError(f"{file}: nothing is kept of clients' {lacking[0]}")
        kept = {name: beside[name][at] for name in names}
        found.append(kept | {"metric": str(beside["metric"])})
    return found


def _grouped(clusters):
    """Whether some clients are in a cluster with others: alone, each would have its colour."""
    return any(len(set(of)) < len(of) for of in clusters if (of >= 0).all())


def _over_time(of_seed):
    """Clusters ``[R, K]`` that keep their names over the rounds, and clients by true cluster.

    The second is their order, the third where each true cluster ends in it.
    """
    import numpy as np

    from fedreact.aggregation.clusters import match_labels

    rounds, before = [], None
    for labels in of_seed["cluster"].astype(int):
        before = match_labels(labels, before)
        rounds.append(before)
    true = of_seed["true_cluster"][-1]
    order = np.argsort(true, kind="stable")
    return np.stack(rounds), order, np.cumsum(np.unique(true, return_counts=True)[1])


def _spread(seeds):
    """Least, mean of the lowest tenth, quartiles and largest of clients' means over rounds."""
    import numpy as np

    means = [np.nanmean(of["score"], axis=0) for of in seeds]
    means = [mean[~np.isnan(mean)] for mean in means]
    worst = np.mean([np.sort(mean)[: -(-len(mean) // TENTH)].mean() for mean in means])
    pooled = np.concatenate(means)
    return pooled.min(), worst, *np.percentile(pooled, QUARTILES), pooled.max()


FIGURE = Clients
