"""What universes say of claims: effects, shares, indices, and the figures of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from fedreact.errors import UserError
from fedreact.multiverse import curve
from fedreact.multiverse.curve import shares
from fedreact.multiverse.indices import indices
from fedreact.multiverse.universe import Choice, draw

FEWEST = 30
"""Universes below which no indices are estimated."""


def choices_of(given: Sequence[Mapping[str, Any]]) -> list[Choice]:
    """Read choices as the workflow names them."""
    return [Choice(of["name"], tuple(of["values"]), of["taken"]) for of in given]


def read(files: Sequence[Path]) -> pd.DataFrame:
    """Read what universes gave; the folder of a file is its setting."""
    return pd.concat(
        [pd.read_csv(file).assign(setting=file.parent.name) for file in files], ignore_index=True
    )


def effect(scores: pd.DataFrame, claim: Mapping[str, Any], metric: str) -> pd.Series:
    """Mean difference of a claim's pairs of methods, by universe; positive as claimed."""
    wide = scores.pivot(index="universe", columns="method", values=metric)
    differences = [wide[left] - wide[right] for left, right in claim["pairs"]]
    return claim["sign"] * sum(differences) / len(differences)


def of_claim(
    scores: pd.DataFrame, shown: Mapping[str, Any], claim: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Effects ``[n]`` of a claim on its setting, and the universes ``int [n, k]`` they are of."""
    of = scores[scores["setting"] == claim["setting"]]
    found = effect(of, claim, shown["metric"]).dropna()
    choices, n = choices_of(shown["choices"]), shown["settings"][claim["setting"]]
    return found.to_numpy(), draw(choices, n, shown["seed"])[found.index.to_numpy()]


def table(
    scores: pd.DataFrame, shown: Mapping[str, Any], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sum up claims, and estimate what matters to each.

    Parameters
    ----------
    scores
        What :func:`read` gives.
    shown
        ``choices``, ``settings``, ``claims``, ``metric`` and ``seed``, as the workflow asks.
    seed
        Of the bootstrap.

    Returns
    -------
    tuple of pandas.DataFrame
        A line a claim and setting: number of universes, median effect and its 5% and 95%
        quantiles, shares by outcome, margin, published effect. And a line a claim, setting and
        choice: its indices, and the share of the variance that their surrogate explains.
    """
    choices = choices_of(shown["choices"])
    sizes, names = [len(one.values) for one in choices], [one.name for one in choices]
    lines, matters = [], []
    for claim in shown["claims"]:
        found, places = of_claim(scores, shown, claim)
        key = {"claim": claim["claim"], "setting": claim["setting"]}
        low, middle, high = np.quantile(found, (0.05, 0.5, 0.95))
        lines.append(
            key
            | {"universes": len(found), "median": middle, "low": low, "high": high}
            | shares(found, claim["margin"])
            | {"margin": claim["margin"], "published": claim["published"]}
        )
        if len(found) >= FEWEST:
            by_choice, _, fit = indices(places, sizes, found, seed)
            matters.append(by_choice.assign(choice=names, explained=fit, **key))
    columns = ["claim", "setting", "choice", *INDICES, "explained"]
    rest = pd.concat(matters) if matters else pd.DataFrame(columns=columns)
    return pd.DataFrame(lines), rest[columns]


INDICES = ["first", "first_low", "first_high", "total", "total_low", "total_high"]


def markdown(
    claims: pd.DataFrame, matters: pd.DataFrame, shown: Mapping[str, Any], scale: str
) -> str:
    """Write what claims come to over the universes, and the choices that matter most."""
    texts = {one["claim"]: one["text"] for one in shown["claims"]}
    out = [f"# Claims over {len(shown['choices'])} open choices, scale {scale}", "", HOW, ""]
    out += ["| claim | setting | universes | median (5% to 95%) | published | holds | negligible "]
    out[-1] += "| reversed | what matters most (total index) |"
    out.append("|---" * 9 + "|")
    for line in claims.to_dict("records"):
        here = (matters["claim"] == line["claim"]) & (matters["setting"] == line["setting"])
        most = matters[here].astype({"total": float}).nlargest(3, "total")
        why = ", ".join(f"{c} {t:.2f}" for c, t in zip(most["choice"], most["total"]))
        published = line["published"]
        cells = [
            *(texts[line["claim"]], line["setting"], str(line["universes"])),
            f"{line['median']:+.3f} ({line['low']:+.3f} to {line['high']:+.3f})",
            "none" if published is None or np.isnan(published) else f"{published:+.3f}",
            *(f"{100 * line[name]:.0f}%" for name in ("holds", "negligible", "reversed")),
            why or "too few universes",
        ]
        out.append(f"| {' | '.join(cells)} |")
    out += ["", "| choice | values, the default in bold |", "|---|---|"]
    for one in choices_of(shown["choices"]):
        values = [f"**{v}**" if i == one.taken else str(v) for i, v in enumerate(one.values)]
        out.append(f"| `{one.name}` | {', '.join(values)} |")
    return "\n".join(out) + "\n"


HOW = """\
Exploratory. A universe is one value for each choice that the paper leaves open, drawn evenly; all \
methods of a universe run on the same clients and samples. A share of universes means as much as \
the ranges of the choices. A claim holds in a universe if its difference is larger than the \
margin, and is reversed if it is smaller than minus the margin. A total index is the share of the \
variance between universes in which a choice has a part, by itself or together with others."""


def curve_of(
    scores: pd.DataFrame, shown: Mapping[str, Any], name: str, setting: str, scale: str
) -> Figure:
    """Draw the specification curve of a claim on a setting."""
    wanted = [one for one in shown["claims"] if (one["claim"], one["setting"]) == (name, setting)]
    if not wanted:
        raise UserError(f"{name} compares nothing on {setting}")
    (claim,) = wanted
    found, places = of_claim(scores, shown, claim)
    title = f"{claim['text']}\n{setting}, {len(found)} universes, scale {scale}"
    how = (choices_of(shown["choices"]), claim["margin"], claim["published"], title)
    return curve.draw(found, places, *how)


def matrix(matters: pd.DataFrame, title: str) -> Figure:
    """Draw total indices, a row a choice and a column a claim and setting."""
    if matters.empty:
        figure = Figure(figsize=(6, 1), layout="constrained")
        figure.suptitle(f"{title}: too few universes", fontsize="small")
        return figure
    wide = matters.assign(of=matters["claim"] + ", " + matters["setting"])
    wide = wide.pivot(index="choice", columns="of", values="total")
    wide = wide.loc[wide.mean(axis=1).sort_values(ascending=False).index]
    size = (3.0 + 0.9 * wide.shape[1], 2.4 + 0.26 * len(wide))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.imshow(wide, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for i, row in enumerate(wide.to_numpy()):
        for j, value in enumerate(row):
            ink = "white" if value > 0.6 else "black"
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axes.set_yticks(range(len(wide)), wide.index, fontsize=7)
    axes.set_xticks(range(wide.shape[1]), wide.columns, fontsize=7, rotation=45, ha="right")
    axes.set_title(title, fontsize="small", loc="left")
    return figure
