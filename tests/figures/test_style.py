"""The look of figures."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fedreact.figures import style


@pytest.mark.parametrize("room", [9, 20, 46])
def test_lines_of_a_label_are_about_equally_long(room):
    text = "Megabytes between a client and the server, in all"
    lines = style.balanced(text, room).splitlines()
    assert " ".join(lines) == text
    assert max(map(len, lines)) <= room
    assert style.balanced(text, 46) == "Megabytes between a client\nand the server, in all"


def test_intervals_are_those_of_means_over_seeds():
    # 0.1, 0.2, 0.3: sd 0.1, t(0.975, 2) = 4.302653; 1, 1, 1: none.
    mean, half_width = style.interval(pd.DataFrame([[0.1, 0.2, 0.3], [1, 1, 1]]))
    assert mean.tolist() == pytest.approx([0.2, 1])
    assert half_width.tolist() == pytest.approx([4.302653 * 0.1 / 3**0.5, 0], rel=1e-6)
    mean, half_width = style.interval(pd.DataFrame([[0.1], [1]]))
    assert mean.tolist() == [0.1, 1]
    assert np.isnan(half_width).all()


def test_titles_say_what_is_averaged():
    assert style.with_seeds("T", 1) == "T, one seed"
    assert style.with_seeds("T", 5) == "T, mean over 5 seeds with 95% interval"


@pytest.mark.parametrize("width", [3.6, 7.2])
@pytest.mark.parametrize("n", [1, 4, 9])
def test_titles_and_legends_stay_within_the_figure(width, n):
    figure = Figure(figsize=(width, 5), layout="constrained")
    axes = figure.subplots()
    for i in range(n):
        axes.plot([0, 1], label=f"a method with a name {i}")
    title = (
        "A title that says at some length what is drawn here, over which rounds and why\nand more"
    )
    style.title_and_legend(figure, [axes], title, 5)
    figure.draw_without_rendering()
    assert figure.get_suptitle().replace("\n", " ") == title.replace("\n", " ")
    for drawn in (figure._suptitle, *figure.legends):
        box = drawn.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
