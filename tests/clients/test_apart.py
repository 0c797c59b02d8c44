"""Options are chosen on samples that no table is tested on."""

import numpy as np
import pytest

from fedreact.clients import apart
from fedreact.clients.partitioners.contract import Partitioner
from fedreact.clients.partitioners.dirichlet import PARTITIONER as Dirichlet
from fedreact.clients.partitioners.supports import PARTITIONER as Supports
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError


@pytest.fixture
def data():
    y = np.repeat(np.arange(10), 60)
    X = np.random.default_rng(0).normal(size=(600, 2, 4)).astype(np.float32)
    return SeriesDataset("made", X, np.full(600, 4), y)


KINDS = {
    "own tests": Dirichlet(cluster_sizes=(2, 2), beta=5.0, samples_per_client=50, min_samples=20),
    "data that drifts": Supports(
        cluster_sizes=(2, 2), supports=(5, 5), samples_per_client=50, test_share=0.1
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_touches_no_test_of_the_tables(tmp_path, data, kind):
    partitioner: Partitioner = KINDS[kind]
    tests, paths = set(), []
    for seed in (0, 1):
        drawn = apart.deal(partitioner, data, seed)
        drawn.save(path := tmp_path / f"{seed}.npz")
        paths.append(path)
        tests |= set(np.concatenate([*drawn.test, drawn.held_out]).tolist())
    search = apart.deal(partitioner, data, 100, paths)
    used = set(np.concatenate([*search.train, *search.test, search.held_out]).tolist())
    assert used
    assert tests
    assert not used & tests
    # Without the tables' partitions the same seed does touch them.
    same_seed = apart.deal(partitioner, data, 100)
    assert tests & set(np.concatenate([*same_seed.train, *same_seed.test]).tolist())


def test_samples_keep_their_labels(tmp_path, data):
    drawn = apart.deal(KINDS["own tests"], data, 0)
    drawn.save(tmp_path / "0.npz")
    search = apart.deal(KINDS["own tests"], data, 100, [tmp_path / "0.npz"])
    for c in (0, 1):
        of_cluster = [
            np.concatenate([search.train[k], search.test[k]])
            for k in np.flatnonzero(search.clusters == c)
        ]
        counted = np.bincount(data.y[np.unique(np.concatenate(of_cluster))], minlength=10)
        assert (counted <= search.label_counts[c]).all()


def test_nothing_left_is_said(tmp_path, data):
    drawn = apart.deal(KINDS["own tests"], data, 0)
    everything = np.arange(600)
    apart.in_dataset(drawn, everything).save(tmp_path / "0.npz")
    whole = type(drawn)(
        drawn.clusters, drawn.train, drawn.test, drawn.label_counts, drawn.distributions, everything
    )
    whole.save(tmp_path / "1.npz")
    with pytest.raises(UserError, match="none is left to choose options on"):
        apart.deal(KINDS["own tests"], data, 100, [tmp_path / "1.npz"])
