"""Outcomes of the claims, by paper."""

from collections import Counter

from matplotlib.figure import Figure

from fedreact.reference.docs import Row
from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns, praised

OUTCOMES = {
    "holds": ("#0072B2", "white"),
    "negligible": ("#A6D0EC", "black"),
    "undecided": ("#D9D9D9", "black"),
    "reversed": ("#D55E00", "white"),
    "fails": ("#8C3D00", "white"),
    "not-testable": ("#FFFFFF", "black"),
}
"""Colours of a bar and of the number in it; other outcomes are drawn in black."""
OTHER = ("#000000", "white")


def draw(runs: KeptRuns) -> Figure:
    """Draw a bar a paper, of one length a claim."""
    counts, scales = {}, set()
    for paper in runs.papers():
        run = runs.run(paper)
        lines = run.lines(f"claims/{paper}.csv", reading="")
        scales.add(run.scale)
        counts[_label(paper, lines)] = Counter(line["outcome"] for line in lines if not line["at"])
    known = {name for of_paper in counts.values() for name in of_paper}
    outcomes = [name for name in OUTCOMES if name in known] + sorted(known - set(OUTCOMES))
    papers = sorted(counts, key=lambda paper: -counts[paper].total())
    figure, axes = marks.canvas(
        1.3 + 0.34 * len(papers),
        "Outcomes of the claims, by paper",
        f"Scale {', '.join(sorted(scales))}. Number of claims as judged; how: docs/judging.md.",
    )
    panel = axes[0, 0]
    for y, paper in enumerate(papers):
        left = 0
        for name in outcomes:
            n = counts[paper][name]
            colour, ink = OUTCOMES.get(name, OTHER)
            if n:
                edge = "#777777" if colour == "#FFFFFF" else "white"
                bar = {"left": left, "color": colour, "edgecolor": edge}
                panel.barh(y, n, height=0.72, linewidth=0.8, **bar)
                text = {"ha": "center", "va": "center_baseline", "color": ink, "fontsize": 8.5}
                panel.text(left + n / 2, y, n, **text)
            left += n
    for name in outcomes:  # one legend entry each, in their order
        panel.barh(
            0, 0, color=OUTCOMES.get(name, OTHER)[0], edgecolor="#777777", linewidth=0.5, label=name
        )
    panel.set_yticks(range(len(papers)), papers)
    panel.set_ylim(len(papers) - 0.5, -0.5)
    panel.tick_params(axis="y", length=0)
    panel.set_xlabel("claims")
    marks.legend(figure, [panel], len(outcomes))
    return figure


def _label(paper: str, lines: list[Row]) -> str:
    """Name a paper by the method that its claims praise, or by its folder if none is published."""
    if not any(isinstance(line["published"], float) for line in lines):
        return f"{paper.replace('_', ' ').capitalize()} (benchmark)"
    return praised(lines)
