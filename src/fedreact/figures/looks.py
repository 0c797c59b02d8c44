"""Colours, lines and markers: a label looks the same in all figures of a paper.

The workflow gives each label of a paper a place in the palette (:func:`places`), so that no two
labels of one figure share a place. The command that draws a figure hands its labels' places over
(:func:`of_paper`), and a kind of figure asks for their looks (:func:`looks`). Nothing heavy is
imported here, since the workflow starts often.
"""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import NamedTuple

from fedreact.tables.labels import display

PALETTE = [
    "#0072B2",  # blue, vermilion, green, pink, orange, sky blue, black: Okabe and Ito
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#882255",  # wine, olive, indigo: Tol
    "#999933",
    "#332288",
    "#8A8A8A",
    "#8B4A2B",
]
"""Colours that readers with any colour vision can distinguish, the best ones first."""

LINES = ["-", "--", "-.", ":"]
MARKERS = ["o", "s", "^", "v", "D", "P", "X", "d", "<", ">", "h", "p"]


class Look(NamedTuple):
    """Colour, line and marker of a label."""

    colour: str
    line: str
    marker: str


def look(place: int) -> Look:
    """Return the look of a place: one beyond the palette has another line and another marker."""
    again = place // len(PALETTE)
    return Look(
        PALETTE[place % len(PALETTE)],
        LINES[(place + again) % len(LINES)],
        MARKERS[(place + again) % len(MARKERS)],
    )


def places(figures: Iterable[Iterable[str]]) -> dict[str, int]:
    """Give each label a place in the palette.

    Parameters
    ----------
    figures
        Labels of each figure of a paper, in the order of its file.

    Returns
    -------
    dict
        Place by label. Two labels of one figure never share a place; other labels share one only
        where the palette is used up.
    """
    groups = [list(dict.fromkeys(labels)) for labels in figures]
    placed: dict[str, int] = {}
    uses: Counter[int] = Counter()
    for label in dict.fromkeys(label for group in groups for label in group):
        beside = {other for group in groups if label in group for other in group}
        used_beside = {placed[other] for other in beside if other in placed}
        free = [place for place in range(len(PALETTE)) if place not in used_beside]
        further = range(len(PALETTE), len(PALETTE) + len(used_beside) + 1)
        if free:
            placed[label] = min(free, key=lambda place: (uses[place], place))
        else:
            placed[label] = next(place for place in further if place not in used_beside)
        uses[placed[label]] += 1
    return placed


class _Paper(NamedTuple):
    """The looks and names that figures of a paper share."""

    places: Mapping[str, int]
    names: Mapping[str, str]


NO_PAPER = _Paper({}, {})
_PAPER: ContextVar[_Paper] = ContextVar("paper")


@contextlib.contextmanager
def of_paper(places: Mapping[str, int], names: Mapping[str, str]) -> Iterator[None]:
    """Draw with the places of a paper's labels, and the names that it gives its data, by role."""
    token = _PAPER.set(_Paper(places, names))
    try:
        yield
    finally:
        _PAPER.reset(token)


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """Return the look of each label; a label without a place of its paper gets a free one."""
    labels = list(dict.fromkeys(labels))
    known = _PAPER.get(NO_PAPER).places
    placed = {label: known[label] for label in labels if label in known}
    free = (place for place in range(len(labels)) if place not in set(placed.values()))
    return {label: look(placed[label] if label in placed else next(free)) for label in labels}


def named(label: str, data: Iterable[str]) -> str:
    """Name a panel or row by its data, where that stands in for the paper's.

    Parameters
    ----------
    label
        As ``figures.yaml`` has it, e.g. ``"(a) RTD"``.
    data
        Datasets that are shown there.

    Returns
    -------
    str
        As tables name rows, see :func:`fedreact.tables.labels.display`; the label as it is where
        several datasets are shown.
    """
    datasets = list(dict.fromkeys(data))
    if len(datasets) != 1:
        return label
    return display(label, datasets[0], _PAPER.get(NO_PAPER).names)
