"""Rounds until methods are back where they were before an abrupt drift (in no paper)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.figures.contract import Drawing, Scores
from fedreact.figures.rounds import RoundCurves
from fedreact.options import Count, NonNegative, Probability

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BEFORE = 10
"""Rounds before the drift whose mean a method has to reach again."""


@dataclass(frozen=True)
class Recovery(RoundCurves):
    """A line of panels a setting: scores over rounds, and rounds from the drift until back.

    A method is back in the first round from which on some rounds have as high a mean as the ten
    rounds before the drift, less a margin. Means over seeds have 95% intervals. Seeds that are
    never back are counted beside the others.

    Attributes
    ----------
    after
        Share of the rounds before the drift.
    margin
        How far below its former score a method counts as back.
    over
        Rounds whose mean has to be that high.
    """

    after: Probability = 0.5
    margin: NonNegative = 0.01
    over: Count = 5

    def draw(self, title: str, cells: Scores, files: list[Path]) -> Drawing:
        """Draw the panels."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import panel_names, seeds_of, title_and_legend, with_seeds
        from fedreact.metrics.grammar import load_metric

        score, n = load_metric(self.score), len(self.settings)
        title = with_seeds(title, seeds_of(cells))
        figure = Figure(figsize=(7.2, 0.9 + 2.3 * n), layout="constrained")
        panels = figure.subplots(n, 2, squeeze=False, sharex="col", width_ratios=[1.5, 1])
        titles = panel_names(self.settings, cells)
        for (left, right), panel in zip(panels, self.settings):
            self._draw_panel(left, panel, cells, score.bounds)
            left.axvline(
                self._first(cells, panel) - 0.5, color="#666666", linestyle=":", linewidth=1
            )
            left.set_title(titles[panel], fontsize="small", loc="left")
            left.set_ylabel(score.title.partition(", mean")[0])
            left.grid(axis="y", linewidth=0.3)
            left.margins(x=0.02)
            self._draw_rounds(right, panel, cells)
            for axes in (left, right):
                axes.spines[["top", "right"]].set_visible(False)
        panels[-1, 0].set_xlabel("Communication round")
        panels[-1, 1].set_xlabel("Rounds until back")
        title_and_legend(figure, panels[:, 0], title, len(self.curves))
        return figure

    def _first(self, cells: Scores, panel: str) -> int:
        """Return the first round after the drift."""
        rounds = max(lines["round"].max() for (at, _), lines in cells.items() if at == panel)
        return round(self.after * rounds) + 1

    def _draw_rounds(self, axes: "Axes", panel: str, cells: Scores) -> None:
        """Draw a mark a method: its mean rounds until it is back, or a note that it never is."""
        from fedreact.figures.looks import looks
        from fedreact.figures.style import interval, within

        looks_of = looks(self.legend())
        shown = [label for label in self.curves if (panel, label) in cells]
        for place, label in enumerate(shown):
            values = cells[panel, label].pivot(index="round", columns="seed", values=self.score)
            rounds = until_back(values, self._first(cells, panel), self.margin, self.over)
            back, (colour, _, marker) = rounds.dropna(), looks_of[label]
            if len(back):
                mean, half_width = interval(back.to_frame().T)
                axes.errorbar(
                    mean,
                    [place],
                    xerr=within(mean, half_width.fillna(0), (0, len(values))),
                    color=colour,
                    marker=marker,
                    linestyle="none",
                    markersize=5,
                    capsize=2,
                )
            if never := len(rounds) - len(back):
                text = "never" if never == len(rounds) else f"never in {never} of {len(rounds)}"
                right = axes.get_yaxis_transform()
                axes.text(0.98, place + 0.4, text, transform=right, ha="right", fontsize=6)
        axes.set_yticks(range(len(shown)), shown, fontsize="x-small")
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(left=-0.5)
        axes.grid(axis="x", linewidth=0.3)


def until_back(values: "pd.DataFrame", at: int, margin: float, over: int) -> "pd.Series":
    """Count the rounds from round ``at`` on until each seed's score is back; NaN if it never is.

    Parameters
    ----------
    values
        Scores; rounds are the index, seeds the columns.
    """
    before = values[values.index < at].tail(BEFORE).mean()
    after = values[values.index >= at]
    following = after[::-1].rolling(over).mean()[::-1]
    is_back = following >= before - margin
    first = is_back.idxmax().where(is_back.any())
    return first - at


FIGURE = Recovery
