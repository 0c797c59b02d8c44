"""Ranks of methods over datasets."""

import numpy as np
import pytest
from scipy.stats import wilcoxon
from small_figures import of_scores, ranks

from fedreact.figures.ranks import Ranks, cliques
from fedreact.tables.trivial import FLAG


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


def test_settings_of_one_dataset_are_averaged_first_and_flagged_ones_left_out(tmp_path):
    """By hand: four settings, of which two are of one dataset, and one has the flag."""
    kind = Ranks(
        {"a": "s10", "b": "s10", "c": "s10", "d": "s10"}, {"x": "a1", "y": "sc"}, table="all"
    )
    accuracy = {  # of x and y: on pendigits, y is ahead in b alone and x on average
        "a": (0.9, 0.6),
        "b": (0.6, 0.8),
        "c": (0.1, 0.3),
        "d": (0.9, 0.1),
    }
    data = {"a": "pendigits", "b": "pendigits+owners=8", "c": "har", "d": "eeg"}
    cells = {
        (label, name): lines.assign(accuracy=accuracy[label]["xy".index(name)], data=data[label])
        for (label, name), lines in of_scores(kind).items()
    }
    of_data = kind.by_dataset(kind.scores(cells).drop(columns="d"), cells)
    assert of_data.to_dict("list") == {
        "pendigits, 2 settings": pytest.approx([0.75, 0.7]),
        "c": pytest.approx([0.1, 0.3]),
    }
    assert kind.ranks(of_data).to_dict("index") == {
        "x": {"pendigits, 2 settings": 1, "c": 2},
        "y": {"pendigits, 2 settings": 2, "c": 1},
    }
    table = tmp_path / "all.csv"
    lines = [
        f"{row},{column},accuracy,{FLAG if row == 'd' else ''},not-comparable"
        for row in accuracy
        for column in "xy"
    ]
    table.write_text("\n".join(["row,column,metric,flag,verdict", *lines]) + "\n")
    figure = kind.draw("t", cells, [table])
    names = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert names == ["pendigits, 2 settings", "c"]
    said = " ".join(figure.get_suptitle().split())
    assert "2 datasets, 2 methods" in said
    assert "Not counted, trivial predictor ahead: d." in said


def test_a_method_that_lacks_a_setting_of_a_dataset_has_no_rank():
    kind = Ranks({"a": "s10", "b": "s100"}, {"x": "a1", "y": "sc"})
    cells = of_scores(kind, skipped={("b", "y")})
    of_data = kind.by_dataset(kind.scores(cells), cells)
    assert of_data.isna().to_dict("list") == {"rtd, 2 settings": [False, True]}


def test_rows_are_sorted_and_each_rank_is_printed(tmp_path):
    kind, cells, _ = ranks(tmp_path)
    left, _ = kind.draw("t", cells, []).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["EC", "SC"]
    assert [label.get_text() for label in left.get_xticklabels()] == ["ten", "hundred"]
    assert [text.get_text() for text in left.texts] == ["1", "1", "2", "2"]


def test_a_bar_joins_methods_that_do_not_differ():
    """Three methods on ten datasets: two take turns, the third is always far behind."""
    accuracy = np.array([[0.8, 0.7] * 5, [0.7, 0.8] * 5, np.linspace(0.1, 0.3, 10)])
    settings = {f"data {i}": "s10" for i in range(10)}
    kind = Ranks(settings, {"x": "a1", "y": "a1", "z": "a1"})
    cells = {
        (label, name): lines.assign(
            accuracy=accuracy["xyz".index(name), int(label[5:])], data=label
        )
        for (label, name), lines in of_scores(kind).items()
    }
    figure = kind.draw("t", cells, [])
    said = " ".join(figure.get_suptitle().split())
    assert "10 datasets, 3 methods that ran on all of them." in said
    assert "(Wilcoxon, Holm over 3 pairs, 5%)" in said
    assert "can." not in said
    bars = [lines for lines in figure.axes[1].collections if lines.get_linewidth() == 2]
    assert [bar.get_segments()[0][:, 1].tolist() for bar in bars] == [[-0.25, 1.25]]


def test_few_datasets_cannot_separate_many_methods():
    """With six datasets the smallest p is 2 / 64 = .031. One pair needs .05, three need .017."""
    accuracy = np.linspace(0.1, 0.9, 18).reshape(3, 6)
    assert cliques(accuracy) == [(0, 2)]
    assert cliques(accuracy[:2]) == []


def test_groups_are_the_largest_ones():
    """Neighbours do not differ, the first and the last do: two groups that overlap."""
    noise = np.random.default_rng(4).normal(size=(3, 12))
    scores = np.array([1.2, 0.6, 0.0])[:, None] + noise
    assert wilcoxon(scores[0], scores[2]).pvalue < 0.05 / 3
    assert min(wilcoxon(scores[i], scores[i + 1]).pvalue for i in (0, 1)) > 0.05 / 2
    assert cliques(scores) == [(0, 1), (1, 2)]
    assert cliques(np.ones((3, 12))) == [(0, 2)]


def test_one_dataset_has_no_ranks():
    kind = Ranks({"a": "s10"}, {"x": "a1", "y": "sc"})
    (axes,) = kind.draw("t", of_scores(kind), []).axes
    assert [text.get_text() for text in axes.texts] == ["Ranks need two methods on two datasets."]
