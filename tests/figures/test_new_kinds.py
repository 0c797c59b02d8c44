"""The Pareto front, published against rebuilt values, and series of a dataset."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from small_figures import csv, of_scores, pareto, people, published, series

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.figures.pareto import Pareto, front
from fedreact.figures.published import Published
from fedreact.figures.series import Series


@pytest.mark.parametrize(
    ("points", "best"),
    [
        ({"a": (1, 0.5), "b": (2, 0.6), "c": (2, 0.5), "d": (3, 0.6)}, ["a", "b"]),
        ({"a": (1, 0.5), "b": (1, 0.5), "c": (1, 0.4)}, ["a", "b"]),
        ({"a": (2, 0.9), "b": (1, 0.9)}, ["b"]),
        ({}, []),
    ],
)
def test_no_point_of_the_front_is_dominated(points, best):
    assert front(points) == best


def test_markers_of_the_front_are_filled(tmp_path):
    kind, cells, _ = pareto(tmp_path)
    (axes,) = kind.draw("t", cells, []).axes
    markers = {bars.get_label(): bars.lines[0] for bars in axes.containers}
    filled = {name: to_hex(m.get_markerfacecolor()) != "#ffffff" for name, m in markers.items()}
    assert filled == {"EC": True, "SC": False, "Alone": True}
    assert markers["EC"].get_xdata().tolist() == [4]  # megabytes after the last round
    assert markers["EC"].get_ydata() == pytest.approx([0.91])
    line = next(line for line in axes.get_lines() if line.get_label().startswith("Pareto"))
    assert line.get_xdata().tolist() == [0, 4]
    assert axes.get_xscale() == "symlog"


def test_of_errors_the_lowest_are_on_the_front():
    kind = Pareto({"": {"EC": "a1", "SC": "sc"}}, "s10", score="smape")
    lines = of_scores(kind)
    cells = {
        (panel, label): of_cell.assign(bytes=1.0, smape=0.1 if label == "SC" else 0.2)
        for (panel, label), of_cell in lines.items()
    }
    (axes,) = kind.draw("t", cells, []).axes
    line = next(line for line in axes.get_lines() if line.get_label().startswith("Pareto"))
    assert line.get_ydata().tolist() == pytest.approx([0.1])


def test_values_stand_over_the_published_ones(tmp_path):
    kind, _, files = published(tmp_path)
    figure = kind.draw("t", {}, files)
    (axes,) = figure.axes
    dots = [
        (line.get_xdata().tolist(), line.get_ydata().tolist(), to_hex(line.get_markerfacecolor()))
        for line in axes.get_lines()
        if line.get_marker() not in ("None", None, "") and len(line.get_xdata())
    ]
    hollow = [dot[:2] for dot in dots if dot[2] == "#ffffff"]
    filled = [dot[:2] for dot in dots if dot[2] != "#ffffff"]
    assert hollow == [([0.7], [0.6]), ([0.4], [0.5])]
    assert filled == [([0.9], [0.8])]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["EC", "SC"]
    assert "3 cells, 1 of them" in figure.get_suptitle()
    assert axes.get_xlim() == axes.get_ylim()


def test_each_panel_has_its_own_table(tmp_path):
    columns = "row column metric mean ci_low ci_high published verdict"
    files = [
        csv(
            tmp_path / f"{name}.csv", columns, [["r", "c", "accuracy", mean, 0, 1, mean, "differs"]]
        )
        for name, mean in (("early_table1", 0.2), ("table1", 0.4))
    ]
    kind = Published({"New": "table1", "Gone": "table9", "Early": "early_table1"})
    panels = kind.draw("t", {}, files).axes
    assert [axes.get_title() for axes in panels] == ["New", "Early"]
    assert [axes.containers[0].lines[2][0].get_segments()[0][0, 0] for axes in panels] == [0.4, 0.2]


@pytest.mark.parametrize("frequency", [False, True])
def test_two_people_with_the_same_label(tmp_path, frequency):
    kind, _, (file,) = people(tmp_path)
    data, kind = SeriesDataset.load(file), replace(kind, frequency=frequency)
    chosen = kind.people(data)
    assert len(chosen) == 2
    for person, one in chosen.items():
        own = np.flatnonzero((data.owner == person) & (data.y == 3))[0]
        assert (one == data.X[own][:, : data.lengths[own]]).all()
    panels = kind.draw("t", {}, [file]).axes
    assert [axes.name for axes in panels] == [
        "rectilinear",
        "polar" if frequency else "rectilinear",
    ] * 2
    first = next(iter(chosen.values()))
    assert panels[0].get_lines()[0].get_ydata().tolist() == first[0].tolist()
    if frequency:
        points = np.asarray(panels[1].collections[1].get_offsets())  # of y
        coefficients = np.fft.rfft(first[1])[1:]
        assert points[:, 0] == pytest.approx(np.angle(coefficients))
        assert points[:, 1] == pytest.approx(np.log1p(np.abs(coefficients)))


def test_rows_hold_series_of_their_label(tmp_path):
    kind, _, (file,) = series(tmp_path)
    data = SeriesDataset.load(file)
    rows = kind.rows(data)
    assert list(rows) == [f"Label {i}" for i in range(10)]
    for label, chosen in enumerate(rows.values()):
        assert len(set(chosen)) == 4
        assert (data.y[chosen] == label).all()
        assert len(set(data.owner[chosen])) == 4  # spread over writers
    panels = kind.draw("t", {}, [file]).axes
    first = panels[0].get_lines()
    assert [line.get_label() for line in first] == ["x", "y"]
    assert first[0].get_ydata().tolist() == data.X[rows["Label 0"][0], 0].tolist()


def test_of_many_labels_the_most_frequent_have_rows():
    y = np.zeros((20, 7), dtype=bool)
    for m, n in enumerate([1, 9, 3, 12, 5, 7, 0]):
        y[:n, m] = True
    data = SeriesDataset("d", np.ones((20, 1, 3), np.float32), np.full(20, 3), y)
    rows = Series("d", labels=("a", "b")).rows(data)
    assert list(rows) == ["Label 3", "b", "Label 5", "Label 4", "Label 2"]
    assert max(rows["Label 2"]) < 3


def test_rows_of_a_regression_are_quantiles_of_the_target(tmp_path):
    y = np.arange(100, dtype=np.float32)[::-1].copy()
    recording = np.arange(206, dtype=np.float32).reshape(103, 2)
    data = SeriesDataset("d", Windows(recording, np.arange(100), 3), np.full(100, 3), y)
    rows = Series("d").rows(data)
    assert list(rows) == ["Target about 4", "Target about 49", "Target about 94"]
    assert all(abs(y[chosen] - 4).max() <= 3 for chosen in [rows["Target about 4"]])
    data.save(tmp_path / "d.npz")
    first = Series("d").draw("t", {}, [tmp_path / "d.npz"]).axes[0].get_lines()
    start = rows["Target about 4"][0]
    assert first[1].get_ydata().tolist() == recording[start : start + 3, 1].tolist()


@pytest.mark.parametrize("planes", [1, 3])
def test_images_are_shown_as_images(tmp_path, planes):
    X = np.random.default_rng(0).random((8, 4 * planes, 5), dtype=np.float32)
    data = SeriesDataset("d", X, np.full(8, 5), np.arange(8) % 2)
    data.save(tmp_path / "d.npz")
    figure = Series("d", planes=planes).draw("t", {}, [tmp_path / "d.npz"])
    shown = figure.axes[0].images[0].get_array()
    assert shown.shape == ((4, 5) if planes == 1 else (4, 5, 3))
    assert shown[1, 2].tolist() == pytest.approx(
        X[0, [1 + 4 * c for c in range(planes)], 2].tolist() if planes > 1 else X[0, 1, 2]
    )
