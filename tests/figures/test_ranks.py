"""Ranks of methods over datasets."""

import pytest
from small_figures import of_scores, ranks

from fedreact.figures.ranks import Ranks, critical_difference


def test_methods_are_ranked_on_each_dataset(tmp_path):
    kind, cells, _ = ranks(tmp_path)
    scores = kind.scores(cells)
    assert scores.loc["EC"].tolist() == pytest.approx([0.91, 0.91])  # the last round's
    assert scores.loc["SC"].tolist() == pytest.approx([0.71, 0.71])
    assert kind.ranks(scores).to_dict("index") == {
        "EC": {"ten": 1, "hundred": 1},
        "SC": {"ten": 2, "hundred": 2},
    }


def test_equals_share_a_rank_and_who_lacks_a_dataset_has_none():
    kind = Ranks({"a": "s10", "b": "s100"}, {"x": "a1", "y": {"method": "a1"}, "z": "sc"})
    cells = of_scores(kind, skipped={("b", "z")})
    ranked = kind.ranks(kind.scores(cells))
    assert ranked.to_dict("index") == {"x": {"a": 1.5, "b": 1.5}, "y": {"a": 1.5, "b": 1.5}}


def test_rows_are_sorted_and_each_rank_is_printed(tmp_path):
    kind, cells, _ = ranks(tmp_path)
    left, _ = kind.draw("t", cells, []).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["EC", "SC"]
    assert [label.get_text() for label in left.get_xticklabels()] == ["ten", "hundred"]
    assert [text.get_text() for text in left.texts] == ["1", "1", "2", "2"]


def test_the_band_is_as_wide_as_the_critical_difference():
    k, settings = 8, {f"data {i}": "s10" for i in range(30)}
    kind = Ranks(settings, {f"m{i}": "a1" for i in range(k)})
    cells = {
        (label, name): lines.assign(accuracy=(int(name[1:]) + int(label[5:]) % 2) / 10)
        for (label, name), lines in of_scores(kind).items()
    }
    figure = kind.draw("t", cells, [])
    (band,) = figure.axes[1].patches
    gap = critical_difference(k, 30)
    assert band.get_width() == pytest.approx(gap)
    assert band.get_x() == pytest.approx(1)  # the best one's mean rank
    assert f"difference {gap:.1f}; 1 methods" in " ".join(figure.get_suptitle().split())


def test_one_dataset_has_no_ranks():
    kind = Ranks({"a": "s10"}, {"x": "a1", "y": "sc"})
    (axes,) = kind.draw("t", of_scores(kind), []).axes
    assert [text.get_text() for text in axes.texts] == ["Ranks need two methods on two datasets."]


def test_critical_differences_are_those_of_the_tables():
    """Demsar 2006, Table 5 (a): 1.960 for 2 methods, 2.728 for 5, 3.164 for 10."""
    for k, q in ((2, 1.960), (5, 2.728), (10, 3.164)):
        assert critical_difference(k, 6) == pytest.approx(q * (k * (k + 1) / 36) ** 0.5, abs=2e-3)
