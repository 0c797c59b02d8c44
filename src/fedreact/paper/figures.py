"""Figures of the papers, drawn from the same files as the tables."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.special import stdtrit

from fedreact.clustering.n_clusters import elbow

# Okabe and Ito's colours, told apart by the colour-blind too; line styles for print without colour.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
STYLES = {
    "fed-react-a1": ("#0072B2", "-", "o"),
    "fed-react-a2": ("#56B4E9", "-", "s"),
    "fed-react-a3": ("#000000", "-", "D"),
    "ec-mma": ("#0072B2", "--", "^"),
    "sc-mma": ("#D55E00", "--", "v"),
    "ifca": ("#009E73", "-.", "P"),
    "flsc": ("#E69F00", "-.", "X"),
    "flacc": ("#CC79A7", ":", "d"),
    "local": ("#999999", ":", "x"),
    "oracle-a1": ("#000000", ":", "*"),
    "oracle-fedavg": ("#000000", "-.", "<"),
}
"""Colour, line and marker of each method, the same in all figures."""


def style(method: str, i: int) -> tuple[str, str, str]:
    """Look of a method; the i-th of a figure that has none of its own gets a colour in turn."""
    return STYLES.get(method, (COLOURS[i % len(COLOURS)], "-", "o"))


def label_distribution(label_counts: np.ndarray, title: str) -> Figure:
    """Samples of each label in each cluster, ``label_counts [C, labels]`` (Fig. 2 in arXiv)."""
    figure = Figure(figsize=(6, 2.8), layout="constrained")
    axes = figure.subplots()
    C, n_labels = label_counts.shape
    width = 0.8 / C
    for c, counts in enumerate(label_counts):
        at = np.arange(n_labels) + (c - (C - 1) / 2) * width
        axes.bar(at, counts, width, color=COLOURS[c % len(COLOURS)], label=f"Cluster {c + 1}")
    axes.set(xlabel="Digit", ylabel="Samples", xticks=range(n_labels))
    axes.set_title(title, fontsize="small", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=C, loc="upper center", bbox_to_anchor=(0.5, -0.22))
    return figure


def rand_score(
    scores: pd.DataFrame, settings: dict[str, str], curves: dict[str, str], title: str
) -> Figure:
    """Rand score over the rounds: mean over seeds, band of its 95% interval.

    Parameters
    ----------
    scores
        A line a round: ``setting, seed, method, round, rand``.
    settings
        Setting by title of its panel.
    curves
        Method by label.
    """
    columns = min(2, len(settings))
    rows = -(-len(settings) // columns)
    size = (6, 3.2) if len(settings) == 1 else (3.6 * columns, 0.5 + 2.1 * rows)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axes, (panel, setting) in zip(panels, settings.items()):
        chosen = scores[scores["setting"] == setting]
        for i, (label, method) in enumerate(curves.items()):
            wide = chosen[chosen["method"] == method].pivot(
                index="round", columns="seed", values="rand"
            )
            colour, line, _ = style(method, i)
            mean, half = _interval(wide)
            axes.plot(mean.index, mean, line, color=colour, label=label, linewidth=1.5)
            low, high = (mean - half).clip(0, 1), (mean + half).clip(0, 1)
            axes.fill_between(mean.index, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set(ylim=(None, 1.02))
        axes.set_title(panel, fontsize="small")
        axes.margins(x=0.01)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[-columns:]:
        axes.set_xlabel("Communication round")
    for axes in panels[::columns]:
        axes.set_ylabel("Rand score")
    _title_and_legend(figure, panels[0], title, len(curves))
    return figure


def n_clusters(table: pd.DataFrame, score: str, title: str) -> Figure:
    """``wcss`` or ``silhouette`` over the number of clusters (Figs. 3 and 4 in arXiv).

    Parameters
    ----------
    table
        Lines ``seed, samples, n_clusters`` and the score; a curve for each number of samples, whose
        label tells the number of clusters that it points to.
    """
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.subplots()

    def chosen(mean):
        return elbow(mean.to_numpy()) if score == "wcss" else mean.idxmax()

    for i, (samples, part) in enumerate(table.dropna(subset=score).groupby("samples")):
        mean, half = _interval(part.pivot(index="n_clusters", columns="seed", values=score))
        marker = "osD^v<>"[i % 7]
        axes.errorbar(
            mean.index,
            mean,
            half.fillna(0),
            color=COLOURS[i % len(COLOURS)],
            marker=marker,
            markersize=4,
            linewidth=1.2,
            capsize=2,
            label=f"|M| = {samples}: {chosen(mean)}",
        )
    labels = {"wcss": "Within-cluster sum of squares", "silhouette": "Silhouette score"}
    axes.set(xlabel="Number of clusters", ylabel=labels[score])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.spines[["top", "right"]].set_visible(False)
    _title_and_legend(figure, axes, title, 5)
    return figure


def gain(
    scores: pd.DataFrame, settings: dict[str, str], curves: dict[str, str], over: str, title: str
) -> Figure:
    """Accuracy of methods less that of ``over``: mean over seeds of the difference by seed.

    Parameters
    ----------
    scores
        A line a round: ``setting, seed, method, accuracy``.
    settings
        Setting by label of its line.
    curves
        Method by label.
    """
    means = scores.groupby(["setting", "method", "seed"])["accuracy"].mean()
    figure = Figure(figsize=(7, 0.9 + 0.55 * len(settings)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(settings))[::-1]
    for i, (label, method) in enumerate(curves.items()):
        difference = pd.DataFrame(
            {
                setting: means[setting, method] - means[setting, over]
                for setting in settings.values()
            }
        ).T
        mean, half = _interval(difference)
        colour, _, marker = style(method, i)
        shift = 0.8 * (i - (len(curves) - 1) / 2) / len(curves)
        axes.errorbar(
            mean,
            places - shift,
            xerr=half.fillna(0),
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=5,
            capsize=2,
            linewidth=1,
            label=label,
        )
    axes.axvline(0, color="#666666", linewidth=0.8)
    for place in places[:-1]:
        axes.axhline(place - 0.5, color="#dddddd", linewidth=0.6)
    axes.set(xlabel="Difference in accuracy", yticks=places, yticklabels=list(settings))
    axes.set_ylim(-0.5, len(settings) - 0.5)
    axes.spines[["top", "right"]].set_visible(False)
    _title_and_legend(figure, axes, title, 3)
    return figure


def _interval(wide):
    """Mean over seeds (columns), and half of its 95% interval (NaN for one seed)."""
    n = wide.shape[1]
    half = stdtrit(max(n - 1, 1), 0.975) * wide.std(axis=1, ddof=1) / n**0.5
    return wide.mean(axis=1), half


def _title_and_legend(figure, axes, title, columns):
    figure.suptitle(title, fontsize="small", x=0.01, ha="left")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, frameon=False, ncols=columns, loc="outside lower center", fontsize="small"
    )


def save(figure: Figure, pdf: Path, png: Path) -> None:
    """Write both formats without dates, so that the same figure gives the same bytes."""
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    figure.savefig(png, format="png", dpi=200, metadata={"Software": None})
