"""The page of a result on a user's own data: one file that needs no other, and no network."""

import base64
from pathlib import Path

import jinja2
from markupsafe import Markup

from fedreact import plugins
from fedreact.metrics.contract import Metric
from fedreact.metrics.grammar import load_metric
from fedreact.notes.scores import MethodScores, Result
from fedreact.notes.words import ABOUT, difference, number
from fedreact.result import plots
from fedreact.result.content import MOST_CLIENTS, MOST_LABELS, Section, read, table_of_scores
from fedreact.result.sources import ResultSource
from fedreact.tables.decimals import with_digits

TEMPLATES = Path(__file__).with_name("templates")
SHARED = plugins.PACKAGE / "benchmark" / "templates" / "benchmark.css"
"""Colours and tables that it shares with the benchmark's page."""
PARTS = {
    "federated": "federated",
    "alone": "each client alone",
    "trivial": "learns nothing",
    "simple": "simple, each client alone",
    "pooled": "all data in one place",
}
"""What a method is, for a column of a table."""


def page(source: ResultSource) -> str:
    """Fill the template.

    Raises
    ------
    UserError
        A file cannot be read, or there is no result.
    """
    sections = read(source)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    csv = base64.b64encode(table_of_scores(sections).encode()).decode()
    styles = [path.read_text(encoding="utf-8") for path in (SHARED, TEMPLATES / "result.css")]
    return environment.get_template("result.html.j2").render(
        source=source,
        sections=sections,
        csv=f"data:text/csv;base64,{csv}",
        style=Markup("\n".join(styles)),
        plot=lambda section: Markup(plots.methods(section.result, section.summaries)),
        curves=lambda section: Markup(plots.curves(section.result)),
        number=number,
        cost=cost,
        grown=grown,
        gap=gap,
        other_metrics=other_metrics,
        about=ABOUT,
        parts=PARTS,
        doubled=doubled,
        most_clients=MOST_CLIENTS,
        most_labels=MOST_LABELS,
        shade=shade,
        largest=largest,
    )


def grown(method: MethodScores, name: str) -> str:
    """Write a cost now, and after twice the rounds; empty if it is not known."""
    if (now := method.costs.get(name)) is None:
        return ""
    more = method.costs_of_more[name]
    return f"{cost(now)} → {cost(now + more)}" if more else cost(now)


def cost(value: float | None) -> str:
    """Write megabytes or GFLOPs by three digits; empty if they are not known."""
    if value is None:
        return ""
    if 0 < value < 0.001:
        return "< 0.001"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def gap(result: Result, method: MethodScores, label: str) -> str:
    """Write the difference of a method from another one; empty for that one itself."""
    other = next((m for m in result.methods if m.label == label), None)
    if other is None or other is method:
        return ""
    return difference(result.difference(method, other), result.metric)


def other_metrics(result: Result) -> dict[str, Metric]:
    """Return the metrics by which the methods are scored too, by their names."""
    names = dict.fromkeys(name for method in result.methods for name in method.others)
    means = {name: [method.mean_by(name) for method in result.methods] for name in names}
    return {
        name: with_digits(load_metric(name), [one for one in means[name] if one is not None])
        for name in names
    }


def doubled(section: Section) -> list[tuple[str, int, str]]:
    """Return kind of run, rounds, and where they are written, for kinds that have rounds."""
    used = {section.source.kinds[m.label] for m in section.result.of("federated", "alone")}
    return [
        (kind, rounds, place)
        for kind, (rounds, place) in section.setting.rounds.items()
        if kind in used
    ]


def largest(section: Section) -> float:
    """Return the largest size of a client's gain."""
    return max((abs(g) for one in section.gains for g in one.gains if g is not None), default=0.0)


def shade(gain: float | None, most: float) -> str:
    """Return the style of a cell with a gain: the larger, the darker."""
    if gain is None or not most:
        return ""
    share = round(min(abs(gain) / most, 1.0) * 45)
    colour = "good" if gain > 0 else "bad"
    return f"background: color-mix(in srgb, var(--{colour}) {share}%, transparent)"
