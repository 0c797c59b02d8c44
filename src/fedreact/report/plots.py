"""Pictures that the page draws itself, as SVG: they follow its colours, and their points are links.

Places are rounded, so that the same numbers give the same bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import copysign, isfinite, sqrt

from fedreact.report.claims import ClaimReport, JudgedDifference

STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Axis:
    """Places of numbers between ``-most`` and ``most`` on ``size`` units, zero in the middle.

    Attributes
    ----------
    root
        Whether distances from zero are drawn as their square roots, which shows small differences
        beside large ones.
    """

    most: float
    size: float
    root: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a number; numbers beyond the ends are placed there."""
        share = max(-1.0, min(1.0, value / self.most))
        if self.root:
            share = copysign(sqrt(abs(share)), share)
        return round(self.size * (1 + share) / 2, 1)

    def ticks(self, apart: float) -> list[float]:
        """Return round numbers, no closer than ``apart`` units: zero, then outwards."""
        numbers, last = [0.0], self(0)
        for value in _round_numbers(self.most):
            if self(value) - last >= apart:
                numbers += [value, -value]
                last = self(value)
        return numbers


def _round_numbers(most: float) -> Iterator[float]:
    """Yield 1, 2, 5, 10 ... of all sizes up to ``most``, from a thousandth of it on."""
    exponent = -9
    while True:
        for step in STEPS:
            value = step * 10.0**exponent
            if value > most * 1.0001:
                return
            if value >= most / 1000:
                yield round(value, 12)
        exponent += 1


def tick(value: float) -> str:
    """Write a number on an axis."""
    return f"{value:+g}".replace("-", "−") if value else "0"


def largest(lines: Iterable[JudgedDifference]) -> float:
    """Return the bound of an axis that holds differences and margins; intervals may be wider."""
    values = [
        abs(value)
        for line in lines
        for value in (line.difference, line.published, 2 * line.margin)
        if isfinite(value)
    ]
    return 1.15 * max(values, default=1.0)


def mark(outcome: str, x: float, y: float, r: float = 5) -> str:
    """Draw a shape for each outcome.

    A disk holds, a square is negligible, a cross is reversed, a ring is undecided, and a dash is
    not testable.
    """
    look = f'class="{outcome}"'
    if outcome in ("holds", "undecided"):
        return f'<circle {look} cx="{x:g}" cy="{y:g}" r="{r:g}"/>'
    if outcome == "reversed":
        a, b, c, d = (round(v, 1) for v in (x - r, y - r, x + r, y + r))
        return f'<path {look} d="M{a:g} {b:g}L{c:g} {d:g}M{a:g} {d:g}L{c:g} {b:g}"/>'
    if outcome == "not-testable":
        return f'<path {look} d="M{x - r:g} {y:g}h{2 * r:g}"/>'
    side = round(1.7 * r, 1)
    x, y = round(x - side / 2, 1), round(y - side / 2, 1)
    return f'<rect {look} x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}"/>'


def diamond(x: float, y: float, r: float = 5) -> str:
    """Draw the mark of a published difference."""
    return f'<path class="published" d="M{x:g} {y - r:g}l{r:g} {r:g}l-{r:g} {r:g}l-{r:g} -{r:g}z"/>'


def forest_line(line: JudgedDifference, most: float, width: float = 260, height: float = 22) -> str:
    """Draw a difference with its interval, the margin around zero, and the published difference."""
    axis, y = Axis(most, width), height / 2
    a, b = axis(-line.margin), axis(line.margin)
    parts = [
        f'<rect class="margin" x="{a:g}" y="0" width="{b - a:.1f}" height="{height:g}"/>',
        f'<path class="zero" d="M{axis(0):g} 0v{height:g}"/>',
    ]
    if isfinite(line.low):
        ends = axis(line.low), axis(line.high)
        parts.append(f'<path class="{line.outcome}" d="M{ends[0]:g} {y:g}H{ends[1]:g}"/>')
    if isfinite(line.published):
        parts.append(diamond(axis(line.published), y))
    parts.append(mark(line.outcome, axis(line.difference), y, 4.5))
    label = f"{line.outcome}: {line.text}"
    if line.published_text:
        label += f"; published {line.published_text}"
    return _svg(width, height, "forest", label, parts)


def forest_axis(most: float, width: float = 260, height: float = 16) -> str:
    """Draw the numbers above the lines of a forest plot."""
    axis = Axis(most, width)
    shown = [v for v in axis.ticks(48) if 12 < axis(v) < width - 12]
    texts = [f'<text x="{axis(v):g}" y="{height - 4:g}">{tick(v)}</text>' for v in shown]
    return _svg(width, height, "axis", "", texts)


def effects(claims: Sequence[ClaimReport], size: float = 380) -> str:
    """Draw each claim's published difference (across) and rebuilt one (up); points are links."""
    lines = [claim.whole for claim in claims]
    most = largest(lines)
    axis = Axis(most, size, root=True)
    left, below = 66, 40
    ticks = sorted(axis.ticks(40))
    parts = [
        f'<g transform="translate({left} 8)">',
        f'<rect class="claimed" x="0" y="0" width="{size:g}" height="{size / 2:g}"/>',
    ]
    for v in ticks:
        x, y = axis(v), size - axis(v)
        kind = "zero" if v == 0 else "grid"
        parts += [
            f'<path class="{kind}" d="M{x:g} 0V{size:g}M0 {y:g}H{size:g}"/>',
            f'<text x="{x:g}" y="{size + 16:g}">{tick(v)}</text>',
            f'<text class="up" x="-6" y="{y + 4:g}">{tick(v)}</text>',
        ]
    parts.append(f'<path class="same" d="M0 {size:g}L{size:g} 0"/>')
    parts.append(f'<text x="{size / 2:g}" y="{size + 34:g}">published difference</text>')
    across = f'transform="translate(-56 {size / 2:g}) rotate(-90)"'
    parts.append(f"<text {across}>rebuilt difference, with its 95% interval</text>")
    for claim, line in zip(claims, lines):
        x, y = axis(line.published), round(size - axis(line.difference), 1)
        bar = ""
        if isfinite(line.low):
            ends = size - axis(line.low), size - axis(line.high)
            bar = f'<path class="{line.outcome}" d="M{x:g} {ends[0]:.1f}V{ends[1]:.1f}"/>'
        numbers = f"Published {line.published_text}, rebuilt {line.text}: {line.outcome}"
        title = f"<title>{escape(f'{claim.sentence} {numbers}')}</title>"
        point = f"{title}{bar}{mark(line.outcome, x, y)}"
        parts.append(f'<a href="#{claim.id}">{point}</a>')
    parts.append("</g>")
    label = (
        f"{len(claims)} claims, each at its published difference (across) and the rebuilt one (up)"
    )
    return _svg(size + left + 10, size + below + 8, "effects", label, parts)


def _svg(width: float, height: float, name: str, label: str, parts: Iterable[str]) -> str:
    """Write an SVG; one without a label is hidden from screen readers."""
    role = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return f'<svg class="{name}" {size} {role}>{"".join(parts)}</svg>'
