"""The look of figures, and how they are written."""

import io
import textwrap
from pathlib import Path

from matplotlib.figure import Figure
from scipy.special import stdtrit

# Okabe and Ito's colours, told apart by the colour-blind too; line styles for print without colour.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
STYLES = {
    "fed-react-a1": ("#0072B2", "-", "o"),
    "fed-react-a2": ("#56B4E9", "-", "s"),
    "fed-react-a3": ("#000000", "-", "D"),
    "ec-mma": ("#0072B2", "--", "^"),
    "sc-mma": ("#D55E00", "--", "v"),
    "ifca": ("#009E73", "-.", "P"),
    "flsc": ("#E69F00", "-.", "X"),
    "flacc": ("#CC79A7", ":", "d"),
    "local": ("#999999", ":", "x"),
    "fed-react-personal": ("#D55E00", "-", "h"),
    "local-a1": ("#666666", "--", "+"),
    "global-a1": ("#CC79A7", "--", "p"),
    "oracle-a1": ("#000000", ":", "*"),
    "oracle-fedavg": ("#000000", "-.", "<"),
}
"""Colour, line and marker of each method, the same in all figures."""


def style(method: str, i: int) -> tuple[str, str, str]:
    """Look of a method; the i-th of a figure that has none of its own gets a colour in turn."""
    return STYLES.get(method, (COLOURS[i % len(COLOURS)], "-", "o"))


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
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, **look)
    picture = Image.open(drawn).convert("RGB")
    # Octrees, not median cuts, which give rare colours to frequent ones that are near.
    picture = picture.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    picture.save(png, format="png", optimize=True)


def seeds_of(cells) -> int:
    """Seeds of the scores of a figure, which may have none that can be shown."""
    return max((lines["seed"].nunique() for lines in cells.values()), default=0)


def with_seeds(title: str, n: int) -> str:
    """The title, with what the figure is a mean of."""
    if n == 0:
        return f"{title}: nothing can be shown on this data"
    return title + (f", mean over {n} seeds with 95% interval" if n > 1 else ", one seed")
