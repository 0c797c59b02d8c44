"""The curves of the clients that drift."""

import pytest
from small_figures import drawn, drifting

from fedreact.errors import UserError


def test_scores_are_those_of_the_clients_that_drift(tmp_path):
    """Clients 4 to 6 have .6, .8 and 1 in seed 0, halves and thirds of them in seeds 1 and 2."""
    figure = drawn("drifting", tmp_path)
    for line, expected in zip(figure.axes[0].containers, (1, 1 / 2)):
        mean = 0.8 * expected * (1 + 1 / 2 + 1 / 3) / 3
        assert list(line.lines[0].get_ydata()) == pytest.approx([mean] * 2)
    assert len(figure.axes[0].containers) == 2


def test_they_lie_at_what_was_taken_until_then(tmp_path):
    (first, *_) = drawn("drifting", tmp_path).axes[0].containers
    assert first.lines[0].get_xdata().tolist() == pytest.approx([10, 20])


def test_rounds_of_which_no_client_is_kept_are_refused(tmp_path):
    kind, cells, _ = drifting(tmp_path)
    cells = {at: lines.assign(round=lines["round"] + 2) for at, lines in cells.items()}
    with pytest.raises(UserError, match="last rounds alone"):
        kind.draw("t", cells, [])
