"""The steps from raw data to the report, and the two phases of Fed-REACT."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from fedreact.reference.pictures import marks
from fedreact.reference.pictures.contract import KeptRuns

STEPS = (
    ("raw data", "downloaded,\nchecked, cut\ninto windows"),
    ("clients", "who has which\nsamples, and how\nthat changes"),
    ("runs", "a method on\na setting\nwith a seed"),
    ("scores", "of each client\nafter each round"),
    ("cells", "mean, interval,\npublished value,\nverdict"),
)
PRODUCTS = ("tables", "figures", "claims")
PHASES = (
    (
        "Phase 1: one encoder for all clients",
        "#E5F0F8",
        ("each client trains\nthe encoder without\nlabels", "the server averages\nthe encoders"),
    ),
    (
        "Phase 2: a classifier for each cluster of clients",
        "#FCF0DC",
        (
            "each client fits an\nSVM to its features",
            "the server clusters\nthe clients by their\nSVMs",
            "it averages the SVMs\nof a cluster, and over\ntime (A1, A2 or A3)",
        ),
    ),
)
INK = "#333333"
BETWEEN = 0.55
"""Distance between the phases in inches."""


def draw(runs: KeptRuns) -> Figure:
    """Draw the diagram; it shows no number, so it reads no run."""
    height = 4.0
    figure = Figure(figsize=(marks.WIDTH, height), dpi=200)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, marks.WIDTH), ylim=(0, height))
    axes.set_axis_off()
    axes.text(0.08, 3.9, "From raw data to the report", fontsize=11, weight="bold", va="top")
    width, gap, y = 1.12, 0.2, 2.4
    for i, (name, text) in enumerate(STEPS):
        left = 0.1 + i * (width + gap)
        _box(axes, left, y, width, 1.1, "#FFFFFF" if name != "runs" else "#E8E8E8")
        axes.text(
            left + width / 2, y + 0.93, name, ha="center", va="center", fontsize=10, weight="bold"
        )
        axes.text(left + width / 2, y + 0.4, text, ha="center", va="center", fontsize=8, color=INK)
        if i:
            _arrow(axes, (left - gap, y + 0.55), (left, y + 0.55))
    left, right = 0.1 + len(STEPS) * (width + gap), 0.1 + len(STEPS) * (width + gap) - gap
    for i, name in enumerate(PRODUCTS):
        bottom = y + 0.78 - 0.39 * i
        _box(axes, left, bottom, 0.68, 0.32, "#FFFFFF")
        axes.text(left + 0.34, bottom + 0.16, name, ha="center", va="center", fontsize=9)
        _arrow(axes, (right, y + 0.55), (left, bottom + 0.16))
        _arrow(axes, (left + 0.68, bottom + 0.16), (left + 0.88, y + 0.55))
    _box(axes, left + 0.88, y + 0.35, 0.62, 0.4, "#FFFFFF")
    axes.text(left + 1.19, y + 0.55, "report", ha="center", va="center", fontsize=9, weight="bold")
    _phases(axes)
    runs_left = 0.1 + 2 * (width + gap)
    # Lines from the box of the runs to the phases of a run of Fed-REACT.
    for above, below in ((runs_left, 0.1), (runs_left + width, marks.WIDTH - 0.1)):
        axes.plot([above, below], [y, 1.98], color="#999999", linewidth=0.8, linestyle=(0, (3, 3)))
    axes.text(
        runs_left + width / 2,
        2.08,
        "a run of Fed-REACT",
        fontsize=9.5,
        weight="bold",
        ha="center",
        va="bottom",
    )
    return figure


def _phases(axes: Axes) -> None:
    """Draw the two phases, each with its loop over rounds."""
    left, y, height = 0.1, 0.12, 1.82
    widths = (3.1, marks.WIDTH - 0.2 - 3.1 - BETWEEN)
    for (title, colour, steps), whole in zip(PHASES, widths):
        _box(axes, left, y, whole, height, colour, edge="none")
        axes.text(left + 0.12, y + height - 0.12, title, fontsize=9.5, va="top")
        gap = 0.22
        width = (whole - 0.24 - gap * (len(steps) - 1)) / len(steps)
        for i, step in enumerate(steps):
            x = left + 0.12 + i * (width + gap)
            _box(axes, x, y + 0.68, width, 0.72, "#FFFFFF")
            axes.text(x + width / 2, y + 1.04, step, ha="center", va="center", fontsize=8)
            if i:
                _arrow(axes, (x - gap, y + 1.04), (x, y + 1.04))
        first, last = left + 0.12 + width / 2, left + whole - 0.12 - width / 2
        axes.plot([last, last, first], [y + 0.68, y + 0.38, y + 0.38], color=INK, linewidth=1.1)
        _arrow(axes, (first, y + 0.38), (first, y + 0.68))
        axes.text(
            (first + last) / 2, y + 0.33, "next round", ha="center", va="top", fontsize=8, color=INK
        )
        left += whole + BETWEEN
    between = 0.1 + widths[0]
    _arrow(axes, (between, y + 1.04), (between + BETWEEN, y + 1.04))
    axes.text(between + BETWEEN / 2, y + 1.1, "frozen", ha="center", va="bottom", fontsize=8)


def _box(
    axes: Axes,
    left: float,
    bottom: float,
    width: float,
    height: float,
    face: str,
    edge: str = INK,
) -> None:
    """Draw a box with round corners."""
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            linewidth=1.1,
            facecolor=face,
            edgecolor=edge,
        )
    )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow from point to point."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            shrinkA=0,
            shrinkB=0,
            arrowstyle="-|>",
            mutation_scale=9,
            linewidth=1.1,
            color=INK,
        )
    )
