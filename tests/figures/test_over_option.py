"""Scores over an option of the run."""

import pytest
from small_figures import drawn, over_option


def test_points_lie_at_the_values_of_the_option(tmp_path):
    (axes,) = drawn("over-option", tmp_path).axes
    first = axes.containers[0].lines[0]
    assert first.get_xdata() == pytest.approx([4, 8], rel=0.02)
    assert first.get_ydata() == pytest.approx([0.4, 0.8])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["4", "8"]


def test_cells_are_asked_for_with_whole_numbers(tmp_path):
    kind, _, _ = over_option(tmp_path)
    entry = kind.cells()["4", "EC"]
    assert entry == {"setting": "s10", "method": "a1", "samples": 4}
    assert isinstance(entry["samples"], int)
