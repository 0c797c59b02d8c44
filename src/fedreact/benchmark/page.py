"""The benchmark's page: one file that needs no other, no server and no network."""

import base64
from collections.abc import Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup

from fedreact.benchmark.content import COSTS, Regime, Score, csv, mean_gain, read, sentences
from fedreact.benchmark.sources import BenchmarkSource

TEMPLATES = Path(__file__).with_name("templates")
WIDTH, HEIGHT, LEFT, BOTTOM = 420, 260, 46, 34
NAMES = {
    "bytes": "megabytes",
    "gflops": "GFLOPs",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "accuracy@worst_fifth": "accuracy of the worst fifth",
    "accuracy@first_two": "accuracy of the same two clients",
    "accuracy@adapted": "accuracy after adapting",
    "accuracy@zero_shot": "accuracy at zero shot",
}
"""Names of metrics on the page; others stand as they are."""


def page(source: BenchmarkSource) -> str:
    """Fill the template with the tables of all regimes.

    Raises
    ------
    UserError
        A file of a table cannot be read.
    """
    regimes = read(source)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    template = environment.get_template("benchmark.html.j2")
    content = csv(regimes).encode()
    return template.render(
        source=source,
        regimes=regimes,
        sentences=sentences(regimes, source),
        methods=methods(regimes),
        profile={name: profile(name, regimes) for name in methods(regimes)},
        pays={name: where_it_pays(name, regimes) for name in methods(regimes)},
        sent={name: sent(name, regimes) for name in methods(regimes)},
        kinds=sorted({card.kind for card in source.cards.values()}),
        name_of=lambda metric: NAMES.get(metric, metric),
        chart=lambda regime, row, cost: Markup(pareto(regime.of(row), cost)),
        bar=lambda score: Markup(bar(score)),
        costs=COSTS,
        csv="data:text/csv;base64," + base64.b64encode(content).decode(),
        style=Markup((TEMPLATES / "benchmark.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "benchmark.js").read_text(encoding="utf-8")),
    )


def methods(regimes: Sequence[Regime]) -> list[str]:
    """All methods, in the order of their tables."""
    return list(dict.fromkeys(score.method for regime in regimes for score in regime.scores))


def profile(method: str, regimes: Sequence[Regime]) -> dict[str, float | None]:
    """Mean gain of a method over the datasets of each regime; ``None`` where it has none."""
    gains = {}
    for regime in regimes:
        own = [
            score
            for score in regime.scores
            if score.method == method and score.gain is not None and score.row in regime.counted
        ]
        gains[regime.source.name] = mean_gain(own) if own else None
    return gains


def sent(method: str, regimes: Sequence[Regime]) -> str:
    """Say how much a client sends and receives with a method; empty if no table says it."""
    scores = [s for regime in regimes for s in regime.scores if s.method == method]
    sizes = sorted(s.more["bytes"] for s in scores if "bytes" in s.more)
    if not sizes:
        return ""
    if not sizes[-1]:
        return "nothing"
    shown = dict.fromkeys(_with_unit(size) for size in (sizes[0], sizes[-1]))
    return f"{' to '.join(shown)} between a client and the server in all rounds, by row"


def _with_unit(megabytes: float) -> str:
    """Write megabytes, which is what the metric ``bytes`` counts, with a unit."""
    if megabytes >= 1 or not megabytes:
        return f"{megabytes:.3g} MB"
    return f"{1e3 * megabytes:.3g} kB"


def where_it_pays(method: str, regimes: Sequence[Regime]) -> list[str]:
    """Rows in which a method is significantly better than the reference."""
    return [
        f"{regime.source.title}: {score.row}"
        for regime in regimes
        for score in regime.scores
        if score.method == method and score.pays
    ]


# ---- Drawings ------------------------------------------------------------------------------------


def bar(score: Score, most: float = 0.5) -> str:
    """Draw a gain and its interval as a small SVG; the line in the middle is the reference."""
    if score.gain is None:
        return ""

    def x(value: float) -> float:
        return 80 + 76 * max(-1.0, min(1.0, value / most))

    kind = "pays" if score.pays else "costs" if score.costs else "open"
    drawn = ""
    if score.gain_low is not None and score.gain_high is not None:
        left, right = x(score.gain_low), x(score.gain_high)
        drawn = f'<line class="{kind}" x1="{left:.1f}" x2="{right:.1f}" y1="8" y2="8"/>'
    return (
        '<svg class="bar" viewBox="0 0 160 16" width="160" height="16" aria-hidden="true">'
        '<line class="zero" x1="80" x2="80" y1="0" y2="16"/>'
        f'{drawn}<circle class="{kind}" cx="{x(score.gain):.1f}" cy="8" r="3.5"/></svg>'
    )


def front(points: Sequence[tuple[float, float, str]]) -> list[str]:
    """Names of points ``(cost, score, name)`` that no other is at most as dear and better than."""
    return [
        name
        for cost, score, name in points
        if not any((c <= cost and s > score) or (c < cost and s >= score) for c, s, other in points)
    ]


def pareto(scores: Sequence[Score], cost: str) -> str:
    """Draw scores over a cost on a root axis, with the names of those on the Pareto front."""
    points = [(s.more[cost], s.mean, s.method) for s in scores if cost in s.more]
    if len({point[0] for point in points}) < 2:
        return ""
    most = max(point[0] for point in points)
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    span = (high - low) or 1.0

    def place(c: float, s: float) -> tuple[float, float]:
        across = (c / most) ** 0.5 if most else 0.0
        x = LEFT + 10 + across * (WIDTH - LEFT - 90)
        return x, 14 + (high - s) / span * (HEIGHT - BOTTOM - 28)

    best = front(points)
    drawn = [
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - 10}" y1="{HEIGHT - BOTTOM}" '
        f'y2="{HEIGHT - BOTTOM}"/>',
        f'<line class="axis" x1="{LEFT}" x2="{LEFT}" y1="8" y2="{HEIGHT - BOTTOM}"/>',
    ]
    for share in (0.0, 0.25, 1.0):
        x, _ = place(share * most, low)
        drawn.append(f'<text x="{x:.0f}" y="{HEIGHT - 18}">{share * most:.3g}</text>')
    for value in (low, (low + high) / 2, high):
        _, y = place(0, value)
        drawn.append(f'<text class="end" x="{LEFT - 4}" y="{y + 4:.0f}">{value:.2f}</text>')
    drawn.append(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 3}">{NAMES.get(cost, cost)}</text>')
    taken: list[float] = []
    for c, s, name in sorted(points, key=lambda p: -p[1]):
        x, y = place(c, s)
        on_front = name in best
        drawn.append(
            f'<circle class="{"front" if on_front else "other"}" cx="{x:.1f}" cy="{y:.1f}" r="4">'
            f"<title>{jinja2.filters.do_forceescape(name)}: {s:.3f}, {c:.3g}</title></circle>"
        )
        if on_front:
            height = y + 4
            while any(abs(height - other) < 12 for other in taken):
                height += 12
            taken.append(height)
            label = jinja2.filters.do_forceescape(name)
            side, shift = ("start", 7) if x < WIDTH * 0.6 else ("before", -7)
            drawn.append(
                f'<text class="{side}" x="{x + shift:.1f}" y="{height:.1f}">{label}</text>'
            )
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Score over {NAMES.get(cost, cost)}">{"".join(drawn)}</svg>'
    )
