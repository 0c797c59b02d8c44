"""What tables, figures and numbers are called."""

import pytest

from fedreact.report.names import interval, number, printed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("table05", "Table 5"),
        ("fig12", "Figure 12"),
        ("table5_1", "Table 5.1"),
        ("iclr_table01", "Table 1 (ICLR)"),
        ("fig5_3_extrasensory", "Figure 5.3"),
        ("sumo_splits", ""),
        ("tables", ""),
    ],
)
def test_names_are_those_that_papers_print(name, text):
    assert printed(name) == text


def test_numbers_have_a_minus_and_none_is_nothing():
    assert number(-0.12345, 3) == "−0.123"
    assert number(0.5, 2, "+") == "+0.50"
    assert number(12345.0, 0) == "12,345"
    assert number(None, 3) == number(float("nan"), 3) == ""


def test_intervals_with_signs_have_a_word_between():
    assert interval(0.1, 0.25, 2) == "0.10–0.25"
    assert interval(-0.1, 0.25, 2, "+") == "−0.10 to +0.25"
    assert interval(-3.0, -1.0, 0) == "−3 to −1"
    assert interval(None, None, 2) == interval(float("nan"), 1.0, 2) == ""
