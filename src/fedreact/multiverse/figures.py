"""Figures of the multiverse: a specification curve, indices, and effects over one choice.

Specification curves are those of Simonsohn, Simmons and Nelson (2020, Nat. Hum. Behav. 4:1208).
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fedreact.errors import UserError
from fedreact.multiverse.summary import Design, SettingClaim, effects, shares

COLOURS = {"holds": "#0072B2", "negligible": "#A6D0EC", "reversed": "#D55E00"}
PAIRS = 6
"""Pairs of choices that the figure of indices shows."""
PANELS = 3
"""Panels in a row."""


def curve(
    universes: pd.DataFrame,
    design: Design,
    name: str,
    setting: str,
    scale: str,
    width: float = 7.5,
) -> Figure:
    """Draw the sorted effects of a claim, the published one as a line, and below the choices.

    Effects of tuned universes are a line over the drawn ones, by their own ranks. The figure has a
    ``width`` in inches.
    """
    claims = [one for one in design.claims if (one.claim, one.setting) == (name, setting)]
    if not claims:
        raise UserError(f"{name} compares nothing on {setting}")
    (claim,) = claims
    effect, places = effects(universes, design, claim, "drawn")
    tuned, _ = effects(universes, design, claim, "tuned")
    order = np.argsort(effect, kind="stable")
    x, y = np.arange(len(effect)), effect[order]
    size = (width, 3.2 + 0.2 * len(design.choices))
    figure = Figure(figsize=size, dpi=200, layout="constrained")
    ratios = [3.0, 0.2 * len(design.choices) + 0.2]
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
    margin = claim.margin
    outcome = np.where(y > margin, "holds", np.where(y < -margin, "reversed", "negligible"))
    for kind, share in shares(effect, margin).items():
        here = outcome == kind
        label = f"{kind}: {100 * share:.0f}%"
        above.scatter(x[here], y[here], s=5, color=COLOURS[kind], label=label, linewidths=0)
    if len(tuned) > 1:
        ranks = np.linspace(0, len(effect) - 1, len(tuned))
        label = f"each method at its best ({len(tuned)} universes)"
        above.plot(ranks, np.sort(tuned), color="#009E73", linewidth=1.2, label=label)
    above.axhline(0, color="#777777", linewidth=0.8)
    if claim.published is not None:
        above.axhline(
            claim.published, color="black", linestyle="--", linewidth=1, label="published"
        )
    above.set_ylabel(f"difference in {design.metric}")
    above.legend(frameon=False, fontsize="small", loc="upper left")
    title = f"{claim.text}\n{setting}, {len(effect)} universes, scale {scale}"
    above.set_title(title, fontsize="small", loc="left")
    places = places[order]
    marks = [places[:, i] / (len(choice.values) - 1) for i, choice in enumerate(design.choices)]
    below.imshow(
        np.stack(marks),
        aspect="auto",
        interpolation="nearest",
        cmap="Greys",
        vmin=-0.3,
        vmax=1.1,
    )
    below.set_yticks(range(len(design.choices)), list(design.labels.values()))
    below.tick_params(axis="y", labelsize=7, length=0)
    below.set_xlabel(
        "universes, by their difference; below, what each chooses: later values darker"
    )
    return figure


def matrix(
    matters: pd.DataFrame,
    pairs: pd.DataFrame,
    design: Design,
    title: str,
    width: float | None = None,
) -> Figure:
    """Draw indices of choices and of the strongest pairs, a column for each claim and setting.

    A cell has the total index, and the first-order index in brackets. Each column says how much of
    the variance the surrogate explains. Without a ``width`` in inches it grows with the columns.
    """
    if matters.empty:
        figure = Figure(figsize=(6, 1), layout="constrained")
        figure.suptitle(f"{title}: too few universes", fontsize="small")
        return figure
    labels = matters["choice"].map(design.labels)
    wide, first = (_wide(matters, labels, value) for value in ("total", "first"))
    wide = wide.loc[wide.mean(axis=1).sort_values(ascending=False, kind="stable").index]
    alone = first.loc[wide.index].to_numpy()
    explained = matters.drop_duplicates(["claim", "setting"])["explained"]
    names = pairs["choice"].map(design.labels) + " x " + pairs["other"].map(design.labels)
    both = _wide(pairs, names, "both")[wide.columns]
    both = both.loc[both.mean(axis=1).sort_values(ascending=False, kind="stable").index[:PAIRS]]
    size = (width or 3.6 + 0.75 * wide.shape[1], 2.6 + 0.26 * (len(wide) + len(both)))
    figure = Figure(figsize=size, dpi=200, layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[len(wide), len(both)])
    for axes, part, more in ((above, wide, alone), (below, both, None)):
        axes.imshow(part, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (i, j), value in np.ndenumerate(part.to_numpy()):
            ink = "white" if value > 0.6 else "black"
            beside = "" if more is None else f" ({more[i, j]:.2f})"
            axes.text(
                j,
                i,
                f"{value:.2f}{beside}".replace("-0.00", "0.00"),
                ha="center",
                va="center",
                fontsize=7,
                color=ink,
            )
        axes.set_yticks(range(len(part)), part.index, fontsize=7)
        axes.tick_params(length=0)
    columns = [f"{name}\n({fit:.2f} explained)" for name, fit in zip(wide.columns, explained)]
    below.set_xticks(range(wide.shape[1]), columns, fontsize=7, rotation=40, ha="right")
    above.set_title(
        f"{title}\nTotal index of each choice (in brackets: first-order)",
        fontsize="small",
        loc="left",
    )
    below.set_title("Two choices together, beyond each alone", fontsize="small", loc="left")
    return figure


def _wide(lines: pd.DataFrame, names: pd.Series, value: str) -> pd.DataFrame:
    """Arrange values in a row for each name and a column for each claim and setting."""
    lines = lines.assign(row=names, column=lines["claim"] + ",\n" + lines["setting"])
    order = lines["column"].unique()
    return lines.pivot(index="row", columns="column", values=value).astype(float)[order]


def over(table: pd.DataFrame, design: Design, title: str) -> Figure:
    """Draw median effects and their quartiles over the values of one choice, a panel a claim."""
    drawn = [one for one in design.claims if _of(table, one).shape[0]]
    if not drawn:
        figure = Figure(figsize=(6, 1), layout="constrained")
        figure.suptitle(f"{title}: nothing to show", fontsize="small")
        return figure
    rows = -(-len(drawn) // PANELS)
    size = (2.9 * PANELS, 0.5 + 2.3 * rows)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, PANELS, squeeze=False).flat
    for claim, axes in zip(drawn, panels):
        lines = _of(table, claim)
        x = np.arange(len(lines))
        axes.fill_between(x, lines["low"], lines["high"], color="#A6D0EC", linewidth=0)
        axes.plot(x, lines["median"], color="#0072B2", marker="o", markersize=3)
        axes.axhline(0, color="#777777", linewidth=0.8)
        if claim.published is not None:
            axes.axhline(claim.published, color="black", linestyle="--", linewidth=1)
        axes.set_xticks(x, lines["value"])
        axes.set_title(f"{claim.claim}\n{claim.setting}", fontsize=7, loc="left")
        axes.tick_params(labelsize=7)
    for axes in list(panels):
        axes.set_axis_off()
    figure.supxlabel(design.labels[design.over], fontsize="small")
    figure.supylabel(f"difference in {design.metric}", fontsize="small")
    figure.suptitle(
        f"{title}\nMedian of universes and their quartiles; dashed: published", fontsize="small"
    )
    return figure


def _of(table: pd.DataFrame, claim: SettingClaim) -> pd.DataFrame:
    """Return the lines of a claim on its setting."""
    same = (table["claim"] == claim.claim) & (table["setting"] == claim.setting)
    return table[same]
