"""Tables as a terminal shows them: aligned, no wider than it is, and whole."""

import pytest

from fedreact.tables import terminal

MARKDOWN = """Accuracy of **clustered** learning, from `table05`.

|  | Fed-REACT | Other |
|---|---:|---:|
| Digits, 10 clients | 0.855 ± 0.024 [0.909] ≠ | 0.8 |
| a \\| b |  | 0.75 |

- Not comparable: one two three four five six seven eight nine ten eleven twelve
"""


def test_columns_are_aligned_and_marks_are_gone():
    lines = terminal.text(MARKDOWN, 60).splitlines()
    assert lines[0] == "Accuracy of clustered learning, from table05."
    assert lines[2:6] == [
        "                                  Fed-REACT  Other",
        "─" * 50,
        "Digits, 10 clients  0.855 ± 0.024 [0.909] ≠    0.8",
        "a | b                                         0.75",
    ]
    assert lines[7:] == [
        "- Not comparable: one two three four five six seven eight",
        "  nine ten eleven twelve",
    ]


def test_a_wide_table_is_in_parts_that_all_have_the_labels():
    lines = terminal.text(MARKDOWN, 44).splitlines()
    assert max(map(len, lines)) <= 44
    assert sum("Digits, 10 clients" in line for line in lines) == 2
    heads = [i for i, line in enumerate(lines) if line.endswith(("REACT", "Other"))]
    assert [lines[i + 2][-3:] for i in heads] == ["] ≠", "0.8"]


@pytest.mark.parametrize("width", [1, 10, 200])
def test_any_width_shows_every_cell_once(width):
    text = terminal.text(MARKDOWN, width)
    for cell in ("0.855 ± 0.024 [0.909] ≠", "0.75"):
        assert text.count(cell) == 1
