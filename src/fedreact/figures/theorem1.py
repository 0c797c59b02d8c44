"""The study of Theorem 1: the measured regret beside the bound."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedreact.figures.contract import Drawing, FigureKind, Scores

if TYPE_CHECKING:
    import pandas as pd

LOOK: dict[str, dict[str, Any]] = {
    "measured": {"linestyle": "-", "linewidth": 1.3},
    "Theorem 1 at W": {"linestyle": "--", "linewidth": 1.1},
}


@dataclass(frozen=True)
class Theorem1(FigureKind):
    """Regret and Theorem 1's bound over the window, mean over seeds; bars are 95% intervals."""

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw lines ``seed, w, gamma, measured, bound, M, beta`` of the study."""
        import pandas as pd
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.ticker import NullLocator

        from fedreact.figures.style import COLOURS, heading, interval, with_seeds

        table = pd.concat([pd.read_csv(path) for path in files])
        title = with_seeds(title, table["seed"].nunique())
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        handles: list[Line2D] = []
        middle = (table["gamma"].nunique() - 1) / 2
        for i, (gamma, lines) in enumerate(table.groupby("gamma")):
            colour, marker = COLOURS[i % len(COLOURS)], "osD^v<>"[i % 7]
            mean, half_width = interval(lines.pivot(index="w", columns="seed", values="measured"))
            # Half an interval that reaches 0 has no place on a log scale: it ends at a tenth.
            bars = [half_width.clip(upper=0.9 * mean).fillna(0), half_width.fillna(0)]
            look: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4}
            apart = mean.index * 1.05 ** (i - middle)  # or the markers would hide each other
            axes.errorbar(apart, mean, bars, capsize=2, **look, **LOOK["measured"])
            bound = lines.groupby("w")["bound"].mean()
            axes.plot(bound.index, bound, color=colour, **LOOK["Theorem 1 at W"])
            handles.append(Line2D([], [], label=f"γ = {gamma:g}", **look, **LOOK["measured"]))
        certain = (table["beta"] * table["M"]).mean()
        axes.axhline(certain, color="#666666", linestyle=":", linewidth=1.2)
        handles += [Line2D([], [], color="black", label=name, **LOOK[name]) for name in LOOK]
        windows = sorted(table["w"].unique())
        axes.annotate(
            "βM: no model in the region exceeds it",
            (windows[0], certain),
            (0, -4),
            textcoords="offset points",
            va="top",
            fontsize="small",
            color="#444444",
        )
        axes.text(
            0.5, 0.42, _looseness(table), transform=axes.transAxes, ha="center", fontsize="small"
        )
        axes.set(xscale="log", yscale="log", xlabel="Window w")
        axes.set_ylabel("Mean over t of ‖∇S$_t$‖²")
        axes.set_xticks(windows, [str(w) for w in windows])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.spines[["top", "right"]].set_visible(False)
        heading(figure, title)
        figure.legend(
            handles=handles, frameon=False, ncols=3, loc="outside lower center", fontsize="small"
        )
        return figure


def _looseness(table: "pd.DataFrame") -> str:
    """Say how much larger the bound is than what was measured, and how often it holds."""
    means = table.groupby(["w", "gamma"])[["measured", "bound"]].mean()
    ratio = means["bound"] / means["measured"]
    holds = int((table["bound"] >= table["measured"]).sum())
    low, high = (f"{float(f'{r:.2g}'):,g}" for r in (ratio.min(), ratio.max()))
    looseness = f"The bound is {low} to {high} times the measured value"
    return f"{looseness}\nand holds in {holds} of {len(table)} runs"


FIGURE = Theorem1
