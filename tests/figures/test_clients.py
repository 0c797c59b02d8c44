"""The figure of clients: who is with whom over the rounds, and how their scores spread."""

import numpy as np
import pytest
from small_figures import differences, drawn, of_clients

from fedreact.errors import UserError


def test_a_cluster_keeps_its_colour_though_its_name_changes(tmp_path):
    figure = drawn("clients", tmp_path)
    (panel,) = [axes for axes in figure.axes if axes.get_images()]  # SC has no clusters
    assert panel.get_title() == "EC"
    shown = np.asarray(panel.get_images()[0].get_array())  # [K, R]
    assert shown.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]


def test_the_spread_is_that_of_clients_means(tmp_path):
    """Scores 0, .2, ... 1 in seed 0, halves and thirds of them in seeds 1 and 2."""
    below = drawn("clients", tmp_path).axes[-1]
    bounds, _, _, worst = below.get_lines()[:4]
    assert bounds.get_xdata().tolist() == [0, 1]
    assert worst.get_xdata() == [0]
    assert [text.get_text() for text in below.get_yticklabels()] == ["EC", "SC"]


def test_scores_without_a_record_of_clients_are_refused(tmp_path):
    kind, cells, _ = of_clients(tmp_path)
    (tmp_path / "seed1.clients.npz").unlink()
    with pytest.raises(UserError, match=r"seed1\.csv: there is no record of its clients"):
        kind.draw("t", cells, [])


def test_clients_are_called_by_their_names(tmp_path):
    names = ["ann", "bob", "cy", "dee", "eve", "flo"]
    kind, cells, _ = of_clients(tmp_path)
    gains, of_gains, _ = differences(tmp_path)
    for file in tmp_path.glob("*.clients.npz"):
        with np.load(file) as there:
            arrays = dict(there)
        np.savez(file, **arrays, name=np.array(names))
    (panel,) = [axes for axes in kind.draw("t", cells, []).axes if axes.get_images()]
    shown = [text.get_text() for text in panel.get_yticklabels()]
    assert sorted(shown) == names
    texts = [text.get_text().strip() for text in gains.draw("t", of_gains, []).axes[0].texts]
    assert texts == ["ann", "flo"]  # of the least gain and the largest
