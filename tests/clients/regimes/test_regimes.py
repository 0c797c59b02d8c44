from dataclasses import replace

import numpy as np
import pytest

from fedreact.clients import apart
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.owner import Owner
from fedreact.clients.regimes.few_clients import FewClients
from fedreact.clients.regimes.few_labels import FewLabels
from fedreact.clients.regimes.newcomers import Newcomers
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

N, K = 200, 5
RNG = np.random.default_rng(0)
DATA = SeriesDataset(
    "toy",
    RNG.normal(size=(N, 1, 6)).astype(np.float32),
    np.full(N, 6),
    RNG.integers(0, 3, N),
    owner=np.arange(N) % K,
)
WHOLE = Owner(test_share=0.25).deal(DATA, 0)
TARGETS = replace(DATA, y=RNG.normal(size=N).astype(np.float32))


def same(left, right):
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("n", [1, 3])
def test_few_labels_are_some_of_each_label_and_the_rest_stays(n):
    drawn = FewLabels(per_label=n).limit(WHOLE, DATA, 0)
    assert same(drawn.train, WHOLE.train)
    assert same(drawn.test, WHOLE.test)
    for k, few in enumerate(drawn.labelled):
        assert np.isin(few, WHOLE.train[k]).all()
        assert np.bincount(DATA.y[few]).tolist() == [n, n, n]
    assert same(drawn.with_labels().train, drawn.labelled)
    assert drawn.with_labels().labelled is None


def test_fewer_labels_are_part_of_more():
    one, four = (FewLabels(per_label=n).limit(WHOLE, DATA, 0).labelled for n in (1, 4))
    assert all(np.isin(few, more).all() for few, more in zip(one, four))


def test_a_client_with_fewer_has_all_it_has():
    drawn = FewLabels(per_label=1000).limit(WHOLE, DATA, 0)
    assert same(drawn.labelled, WHOLE.train)


@pytest.mark.parametrize(("share", "n"), [(0.2, 1), (0.5, 2), (0.01, 1)])
def test_newcomers_keep_their_tests_and_few_series(share, n):
    drawn = Newcomers(share=share, per_label=2).limit(WHOLE, DATA, 3)
    assert len(drawn.newcomers) == n
    assert len(drawn.members) == K - n
    assert same(drawn.test, WHOLE.test)
    for k in range(K):
        few = np.bincount(DATA.y[drawn.train[k]]).tolist() == [2, 2, 2]
        assert few == (k in drawn.newcomers)


def test_someone_must_train():
    with pytest.raises(UserError, match="5 of 5 clients would join late"):
        Newcomers(share=0.95).limit(WHOLE, DATA, 0)


def test_few_clients_are_the_first_of_more():
    two, four = (FewClients(clients=n).limit(WHOLE, DATA, 1) for n in (2, 4))
    assert same(two.train, four.train[:2])
    assert same(two.test, four.test[:2])
    assert sorted(map(tuple, FewClients().limit(WHOLE, DATA, 1).train)) == sorted(
        map(tuple, WHOLE.train)
    )
    with pytest.raises(UserError, match="has 5 clients, not 6"):
        FewClients(clients=6).limit(WHOLE, DATA, 0)


@pytest.mark.parametrize("regime", [FewLabels(), Newcomers()])
def test_targets_have_no_label_to_have_few_of(regime):
    with pytest.raises(UserError, match="toy has no label for each series"):
        regime.limit(WHOLE, TARGETS, 0)


@pytest.mark.parametrize(
    "drawn",
    [FewLabels().limit(WHOLE, DATA, 0), Newcomers().limit(WHOLE, DATA, 0), WHOLE],
    ids=["few labels", "newcomers", "neither"],
)
def test_a_partition_is_read_as_it_was_written(drawn, tmp_path):
    drawn.save(tmp_path / "p.npz")
    read = Partition.load(tmp_path / "p.npz", N)
    assert same(read.train, drawn.train)
    assert (read.labelled is None) == (drawn.labelled is None)
    assert drawn.labelled is None or same(read.labelled, drawn.labelled)
    assert np.array_equal(read.members, drawn.members)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"labelled": WHOLE.test}, "labelled must be train samples for each of 5 clients"),
        ({"labelled": WHOLE.train[:2]}, "labelled must be train samples"),
        ({"newcomers": np.arange(5)}, "newcomers must be some of 5 clients"),
        ({"newcomers": np.array([7])}, "newcomers must be some of 5 clients"),
    ],
)
def test_what_is_no_regime_is_refused(changes, reason):
    with pytest.raises(UserError, match=reason):
        replace(WHOLE, **changes)


def test_a_partitioner_deals_in_its_regime_and_apart_from_other_tests(tmp_path):
    few = Owner(test_share=0.25, regime={"kind": "few-labels", "per_label": 2})
    drawn = apart.deal(few, DATA, 0)
    assert same(drawn.train, WHOLE.train)
    assert same(drawn.labelled, FewLabels(per_label=2).limit(WHOLE, DATA, 0).labelled)
    drawn.save(tmp_path / "p.npz")
    other = apart.deal(few, DATA, 1, [tmp_path / "p.npz"])
    tests = np.concatenate(drawn.test)
    assert not np.isin(np.concatenate([*other.labelled, *other.test]), tests).any()
