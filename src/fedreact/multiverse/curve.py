"""Specification curves: the effect of a claim in all universes, and what each universe chooses.

Simonsohn, Simmons and Nelson (2020, Nat. Hum. Behav. 4:1208).
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from fedreact.multiverse.universe import Choice

COLOURS = {"holds": "#0072B2", "negligible": "#A6D0EC", "reversed": "#D55E00"}


def shares(effect: np.ndarray, margin: float) -> dict[str, float]:
    """Shares of universes in which a claim holds, is negligible, or is reversed."""
    n = len(effect)
    holds, turned = (effect > margin).sum() / n, (effect < -margin).sum() / n
    return {"holds": holds, "negligible": 1 - holds - turned, "reversed": turned}


def draw(
    effect: np.ndarray,
    places: np.ndarray,
    choices: Sequence[Choice],
    margin: float,
    published: float | None,
    title: str,
) -> Figure:
    """Draw the sorted effects, the published one as a line, and below them the choices.

    Parameters
    ----------
    effect
        ``[n]``, positive as claimed.
    places
        ``int [n, k]``: universes.
    choices
        What is varied; the darker a mark, the later the value in its list.
    margin
        Smaller effects are negligible.
    published
        Effect that the paper prints, if any.
    title
        Above the figure.
    """
    order = np.argsort(effect, kind="stable")
    x, y = np.arange(len(effect)), effect[order]
    figure = Figure(figsize=(7.5, 3.2 + 0.2 * len(choices)), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3.0, 0.2 * len(choices) + 0.2])
    of = np.where(y > margin, "holds", np.where(y < -margin, "reversed", "negligible"))
    for name, share in shares(effect, margin).items():
        here = of == name
        label = f"{name}: {100 * share:.0f}%"
        above.scatter(x[here], y[here], s=5, color=COLOURS[name], label=label, linewidths=0)
    above.axhline(0, color="#777777", linewidth=0.8)
    if published is not None:
        above.axhline(published, color="black", linestyle="--", linewidth=1, label="published")
    above.set_ylabel("difference")
    above.legend(frameon=False, fontsize="small", loc="upper left")
    above.set_title(title, fontsize="small", loc="left")
    scaled = np.stack(
        [places[order, i] / (len(choice.values) - 1) for i, choice in enumerate(choices)]
    )
    below.imshow(scaled, aspect="auto", cmap="Greys", vmin=-0.3, vmax=1.1, interpolation="nearest")
    below.set_yticks(range(len(choices)), [one.name.rpartition(".")[2] for one in choices])
    below.tick_params(axis="y", labelsize=7, length=0)
    below.set_xlabel(
        "universes, by their difference; below: what each chooses, later values darker"
    )
    return figure
