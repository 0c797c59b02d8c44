"""What holds of every kind of figure."""

import re
from pathlib import Path

import pytest
import yaml
from helpers import ROOT, slowly
from matplotlib.figure import Figure
from small_figures import MADE, drawn

from fedreact import plugins
from fedreact.figures import style
from fedreact.figures.contract import FigureKind
from fedreact.metrics.grammar import load_metric

KINDS = plugins.names("figures", "FIGURE")


def in_papers():
    """Kinds that a paper's figures.yaml names."""
    files = (ROOT / "config/papers").glob("*/figures.yaml")
    return {entry["kind"] for file in files for entry in yaml.safe_load(file.read_text()).values()}


OURS = [
    kind for kind in KINDS if (ROOT / f"src/fedreact/figures/{kind.replace('-', '_')}.py").exists()
]


@pytest.mark.parametrize("kind", OURS)
def test_each_kind_is_in_a_paper_or_drawn_here(kind):
    assert kind in in_papers() | set(MADE)


def test_what_is_drawn_here_is_there():
    assert set(MADE) <= set(KINDS)
    assert all(issubclass(plugins.load("figures", kind, "FIGURE"), FigureKind) for kind in KINDS)


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """Each kind, drawn two times from the same inputs, made two times."""
    figures = {}

    def draw(kind):
        if kind not in figures:
            figures[kind] = [drawn(kind, tmp_path_factory.mktemp(kind)) for _ in range(2)]
        return figures[kind]

    return draw


@pytest.mark.parametrize(
    "kind",
    slowly(dict(zip(MADE, MADE)), "curves", "bars", "pareto", "rand-score", "people"),
)
def test_the_same_figure_has_the_same_bytes(twice, kind, tmp_path):
    for figure, name in zip(twice(kind), "ab"):
        assert isinstance(figure, Figure)
        style.save(figure, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
    for suffix, start in ((".pdf", b"%PDF"), (".png", b"\x89PNG")):
        a, b = ((tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
        assert a.startswith(start)
        assert a == b


@pytest.mark.parametrize("kind", MADE)
def test_the_title_is_shown(twice, kind):
    figure = twice(kind)[0]
    titles = [figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]
    assert [title for title in titles if title.startswith("a title")]


@pytest.mark.parametrize("kind", MADE)
def test_axes_are_labelled(twice, kind):
    figure = twice(kind)[0]
    figure.draw_without_rendering()
    assert unlabelled(figure) == []
    assert any(axes.get_ylabel() for axes in figure.axes) or kind in (
        "gain",
        "differences",
        "ranks",
    )  # whose lines are named


def test_axes_without_labels_are_found():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.plot([1, 2], [3, 4])
    right.plot([1, 2], [3, 4])
    left.set(xlabel="what", ylabel="how much")
    figure.draw_without_rendering()
    assert unlabelled(figure) == [(1, "x")]
    right.plot([1, 2], [30, 40])
    figure.draw_without_rendering()
    assert unlabelled(figure) == [(1, "x"), (1, "y")]
    right.set(ylabel="how much")
    right.set(xticks=[1, 2], xticklabels=["one", "two"])
    figure.draw_without_rendering()
    assert unlabelled(figure) == []


def unlabelled(figure):
    """Axes with numbers along x or y, which neither they nor those in line with them explain."""
    places = []
    for i, axes in enumerate(figure.axes):
        for name in "xy":
            axis = axes.xaxis if name == "x" else axes.yaxis
            numbers = [text for text in axis.get_ticklabels() if text.get_visible()]
            if not any(is_number(text.get_text()) for text in numbers) or not axes.axison:
                continue
            others = [other for other in figure.axes if in_line(axes, other, name)]
            axis_of = [other.xaxis if name == "x" else other.yaxis for other in others]
            if not any(axis.get_label_text() for axis in axis_of):
                places.append((i, name))
    return places


def is_number(text):
    text = text.replace(r"\mathdefault", "")
    return bool(re.search(r"\d", text)) and not re.search("[A-Za-z]", text)


def in_line(axes, other, name):
    """Whether two panels stand below (x) or beside (y) each other, and show the same range."""
    a, b = axes.get_position(), other.get_position()
    ends = [(a.x0, b.x0), (a.x1, b.x1)] if name == "x" else [(a.y0, b.y0), (a.y1, b.y1)]
    limits = [panel.get_xlim() if name == "x" else panel.get_ylim() for panel in (axes, other)]
    return limits[0] == limits[1] and all(abs(first - second) < 1e-3 for first, second in ends)


# ---- What figures are made from ------------------------------------------------------------------


class Asked:
    """Answers with what was asked."""

    def table(self, name):
        return f"table {name}"

    def run(self, kind, setting):
        return [f"run {kind} {setting}"]

    def partition(self, name):
        return f"partition {name}"

    def dataset(self, role):
        return f"dataset {role}"

    def parts(self, role, *names):
        return [f"parts {role} {' '.join(names)}".strip()]


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("detector", []),
        ("digits", ["dataset digits"]),
        ("first-layer", ["run first_layer ten"]),
        ("gain", []),
        ("label-distribution", ["partition p"]),
        ("n-clusters", ["run n_clusters s10"]),
        ("pareto", []),
        ("people", ["dataset digits"]),
        ("published", ["table table1"]),
        ("rand-score", []),
        ("recovery", []),
        ("rounds", []),
        ("series", ["dataset digits"]),
        ("spectrogram", ["dataset eeg"]),
        ("theorem1", []),
        ("thermometer", ["parts sumo"]),
        ("trip", ["parts sumo valley"]),
    ],
)
def test_inputs_are_asked_for(kind, asked, tmp_path):
    made, cells, files = MADE[kind](tmp_path)
    assert made.inputs(Asked()) == asked
    # Of scores those of its cells, and of each of them what it shows.
    assert set(made.cells()) == set(cells)
    assert bool(made.metrics) == bool(cells)
    assert all(metric in lines for lines in cells.values() for metric in made.metrics)
    assert all(load_metric(metric) for metric in made.metrics)
    assert all(isinstance(file, Path) for file in files)
