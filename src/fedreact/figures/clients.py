"""Clusters of clients over the rounds, and the spread of scores over clients (in no paper)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fedreact.figures.contract import Drawing, Entries, FigureKind, Scores, each_method
from fedreact.metrics.contract import PRIMARY

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

TENTH, QUARTILES = 10, (25, 50, 75)
NAMED = 40
"""Clients, at most, whose names fit beside a panel."""


@dataclass(frozen=True)
class ClientOverview(FigureKind):
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

    def cells(self) -> Entries:
        """Return each method."""
        return each_method({"": self.setting}, self.curves)

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw a panel of clusters a method, and below a line of scores each."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import heading, seeds_of
        from fedreact.metrics.grammar import load_metric

        records = {label: client_records(lines) for (_, label), lines in cells.items()}
        grouped = [label for label, seeds in records.items() if _grouped(seeds[0]["cluster"])]
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        n = seeds_of(cells)
        heading(figure, f"{title}, {n} seed{'s' if n > 1 else ''}")
        above, below = figure.subfigures(2, 1, height_ratios=(1.25, 1), squeeze=False)[:, 0]
        heading(above, "Cluster of each client (colour) in the first seed")
        panels = above.subplots(1, max(1, len(grouped)), squeeze=False)[0]
        for axes, label in zip(panels, grouped):
            _draw_clusters(axes, records[label][0])
            axes.set_title(label, fontsize="small")
        known = grouped and (records[grouped[0]][0]["true_cluster"] >= 0).any()
        panels[0].set_ylabel("Clients, by true cluster" if known else "Clients", fontsize="small")
        _draw_scores(below.subplots(), records, load_metric(self.metrics[0]).title)
        return figure


Record = dict[str, "np.ndarray"]
"""Arrays of the clients of one method in one seed, by name; ``metric`` is that of the scores, and
``name`` are the clients' names, if they have some."""


def client_records(
    lines: "pd.DataFrame",
    names: Sequence[str] = ("round", "score", "cluster", "true_cluster"),
) -> list[Record]:
    """Read what is kept of the clients of a cell, given its lines: these arrays for each seed.

    Raises
    ------
    UserError
        Nothing is kept beside the scores, or not all of these arrays.
    """
    from fedreact.errors import UserError
    from fedreact.kinds import client_records

    records = []
    for file, method in lines.sort_values("seed")[["file", "method"]].drop_duplicates().to_numpy():
        arrays = client_records.read(Path(file))
        if arrays is None:
            raise UserError(f"{file}: there is no record of its clients beside it")
        if lacking := [name for name in names if name not in arrays]:
            raise UserError(f"{file}: nothing is kept of clients' {lacking[0]}")
        own = arrays["method"] == method
        record = {name: arrays[name][own] for name in names}
        about = {key: arrays[key] for key in ("metric", "name") if key in arrays}
        records.append(record | about)
    return records


def _grouped(clusters: "np.ndarray") -> bool:
    """Return whether some clients share a cluster: alone, each would have its colour."""
    return any(len(set(labels)) < len(labels) for labels in clusters if (labels >= 0).all())


def _draw_clusters(axes: "Axes", record: Record) -> None:
    """Draw the cluster of each client over the rounds, a line between true clusters."""
    from matplotlib.colors import ListedColormap
    from matplotlib.ticker import MaxNLocator

    from fedreact.figures.style import COLOURS

    clusters, order, ends = _over_time(record)
    # Readers can distinguish so many colours; then they come again.
    values = [
        [label % len(COLOURS) if label >= 0 else label for label in client]
        for client in clusters[:, order].T
    ]
    axes.imshow(
        values,
        aspect="auto",
        interpolation="none",
        extent=(0.5, len(clusters) + 0.5, len(order) - 0.5, -0.5),
        cmap=ListedColormap(["#eeeeee", *COLOURS]),
        vmin=-1,
        vmax=len(COLOURS),
    )
    for end in ends[:-1]:
        axes.axhline(end - 0.5, color="white", linewidth=2)
    axes.set_xlabel("Round", fontsize="small")
    axes.set_yticks([])
    axes.tick_params(labelsize="small")
    if "name" in record and len(order) <= NAMED:
        axes.set_yticks(range(len(order)), record["name"][order], fontsize=5)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def _over_time(record: Record) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Give clusters the same names in all rounds, and sort clients by their true cluster.

    Returns
    -------
    tuple
        Clusters ``[R, K]``, the order of the clients ``[K]``, and where each true cluster ends in
        this order.
    """
    import numpy as np

    from fedreact.aggregation.clusters import match_labels

    rounds, before = [], None
    for labels in record["cluster"].astype(int):
        before = match_labels(labels, before)
        rounds.append(before)
    true = record["true_cluster"][-1]
    order = np.argsort(true, kind="stable")
    return np.stack(rounds), order, np.cumsum(np.unique(true, return_counts=True)[1])


def _draw_scores(axes: "Axes", records: Mapping[str, list[Record]], measured: str) -> None:
    """Draw a line of marks a method: how its clients' means over rounds spread."""
    grey = "#555555"  # colours are clusters
    for i, seeds in enumerate(records.values()):
        low, worst, quarter, median, upper, high = _spread(seeds)
        axes.plot([low, high], [i, i], color=grey, linewidth=1)
        axes.plot([quarter, upper], [i, i], color=grey, linewidth=6, solid_capstyle="butt")
        axes.plot(median, i, "|", color="white", markersize=8, markeredgewidth=2)
        axes.plot(worst, i, "v", color=grey, markersize=6)
    axes.set_yticks(range(len(records)), list(records), fontsize="small")
    axes.set_ylim(len(records) - 0.5, -0.5)
    axes.tick_params(axis="x", labelsize="small")
    axes.set_xlabel(
        f"{measured}, each client's mean over rounds\n"
        "line: range; bar: quartiles; stroke: median; triangle: mean of the lowest tenth",
        fontsize="small",
    )
    axes.spines[["top", "right"]].set_visible(False)


def _spread(seeds: list[Record]) -> tuple[float, ...]:
    """Return the least, mean of the lowest tenth, quartiles and largest of clients' means."""
    import numpy as np

    means = [np.nanmean(record["score"], axis=0) for record in seeds]
    means = [mean[~np.isnan(mean)] for mean in means]
    worst = np.mean([np.sort(mean)[: -(-len(mean) // TENTH)].mean() for mean in means])
    pooled = np.concatenate(means)
    return pooled.min(), worst, *np.percentile(pooled, QUARTILES), pooled.max()


FIGURE = ClientOverview
