"""Abrupt drift, by hand."""

import numpy as np
import pytest

from fedreact.clients.drifts.swap import Swap
from fedreact.errors import UserError

CLUSTERS = np.array([0, 0, 1, 2])
DISTRIBUTIONS = np.eye(3)[:, None]  # cluster c has label c alone


def draw(rounds=4, **options):
    return Swap(**options).draw(CLUSTERS, DISTRIBUTIONS, rounds, np.random.default_rng(0))


def test_clusters_take_the_labels_of_the_next():
    truth, shares, long_run = draw(after=0.5)
    assert truth.tolist() == [[0, 0, 1, 2], [0, 0, 1, 2], [1, 1, 2, 0], [1, 1, 2, 0]]
    assert shares.argmax(2).tolist() == truth.tolist()
    assert long_run is shares


def test_clients_are_dealt_anew_to_clusters_of_the_same_sizes():
    truth, shares, _ = draw(after=0.25, groups="mixed")
    assert truth[0].tolist() == CLUSTERS.tolist() != truth[1].tolist()
    assert (truth[1:] == truth[1]).all()
    assert sorted(truth[1]) == sorted(CLUSTERS)
    assert shares.argmax(2).tolist() == truth.tolist()


@pytest.mark.parametrize("after", [0.0, 0.1, 1.0])
def test_some_rounds_come_before_and_some_after(after):
    with pytest.raises(UserError, match=f"{after} of 4 rounds is none or all"):
        draw(after=after)
