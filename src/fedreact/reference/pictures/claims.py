"""Outcomes of the claims, by paper."""

from collections import Counter

from fedreact.reference.pictures import marks

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


def draw(kept):
    """Draw a bar a paper, of one length a claim."""
    counts, scales = {}, set()
    for paper in kept.papers():
        run = kept.run(paper)
        lines = run.lines(f"claims/{paper}.csv", reading="")
        scales.add(run.scale)
        counts[_label(paper, lines)] = Counter(line["outcome"] for line in lines if not line["at"])
    there = set().union(*counts.values())
    outcomes = [name for name in OUTCOMES if name in there] + sorted(there - set(OUTCOMES))
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
                bar = {"edgecolor": "#777777" if colour == "#FFFFFF" else "white"}
                panel.barh(y, n, left=left, color=colour, height=0.72, linewidth=0.8, **bar)
                at = left + n / 2
                panel.text(at, y, n, ha="center", va="center_baseline", color=ink, fontsize=8.5)
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


def _label(paper, lines):
    """Name a paper by the method that its claims praise, or by its folder if none is published."""
    if not any(isinstance(line["published"], float) for line in lines):
        return f"{paper.replace('_', ' ').capitalize()} (benchmark)"
    return (
        Counter(line["left"] for line in lines if line["left"]).most_common(1)[0][0].split(" w/")[0]
    )
