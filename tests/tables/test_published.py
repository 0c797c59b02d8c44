"""Published values: read, checked, and how they are rounded."""

import pytest

from fedreact.errors import UserError
from fedreact.tables import published


@pytest.mark.parametrize(
    ("value", "row", "decimals"),
    [
        (0.75, [0.75, 0.701, 0.853], 3),  # YAML dropped a zero
        (0.7512, [0.7512, 0.7, 0.8], 4),
        (1.31, [1.31, 2.5, 1.34], 2),
        (0.92, [0.92, None, None], 2),
        (12, [12, 13], 0),
        (1e-05, [1e-05], 5),
    ],
)
def test_decimals_are_those_of_the_row_or_more(value, row, decimals):
    assert published.decimals_beside(value, row) == decimals


def test_published_values_are_read_and_checked(tmp_path):
    path = tmp_path / "t.yaml"
    text = "{source: s, data: d, metric: m, columns: [A], rows: {r: [0.5]}, unstated: {}}"
    path.write_text(text)
    assert published.read(path)["rows"] == {"r": [0.5]}
    path.write_text(text.replace("unstated", "plus_minus: {q: [0.1]}, unstated"))
    with pytest.raises(UserError, match=r"t\.yaml: plus_minus: 'q' is unknown; known: r"):
        published.read(path)
    path.write_text(text.replace("unstated", "plus_minus: {r: [-0.1]}, unstated"))
    with pytest.raises(
        UserError, match=r"t\.yaml: row 'r' of plus_minus holds -0\.1, which is neg"
    ):
        published.read(path)
    path.write_text(text.replace("unstated", "nearly: {q: a}, unstated"))
    with pytest.raises(UserError, match=r"t\.yaml: nearly: 'q' is unknown; known: r"):
        published.read(path)
    path.write_text(text.replace("unstated", "plus_minus: {r: [a]}, unstated"))
    with pytest.raises(UserError, match=r"t\.yaml: row 'r' holds 'a', which is no number"):
        published.read(path)
    path.write_text(text.replace("[0.5]", "[0.5, 0.6]"))
    with pytest.raises(UserError, match=r"t\.yaml: row 'r' has 2 values for 1 columns"):
        published.read(path)
