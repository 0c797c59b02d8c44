"""Looks of labels, the same in all figures of a paper."""

import pytest

from fedreact.figures.looks import PALETTE, look, looks, named, of_paper, places


def test_labels_of_one_figure_never_share_a_place():
    figures = [["a", "b"], ["c"], ["b", "c", "d"], [str(i) for i in range(20)]]
    placed = places(figures)
    for labels in figures:
        assert len({placed[label] for label in labels}) == len(labels)
    assert len({look(place) for place in range(40)}) == 40


def test_labels_that_never_meet_differ_while_there_are_colours():
    placed = places([[str(i)] for i in range(len(PALETTE))])
    assert sorted(placed.values()) == list(range(len(PALETTE)))


def test_a_new_figure_at_the_end_changes_no_look():
    figures = [["a", "b"], ["c"]]
    assert places(figures).items() <= places([*figures, ["d", "a"], ["e"]]).items()


def test_labels_have_the_looks_of_their_paper_and_others_get_free_ones():
    with of_paper({"a": 1, "b": 0}, {}):
        assert looks(["a", "x", "b"]) == {"a": look(1), "x": look(2), "b": look(0)}
    assert looks(["a", "x"]) == {"a": look(0), "x": look(1)}


@pytest.mark.parametrize(
    ("label", "data", "shown"),
    [
        ("(a) RTD", ["pendigits"], "(a) Digits (pendigits; paper: RTD)"),
        ("(a) RTD", ["rtd"], "(a) RTD"),
        ("(a) RTD", ["pendigits", "rtd"], "(a) RTD"),
        ("(b) EEG", ["eegmmidb"], "(b) EEG (eegmmidb)"),
        ("Epilepsy 100", ["bonn+owner=recording"], "Epilepsy (bonn), 100"),
        ("HHAR 9", ["hhar"], "HHAR 9"),
        ("10 clients", ["pendigits"], "10 clients"),
    ],
)
def test_rows_are_named_by_data_that_stands_in(label, data, shown):
    names = {"digits": "RTD", "eeg": "EEG", "har": "HAR", "hhar": "HHAR", "bonn": "Epilepsy"}
    with of_paper({}, names):
        assert named(label, data) == shown
