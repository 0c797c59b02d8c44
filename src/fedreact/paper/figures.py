"""Figures of the papers, drawn from the same files as the tables."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

# Okabe and Ito's colours, told apart by the colour-blind too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]


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


def rand_score(scores: pd.DataFrame, curves: dict[str, str], title: str) -> Figure:
    """Rand score over the rounds (Figs. 7 and 8): mean over seeds, band of its 95% interval.

    Parameters
    ----------
    scores
        A line a round: ``seed, method, round, rand``, of one setting.
    curves
        Method by label.
    """
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.subplots()
    for (label, method), colour in zip(curves.items(), COLOURS):
        wide = scores[scores["method"] == method].pivot(
            index="round", columns="seed", values="rand"
        )
        mean = wide.mean(axis=1)
        axes.plot(mean.index, mean, color=colour, label=label, linewidth=1.5)
        if (n := wide.shape[1]) > 1:
            half = stats.t.ppf(0.975, n - 1) * wide.std(axis=1, ddof=1) / n**0.5
            low, high = (mean - half).clip(0, 1), (mean + half).clip(0, 1)
            axes.fill_between(mean.index, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.set(xlabel="Communication round", ylabel="Rand score", ylim=(None, 1.02))
    axes.set_title(title, fontsize="small", loc="left")
    axes.margins(x=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    return figure


def save(figure: Figure, pdf: Path, png: Path) -> None:
    """Write both formats without dates, so that the same figure gives the same bytes."""
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    figure.savefig(png, format="png", dpi=200, metadata={"Software": None})
