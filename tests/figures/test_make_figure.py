"""The command that draws a figure."""

import json
from argparse import Namespace
from dataclasses import replace

import make_figure
import pytest
import yaml
from small_figures import CURVES, SETTINGS, theorem
from small_table import folder, scores

from fedreact.errors import UserError
from fedreact.figures import style
from fedreact.figures.looks import look
from fedreact.reading import as_json
from fedreact.tables.sources import CellSource

ENTRY = {"kind": "rand-score", "title": "Rand score", "settings": SETTINGS, "curves": CURVES}


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Draw an entry; returns the figure that was written."""
    monkeypatch.chdir(tmp_path)
    saved = []

    def save(figure, pdf, png):
        saved.append(figure)
        original(figure, pdf, png)

    original = style.save
    monkeypatch.setattr(style, "save", save)

    def run(entry, layout=(), files=(), data="rtd", looks=None, names=None):
        (tmp_path / "figures.yaml").write_text(yaml.safe_dump({"fig": entry}, sort_keys=False))
        written = []
        for path, lines in scores().groupby("file"):
            written.append(tmp_path / path)
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            lines.drop(columns=["file", "folder"]).to_csv(written[-1], index=False)
        args = Namespace(
            figures=tmp_path / "figures.yaml",
            name="fig",
            layout=as_json(list(layout)),
            looks=json.dumps(looks or {}),
            names=json.dumps(names or {}),
            scores=[path.relative_to(tmp_path) for path in written] if layout else [],
            files=list(files),
            data=data,
            scale="quick",
            output=tmp_path / "figures/fig.pdf",
        )
        make_figure.main(args)
        assert args.output.read_bytes().startswith(b"%PDF")
        assert args.output.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        assert len(list(args.output.parent.iterdir())) == 2
        return saved[-1]

    return run


def places(skipped=()):
    return [
        CellSource(
            panel, curve, folder(setting), method, "why" if (panel, curve) in skipped else None
        )
        for panel, setting in SETTINGS.items()
        for curve, method in CURVES.items()
    ]


def test_a_figure_of_scores_says_its_data_and_scale(make):
    figure = make(ENTRY, places())
    lines = figure.get_suptitle().splitlines()
    assert lines == ["Rand score", "rtd, scale quick, mean over 3 seeds with 95% interval"]
    assert [len(axes.containers) for axes in figure.axes] == [2, 2]


def test_labels_have_the_looks_and_names_that_are_given(make):
    entry = ENTRY | {"settings": {"A: RTD": "s10", "hundred": "s100"}}
    layout = [replace(place, row="A: RTD") if place.row == "ten" else place for place in places()]
    figure = make(entry, layout, looks={"EC": 5, "SC": 3}, names={"digits": "A"})
    curves = figure.axes[0].containers
    assert [curve.lines[0].get_color() for curve in curves] == [look(5).colour, look(3).colour]
    assert figure.axes[0].get_title() == "Digits (rtd; paper: A): RTD"


def test_variants_of_a_dataset_are_named_once(make):
    figure = make(ENTRY, places(), data="watch, watch+step=64, har")
    assert figure.get_suptitle().splitlines()[1].startswith("watch, har, scale quick")


def test_what_cannot_run_is_not_drawn(make):
    figure = make(ENTRY, places([("hundred", "SC")]))
    assert [len(axes.containers) for axes in figure.axes] == [2, 1]


def test_a_figure_of_a_study_has_no_data(make, tmp_path):
    entry = {"kind": "theorem1", "title": "Theorem 1", "study": {"kind": "theorem1"}}
    figure = make(entry, files=[theorem(tmp_path / "t.csv")], data="")
    assert figure.get_suptitle().splitlines()[1].startswith("scale quick, mean over 2 seeds")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "pie"}, "figures.yaml: fig: 'pie' is unknown"),
        ({"sitting": {}}, "unknown key sitting"),
        ({"curves": 3}, "curves"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_and_nothing_written(make, tmp_path, change, words):
    with pytest.raises(UserError, match=words):
        make(ENTRY | change, places())
    assert not (tmp_path / "figures").exists()
