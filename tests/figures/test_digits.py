"""The figure of what the digits look like."""

import numpy as np
import pytest
from small_figures import digits, spoken

from fedreact.data.dataset import SeriesDataset
from fedreact.figures.bands import Bands
from fedreact.figures.digits import Digits


@pytest.mark.parametrize("writers", [True, False])
def test_digits_of_writers(writers, tmp_path):
    file = digits(tmp_path / "d.npz", owners=writers)
    figure = Digits().draw("a title", {}, [file])
    figure.savefig(tmp_path / "x.png")
    assert len(figure.axes) == 30
    assert {len(axes.lines) for axes in figure.axes} == {3}  # strokes, and the start
    names = [axes.get_ylabel() for axes in figure.axes[::10]]
    assert names == [f"{'Writer' if writers else 'Sample'} {i + 3 * writers}" for i in (1, 2, 3)]
    drawn = figure.axes[12].lines[0].get_xdata()  # the second row's 2
    X = SeriesDataset.load(file).X
    assert np.array_equal(drawn, X[12, 0, :6])


def test_digits_of_another_dataset(tmp_path):
    kind = Digits("air-digits", "Person")

    class Asked:
        def dataset(self, role):
            return f"{role}.npz"

    assert kind.inputs(Asked()) == ["air-digits.npz"]
    figure = kind.draw("a title", {}, [digits(tmp_path / "d.npz")])
    assert [axes.get_ylabel() for axes in figure.axes[::10]] == ["Person 4", "Person 5", "Person 6"]


def test_bands_are_images_with_low_bands_below(tmp_path):
    file = spoken(tmp_path / "fsdd.npz")
    figure = Bands("fsdd", "Speaker", "10 ms", "Mel band").draw("a title", {}, [file])
    assert len(figure.axes) == 6
    labels = [axes.get_ylabel() for axes in figure.axes[::3]]
    assert labels == ["Speaker 3\nMel band", "Speaker 5\nMel band"]
    assert [axes.get_title() for axes in figure.axes[:3]] == ["0", "1", "2"]
    images = [axes.images[0] if axes.images else None for axes in figure.axes]
    assert [image is None for image in images] == [False, False, True, False, False, False]
    X = SeriesDataset.load(file).X
    np.testing.assert_array_equal(images[3].get_array(), X[2, :, :9])  # no padding
    assert images[3].origin == "lower"
    assert {axes.get_xlim() for axes in figure.axes if axes.axison} == {(-0.5, 8.5)}


def test_digits_without_a_pen_are_one_stroke_each(tmp_path):
    data = SeriesDataset.load(digits(tmp_path / "d.npz"))
    X = data.X.copy()
    X[:, 2] = np.arange(12) / 12  # a third coordinate
    lengths = np.full(60, 9)
    X[:, :, 9:] = 0
    SeriesDataset("rtd", X, lengths, data.y).save(tmp_path / "rtd.npz")
    figure = Digits().draw("a title", {}, [tmp_path / "rtd.npz"])
    assert {len(axes.lines) for axes in figure.axes} == {2}
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), X[0, 1, :9])  # no padding
