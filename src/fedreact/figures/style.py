"""The look of figures, and how they are written."""

import io
import math
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure, FigureBase
from PIL import Image
from scipy.special import stdtrit

from fedreact.figures.contract import Scores
from fedreact.figures.looks import PALETTE, named

COLOURS = PALETTE[:7]
"""Colours of what is no method: clusters, strokes, numbers of samples."""


def interval(values: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the mean over seeds (columns), and half the width of its 95% interval.

    The half-width is NaN for one seed.
    """
    n = values.shape[1]
    half_width = stdtrit(max(n - 1, 1), 0.975) * values.std(axis=1, ddof=1) / n**0.5
    return values.mean(axis=1), half_width


def within(mean: pd.Series, half_width: pd.Series, bounds: tuple[float, float]) -> list[pd.Series]:
    """Return the distances from means to the ends of their intervals, which bounds cut off."""
    low, high = bounds
    return [mean - (mean - half_width).clip(low), (mean + half_width).clip(None, high) - mean]


def heading(figure: FigureBase, title: str) -> None:
    """Write the title of a figure above it, from the left."""
    figure.suptitle(title, fontsize="small", x=0.01, ha="left")


PER_INCH = 15
"""Most characters of a small font in an inch, which has room for 17."""


def title_and_legend(figure: Figure, panels: Iterable[Axes], title: str, columns: int) -> None:
    """Write the title above a figure, and one legend of all its panels below it.

    Neither is wider than the figure. The legend has at most so many columns.
    """
    room = int(figure.get_figwidth() * PER_INCH)
    lines = [wrapped for line in title.splitlines() for wrapped in textwrap.wrap(line, room)]
    heading(figure, "\n".join(lines))
    handles: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    longest = max((len(label) for label in handles), default=0) + 8  # with its line and a gap
    figure.legend(
        list(handles.values()),
        list(handles),
        ncols=min(columns, max(1, room // longest)),
        frameon=False,
        loc="outside lower center",
        fontsize="small",
    )


def panel_names(panels: Iterable[str], cells: Scores) -> dict[str, str]:
    """Return the name of each panel or row, by its label: see :func:`looks.named`."""
    data: dict[str, list[str]] = {}
    for (panel, _), lines in cells.items():
        data.setdefault(panel, []).extend(lines["data"].unique() if "data" in lines else ())
    return {panel: named(panel, data.get(panel, ())) for panel in panels}


MOST_TICKS = 7
"""Most ticks of an axis with a zero beside a logarithmic part."""


def logarithmic(axis: Axis, counts: Sequence[pd.Series]) -> None:
    """Make an axis of counts logarithmic, and linear up to the smallest one above 0."""
    from matplotlib.ticker import FixedLocator, Locator, LogLocator, NullFormatter, NullLocator

    positive = [value for line in counts for value in line if value > 0]
    if not positive:
        return
    subs = [1.0, 2.0, 5.0]
    ticks: Locator = LogLocator(subs=subs)
    if any((line == 0).any() for line in counts):
        low, high = min(positive), max(positive)
        axis.axes.set_xscale("symlog", linthresh=low)
        axis.axes.set_xlim(left=-low / 4)  # room for what lies at 0, and no tick below
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        # No tick close to the one at 0.
        tens = [sub * 10.0**e for e in decades for sub in subs]
        places = [place for place in tens if low / 2 <= place <= high]
        if len(places) >= MOST_TICKS:
            places = places[:: -(-len(places) // MOST_TICKS)]
        ticks = FixedLocator([0, *places])
        axis.set_minor_locator(NullLocator())
    else:
        axis.axes.set_xscale("log")
    axis.set_major_locator(ticks)
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def balanced(text: str, room: int) -> str:
    """Wrap a text into the fewest lines of at most ``room`` characters, of about equal length."""
    least = -(-len(text) // room)
    for width in range(-(-len(text) // least), room):
        if len(lines := textwrap.wrap(text, width)) <= least:
            return "\n".join(lines)
    return textwrap.fill(text, room)


def forest(axes: Axes, labels: list[str], title: str) -> None:
    """Make a panel one of differences: a line from above for each label, zero marked."""
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(labels)), labels, fontsize=6)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlabel(title, fontsize=7)
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(axis="x", linewidth=0.3)


def save(figure: Figure, pdf: Path, png: Path, colours: int | None = None) -> None:
    """Write both formats without dates, so that the same figure gives the same bytes.

    ``colours`` is that of :func:`save_png`.
    """
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    save_png(figure, png, colours)


def save_png(figure: Figure, png: Path, colours: int | None = None) -> None:
    """Write a picture, the same bytes for the same figure.

    With ``colours``, it has at most so many: a third of the bytes for a figure of few.
    """
    look: dict[str, Any] = {"format": "png", "dpi": 200, "metadata": {"Software": None}}
    if colours is None:
        figure.savefig(png, **look)
        return
    drawn = io.BytesIO()
    figure.savefig(drawn, **look)
    save_few(Image.open(drawn), png, colours)


def save_few(picture: Image.Image, png: Path, colours: int) -> None:
    """Write an opaque picture with at most so many colours."""
    # Octrees, not median cuts, which give rare colours to frequent ones that are near.
    octrees = Image.Quantize.FASTOCTREE
    picture = picture.convert("RGB").quantize(colours, octrees, dither=Image.Dither.NONE)
    picture.save(png, format="png", optimize=True)


def seeds_of(cells: Scores) -> int:
    """Count the seeds of the scores of a figure; 0 if none can be shown."""
    return max((lines["seed"].nunique() for lines in cells.values()), default=0)


def with_seeds(title: str, n: int) -> str:
    """Extend a title by the number of seeds that the figure is a mean over."""
    if n == 0:
        return f"{title}: nothing can be shown on this data"
    return title + (f", mean over {n} seeds with 95% interval" if n > 1 else ", one seed")
