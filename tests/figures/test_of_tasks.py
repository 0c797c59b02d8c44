"""Figures of models of several tasks: attention, forecasts, several scores."""

import numpy as np
import pytest
from small_figures import attention_lines, forecasts, lines_with_what_is_shown, shares

from fedreact.errors import UserError
from fedreact.figures.clients import client_records


def test_attention_as_lines_has_one_for_each_client_that_there_is(tmp_path):
    made, cells, files = attention_lines(tmp_path)
    (axes,) = made.draw("a title", cells, files).axes
    record = client_records(cells["ten", ""], ("attention_features",))[0]
    assert len(axes.lines) == 2
    for line, weights in zip(axes.lines, record["attention_features"][0], strict=True):
        np.testing.assert_allclose(line.get_ydata(), weights.mean(0))


def test_forecasts_stand_over_what_was(tmp_path):
    made, cells, files = forecasts(tmp_path)
    figure = made.draw("a title", cells, files)
    record = client_records(cells["", "EC"], ("actual", "forecast"))[0]
    for line, name in zip(figure.axes[0].lines, ("actual", "forecast"), strict=True):
        np.testing.assert_allclose(line.get_ydata(), record[name][0][1])


def test_several_scores_have_a_panel_each(tmp_path):
    made, cells, files = shares(tmp_path)
    figure = made.draw("a title", cells, files)
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "Accuracy",
        "GFLOPs of a client's\ntraining, in all",
    ]
    assert figure.axes[1].lines[0].get_ydata().tolist() == [4, 8]


def test_what_is_not_kept_is_said(tmp_path):
    lines = lines_with_what_is_shown(tmp_path)
    with pytest.raises(UserError, match="nothing is kept of clients' bias"):
        client_records(lines[lines["setting"] == "s10"], ("bias",))
