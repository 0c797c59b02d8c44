"""The look of figures, and how they are written."""

import io
import math
import textwrap
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image
from scipy.special import stdtrit

from fedreact.figures.looks import PALETTE, named

COLOURS = PALETTE[:7]
"""Colours of what is no method: clusters, strokes, numbers of samples."""


def interval(wide):
    """Mean over seeds (columns), and half of its 95% interval (NaN for one seed)."""
    n = wide.shape[1]
    half = stdtrit(max(n - 1, 1), 0.975) * wide.std(axis=1, ddof=1) / n**0.5
    return wide.mean(axis=1), half


PER_INCH = 15
"""Characters of a small font, at most: it takes some 17."""


def title_and_legend(figure, panels, title, columns):
    """Title above, one legend of what any of the panels shows below, neither wider than all."""
    room = int(figure.get_figwidth() * PER_INCH)
    lines = [wrapped for line in title.splitlines() for wrapped in textwrap.wrap(line, room)]
    figure.suptitle("\n".join(lines), fontsize="small", x=0.01, ha="left")
    shown = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            shown.setdefault(label, handle)
    longest = max((len(label) for label in shown), default=0) + 8  # with its line and a gap
    columns = min(columns, max(1, room // longest))
    look = {"frameon": False, "loc": "outside lower center", "fontsize": "small"}
    figure.legend(shown.values(), shown.keys(), ncols=columns, **look)


def panel_names(panels, cells) -> dict[str, str]:
    """Return the name of each panel or row, by its label: see :func:`looks.named`."""
    data: dict[str, list[str]] = {}
    for (panel, _), lines in cells.items():
        data.setdefault(panel, []).extend(lines["data"].unique() if "data" in lines else ())
    return {panel: named(panel, data.get(panel, ())) for panel in panels}


MOST_TICKS = 7
"""Of an axis with a zero beside a logarithmic part."""


def logarithmic(axis, counts):
    """Make an axis of counts logarithmic, and linear up to the smallest one above 0."""
    from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator

    positive = [value for line in counts for value in line if value > 0]
    if not positive:
        return
    ticks = LogLocator(subs=(subs := [1, 2, 5]))
    if any((line == 0).any() for line in counts):
        low, high = min(positive), max(positive)
        axis.axes.set_xscale("symlog", linthresh=low)
        axis.axes.set_xlim(left=-low / 4)  # room for what lies at 0, and no tick below
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        # No tick close to the one at 0.
        at = [sub * 10.0**e for e in decades for sub in subs if low / 2 <= sub * 10.0**e <= high]
        at = at if len(at) < MOST_TICKS else at[:: -(-len(at) // MOST_TICKS)]
        ticks = FixedLocator([0, *at])
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


def forest(axis, labels: list[str], title: str) -> None:
    """Make an axis one of differences: a line from above for each label, zero marked."""
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_yticks(range(len(labels)), labels, fontsize=6)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.set_xlabel(title, fontsize=7)
    axis.tick_params(axis="x", labelsize=7)
    axis.grid(axis="x", linewidth=0.3)


def save(figure: Figure, pdf: Path, png: Path, colours: int | None = None) -> None:
    """Write both formats without dates, so that the same figure gives the same bytes.

    ``colours`` is that of :func:`save_png`.
    """
    figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
    save_png(figure, png, colours)


def save_png(figure: Figure, png: Path, colours: int | None = None) -> None:
    """Write a picture, the same bytes for the same figure.

    With ``colours``, of as many colours at most: a third of the bytes for a figure of few.
    """
    look = {"format": "png", "dpi": 200, "metadata": {"Software": None}}
    if colours is None:
        figure.savefig(png, **look)
        return
    drawn = io.BytesIO()
    figure.savefig(drawn, **look)
    save_few(Image.open(drawn), png, colours)


def save_few(picture: Image.Image, png: Path, colours: int) -> None:
    """Write an opaque picture with as many colours at most: a third of the bytes, if it has few."""
    # Octrees, not median cuts, which give rare colours to frequent ones that are near.
    octrees = Image.Quantize.FASTOCTREE
    picture = picture.convert("RGB").quantize(colours, octrees, dither=Image.Dither.NONE)
    picture.save(png, format="png", optimize=True)


def seeds_of(cells) -> int:
    """Seeds of the scores of a figure, which may have none that can be shown."""
    return max((lines["seed"].nunique() for lines in cells.values()), default=0)


def with_seeds(title: str, n: int) -> str:
    """The title, with what the figure is a mean of."""
    if n == 0:
        return f"{title}: nothing can be shown on this data"
    return title + (f", mean over {n} seeds with 95% interval" if n > 1 else ", one seed")
