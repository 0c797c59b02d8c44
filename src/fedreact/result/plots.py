"""Drawings of the page, as SVG that follows its colours.

Places are rounded, so that the same numbers give the same bytes.
"""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, isnan, log10

import numpy as np

from fedreact.intervals import Summary
from fedreact.notes.scores import MethodScores, Result
from fedreact.notes.words import number

WIDTH = 760
LEFT, RIGHT = 190, 70
ROW = 24
HEIGHT = 320
STYLES = 8
"""Colours of curves."""
APART = 13
"""Smallest distance of two labels of curves."""


def ticks(low: float, high: float, number_of: int = 5) -> list[float]:
    """Return round numbers between two values, about so many."""
    if high <= low:
        return [low]
    raw = (high - low) / number_of
    power = 10.0 ** floor(log10(raw))
    step = power * next(m for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(parts: Sequence[str], height: float, label: str) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _bounds(values: Sequence[float], result: Result) -> tuple[float, float]:
    """Return the ends of an axis of scores."""
    known = [value for value in values if not isnan(value)]
    low, high = min(known), max(known)
    space = 0.05 * (high - low) or 0.05 * abs(high) or 0.05
    least, most = result.metric.bounds
    return max(low - space, least), min(high + space, most)


def methods(result: Result, summaries: Sequence[Summary]) -> str:
    """Draw the methods, best first, with their intervals; those that learn nothing are lines."""
    ends = [end for s in summaries for end in (s.mean, *s.ci)]
    low, high = _bounds(ends, result)
    shown = [(m, s) for m, s in zip(result.methods, summaries) if m.role != "trivial"]
    trivial = [(m, s) for m, s in zip(result.methods, summaries) if m.role == "trivial"]
    top = 18 + 14 * len(trivial)
    bottom = top + ROW * len(shown)
    scale = (WIDTH - LEFT - RIGHT) / (high - low)

    def x(value: float) -> float:
        return LEFT + (value - low) * scale

    d = result.metric.decimals
    parts = []
    for tick in ticks(low, high):
        parts.append(_line(x(tick), top - 4, x(tick), bottom, "grid"))
        parts.append(_text(x(tick), bottom + 16, f"{tick:g}"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, bottom + 34, result.metric.title))
    for i, (method, summary) in enumerate(trivial):
        parts.append(_line(x(summary.mean), 8 + 14 * i, x(summary.mean), bottom, "trivial"))
        label = f"{method.label} {number(summary.mean, d)}"
        side = "start" if x(summary.mean) < WIDTH / 2 else "end"
        shift = 5 if side == "start" else -5
        parts.append(_text(x(summary.mean) + shift, 14 + 14 * i, label, side))
    for i, (method, summary) in enumerate(shown):
        y = top + ROW * (i + 0.5)
        parts.append(_text(LEFT - 10, y + 4, method.label, "name"))
        if not isnan(summary.ci[0]):
            parts.append(_line(x(summary.ci[0]), y, x(summary.ci[1]), y, f"ci {method.role}"))
        parts.append(
            f'<circle class="{method.role}" cx="{x(summary.mean):.1f}" cy="{y:.1f}" r="4.5"/>'
        )
        parts.append(_text(WIDTH - RIGHT + 10, y + 4, number(summary.mean, d), "value"))
    return _svg(parts, bottom + 42, f"{result.metric.title} of each method with 95% intervals")


def mean_curve(method: MethodScores) -> tuple[np.ndarray, np.ndarray]:
    """Return the rounds that all seeds have, and the mean score in each."""
    by_round: dict[float, list[float]] = {}
    for rounds, scores in method.curves.values():
        for t, score in zip(rounds.tolist(), scores.tolist()):
            by_round.setdefault(t, []).append(score)
    common = sorted(t for t, scores in by_round.items() if len(scores) == len(method.curves))
    return np.array(common), np.array([np.mean(by_round[t]) for t in common])


def curves(result: Result) -> str:
    """Draw scores over rounds, means over seeds; baselines are lines. Empty if nothing has rounds.

    Only methods with three scored rounds or more have a curve.
    """
    drawn = [(m, *mean_curve(m)) for m in result.of("federated", "alone") if m.n_scored >= 3]
    if not drawn:
        return ""
    level = [result.of(role)[0] for role in ("trivial", "simple", "pooled") if result.of(role)]
    values = [v for _, _, scores in drawn for v in scores.tolist()] + [m.mean for m in level]
    low, high = _bounds(values, result)
    left, right, top, bottom = 56, 190, 12, HEIGHT - 40
    last = max(float(rounds[-1]) for _, rounds, _ in drawn)

    def x(t: float) -> float:
        return left + (t - 1) / max(last - 1, 1) * (WIDTH - left - right)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top)

    parts = []
    for tick in ticks(low, high):
        parts.append(_line(left, y(tick), WIDTH - right, y(tick), "grid"))
        parts.append(_text(left - 8, y(tick) + 4, f"{tick:g}", "end"))
    whole = [tick for tick in ticks(1, last) if tick == int(tick)]
    parts += [_text(x(tick), bottom + 16, f"{tick:g}") for tick in whole]
    parts.append(_text((left + WIDTH - right) / 2, bottom + 34, "round"))
    labels: list[tuple[float, str, str]] = []
    for method in level:
        parts.append(_line(left, y(method.mean), WIDTH - right, y(method.mean), method.role))
        labels.append((y(method.mean), method.label, f"of-line {method.role}"))
    for i, (method, rounds, scores) in enumerate(drawn):
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in zip(rounds, scores))
        parts.append(f'<polyline class="curve c{i % STYLES}" points="{points}"/>')
        labels.append((y(float(scores[-1])), method.label, f"of-line c{i % STYLES}"))
    for place, (_, label, kind) in zip(_apart([h for h, *_ in sorted(labels)]), sorted(labels)):
        parts.append(_text(WIDTH - right + 8, place + 4, label, kind))
    return _svg(parts, HEIGHT, f"{result.metric.title} over rounds")


def _apart(heights: Sequence[float]) -> list[float]:
    """Move sorted heights apart, as little as needed and no further down than the plot."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + APART) if placed else max(height, 8))
    lowest = HEIGHT - 8.0
    for i in range(len(placed) - 1, -1, -1):
        placed[i] = min(placed[i], lowest)
        lowest = placed[i] - APART
    return placed
