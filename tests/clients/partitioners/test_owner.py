"""A client of each owner of series."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_data import dataset, deal_by_owner

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.contract import clients_of
from fedreact.clients.partitioners.owner import PARTITIONER
from fedreact.errors import UserError


def test_owners_are_clients():
    owner = np.repeat([7, 3, 9], [20, 30, 10])
    p = deal_by_owner(owner, seed=0)
    assert p.clusters.tolist() == [0, 0, 0]
    assert [len(s) for s in p.test] == [3, 2, 1]
    for who, train, test in zip([3, 7, 9], p.train, p.test):
        assert sorted([*train, *test]) == np.flatnonzero(owner == who).tolist()
    other = deal_by_owner(owner, seed=1)
    assert any(a.tolist() != b.tolist() for a, b in zip(p.test, other.test))


@pytest.mark.parametrize(
    ("options", "n"),
    [({}, 6), ({"owners": 4}, 4), ({"owners": 9}, 6), ({"parts": 2}, 12), ({"clients": 5}, 5)],
)
def test_how_many_clients_there_will_be_follows_from_how_many_owners_there_are(options, n):
    dealer = PARTITIONER(**options)
    assert clients_of(dealer, 6) == n
    assert clients_of(dealer, None) == options.get("clients")
    if options.get("clients") is None and options.get("owners", 0) <= 6:
        drawn = dealer.deal(dataset(np.arange(120) % 2, owner=np.repeat(np.arange(6), 20)), seed=0)
        assert len(drawn.train) == n


def test_chronological_split_leaves_out_what_overlaps():
    p = deal_by_owner(np.repeat([0, 1], 20), seed=0, split="chronological", gap=4)
    assert p.train[1].tolist() == list(range(20, 34))
    assert p.test[1].tolist() == [38, 39]


def test_the_last_series_of_each_label_can_be_tested():
    """Two stretches of label 0 and one of label 1, each of eight series in time; then the gap."""
    data = dataset(np.repeat([0, 1, 0], 8), owner=np.zeros(24, int), time=np.arange(24.0))
    drawn = PARTITIONER(split="chronological-by-label", test_share=0.25).deal(data, 0)
    assert drawn.test[0].tolist() == [14, 15, 20, 21, 22, 23]
    assert drawn.train[0].tolist() == [*range(14), 16, 17, 18, 19]
    drawn = PARTITIONER(split="chronological-by-label", test_share=0.25, gap=2).deal(data, 0)
    assert drawn.test[0].tolist() == [14, 15, 20, 21, 22, 23]
    assert drawn.train[0].tolist() == list(range(12))  # 12, 13 and 16 to 19 overlap


def test_trials_stay_whole_if_the_last_of_each_label_are_tested():
    trial, y = np.repeat(np.arange(8), 3), np.repeat([0, 1] * 4, 3)
    data = dataset(y, owner=np.zeros(24, int), time=np.arange(24.0), trial=trial)
    drawn = PARTITIONER(split="chronological-by-label", test_share=0.25).deal(data, 0)
    assert set(trial[drawn.test[0]]) == {6, 7}
    assert not set(trial[drawn.train[0]]) & {6, 7}


def test_too_few_series_or_no_labels_cannot_be_split_by_label():
    with pytest.raises(UserError, match="too few to test the last of each label"):
        deal_by_owner(np.zeros(6, int), seed=0, split="chronological-by-label", gap=3)
    numbers = dataset(np.arange(12, dtype=np.float32), owner=np.zeros(12, int))
    with pytest.raises(UserError, match="do not have one label each; use split: chronological"):
        PARTITIONER(split="chronological-by-label").deal(numbers, 0)


def test_wrong_splits_are_a_clear_error(tmp_path):
    with pytest.raises(UserError, match="known: random, chronological"):
        deal_by_owner(np.zeros(20, int), seed=0, split="latest")
    with pytest.raises(UserError, match="gap is -3"):
        deal_by_owner(np.zeros(20, int), seed=0, split="chronological", gap=-3)
    with pytest.raises(UserError, match=r"client 0 \(.*\) has 6 series, too few"):
        deal_by_owner(np.zeros(6, int), seed=0, split="chronological", gap=4)
    # What comes out can be kept like any other.
    p = deal_by_owner(np.repeat([0, 1], 20), seed=0)
    p.save(tmp_path / "p.npz")
    assert Partition.load(tmp_path / "p.npz").test[1].tolist() == p.test[1].tolist()


def test_time_is_the_order_of_a_clients_series():
    # Owner 0 holds the even series, from the last to the first; owner 1 the odd ones, as they are.
    owner, time = np.tile([0, 1], 10), np.arange(20.0)
    time[::2] = time[::-2]
    p = deal_by_owner(owner, 0, split="chronological", test_share=0.2, gap=1, time=time)
    assert p.test[0].tolist() == [0, 2]
    assert p.train[0].tolist() == [6, 8, 10, 12, 14, 16, 18]
    assert p.test[1].tolist() == [17, 19]
    assert p.train[1].tolist() == [1, 3, 5, 7, 9, 11, 13]


def test_series_of_one_time_keep_their_order():
    time = np.tile([5.0, 1.0], 100)
    p = deal_by_owner(np.zeros(200, int), 0, split="chronological", test_share=0.2, time=time)
    assert p.test[0].tolist() == list(range(120, 200, 2))
    assert p.train[0].tolist() == sorted([*range(1, 200, 2), *range(0, 120, 2)])


def test_trials_are_in_the_order_of_their_first_series():
    # Trials 7, 5 and so on of three series each; time runs backwards through them.
    trial = np.repeat([7, 5, 9, 1, 4], 3)
    time = -np.arange(15.0)
    given = {"test_share": 0.2, "gap": 1, "trial": trial, "time": time}
    p = deal_by_owner(np.zeros(15, int), 0, split="chronological", **given)
    assert set(trial[p.test[0]]) == {7}
    assert set(trial[p.train[0]]) == {9, 1, 4}
    later = np.arange(15.0)
    p = deal_by_owner(np.zeros(15, int), 0, split="chronological", **given | {"time": later})
    assert set(trial[p.test[0]]) == {4}
    assert set(trial[p.train[0]]) == {7, 5, 9}


@settings(max_examples=50, deadline=None)
@given(
    split=st.sampled_from(["random", "chronological"]),
    trials=st.booleans(),
    seed=st.integers(0, 2**31),
)
def test_with_times_it_does_not_matter_in_which_order_series_stand(split, trials, seed):
    rng = np.random.default_rng(seed)
    owner, trial, time = np.repeat([0, 1], 30), np.arange(60) // 3, np.arange(60.0)
    at = rng.permutation(60)

    def dealt(*arrays):
        owner, trial, time = arrays
        options = {"split": split, "test_share": 0.2, "gap": 2, "time": time}
        return deal_by_owner(owner, seed, trial=trial if trials else None, **options)

    as_they_are, shuffled = dealt(owner, trial, time), dealt(owner[at], trial[at], time[at])
    for part in ("train", "test"):
        for k in (0, 1):
            there, here = getattr(as_they_are, part)[k], getattr(shuffled, part)[k]
            assert sorted(at[here]) == sorted(there)


def test_the_partitioner_takes_owners_trials_and_times_of_the_data():
    owner, trial = np.repeat([3, 8], 20), np.arange(40) // 2
    time = np.tile(-np.arange(20.0), 2)
    dealer = PARTITIONER(clients=2, split="chronological", test_share=0.2, gap=1)
    assert dealer.n_clients == 2
    assert PARTITIONER().n_clients is None
    p = dealer.deal(dataset(owner=owner, trial=trial, time=time), seed=0)
    assert [sorted(t) for t in p.test] == [[0, 1, 2, 3], [20, 21, 22, 23]]
    assert [sorted(t) for t in p.train] == [list(range(6, 20)), list(range(26, 40))]
    assert not p.clusters_known


@pytest.mark.parametrize(
    "y",
    [
        np.linspace(0, 1, 40, dtype=np.float32),
        np.ones((40, 2), np.float32),
        np.arange(80).reshape(40, 2) % 3 == 0,
    ],
)
def test_owners_are_clients_whatever_is_predicted(y):
    p = PARTITIONER().deal(dataset(y, owner=np.repeat([0, 1], 20)), seed=0)
    assert [len(t) for t in p.test] == [2, 2]
    assert p.label_counts.shape == (1, 0)


def test_data_that_cannot_be_dealt_is_a_clear_error():
    with pytest.raises(UserError, match=r"^partition: made does not say whose each series is$"):
        PARTITIONER().deal(dataset(owner=None), seed=0)
    with pytest.raises(UserError, match=r"^partition: made has 2 clients, not 3$"):
        PARTITIONER(clients=3).deal(dataset(owner=np.repeat([0, 1], 20)), seed=0)


def test_the_split_of_the_source():
    owner, tested = np.repeat([0, 1], 6), np.tile([True, False, False], 4)
    p = deal_by_owner(owner, 0, split="source", tested=tested)
    assert [t.tolist() for t in p.test] == [[0, 3], [6, 9]]
    assert [t.tolist() for t in p.train] == [[1, 2, 4, 5], [7, 8, 10, 11]]
    with pytest.raises(UserError, match=r"client 0 .* has no series to train on, or none to test"):
        deal_by_owner(owner, 0, split="source", tested=owner == 1)
    with pytest.raises(UserError, match="does not say which series are for testing"):
        PARTITIONER(split="source").deal(dataset(np.arange(12) % 2, owner=owner), 0)


def test_owners_are_cut_into_clients_in_time():
    owner, time = np.repeat([5, 8], 10), np.tile(np.arange(10.0)[::-1], 2)
    p = deal_by_owner(owner, 0, split="chronological", test_share=0.2, time=time, parts=2)
    assert [t.tolist() for t in p.test] == [[5], [0], [15], [10]]
    assert [t.tolist() for t in p.train] == [
        [6, 7, 8, 9],
        [1, 2, 3, 4],
        [16, 17, 18, 19],
        [11, 12, 13, 14],
    ]


def test_owners_are_cut_at_random_where_time_is_not_known():
    tested = np.tile([True, False, False, False], 10)
    for split in ("random", "source"):
        p = deal_by_owner(
            np.repeat([0, 1], 20), 3, split=split, test_share=0.25, tested=tested, parts=2
        )
        assert len(p.train) == 4
        for two in ((0, 1), (2, 3)):
            held = np.concatenate([s for k in two for s in (p.train[k], p.test[k])])
            assert sorted(held) == list(range(20 * (two[0] // 2), 20 * (two[0] // 2) + 20))


def test_trials_stay_whole_in_parts():
    trial = np.repeat(np.arange(12), 3)
    p = deal_by_owner(np.zeros(36, int), 0, test_share=0.25, trial=trial, parts=2)
    held = [set(trial[np.concatenate([p.train[k], p.test[k]])]) for k in range(2)]
    assert held[0] | held[1] == set(range(12))
    assert not held[0] & held[1]
    assert not set(trial[p.train[0]]) & set(trial[p.test[0]])


def test_the_first_owners():
    p = deal_by_owner(np.repeat([4, 2, 9], 10), 0, owners=2)
    assert [int(s[0]) // 10 for s in p.train] == [1, 0]
    with pytest.raises(UserError, match="has 3 owners, not 4"):
        deal_by_owner(np.repeat([4, 2, 9], 10), 0, owners=4)


def test_clients_that_are_too_small_are_left_out():
    owner = np.repeat([0, 1, 2, 3], [20, 3, 30, 2])
    names = np.array(["ann", "bob", "cy", "dee"])
    data = dataset(np.arange(55) % 2, owner=owner, owner_names=names)
    p = PARTITIONER(min_samples=10).deal(data, 0)
    assert p.names.tolist() == ["ann", "cy"]
    assert [len(a) + len(b) for a, b in zip(p.train, p.test)] == [20, 30]
    # Unset, it changes nothing: clients draw the same tests.
    large = dataset(np.arange(50) % 2, owner=np.repeat([0, 1], [20, 30]))
    same = PARTITIONER().deal(large, 0)
    assert [len(s) for s in same.test] == [len(s) for s in p.test]
    with pytest.raises(UserError, match="no client has 99 series, the most are 30"):
        PARTITIONER(min_samples=99).deal(data, 0)


def test_clients_that_are_too_small_are_merged():
    owner = np.repeat([0, 1, 2, 3], [20, 6, 30, 5])
    names = np.array(["ann", "bob", "cy", "dee"])
    data = dataset(np.arange(61) % 2, owner=owner, owner_names=names)
    p = PARTITIONER(min_samples=10, small="merge").deal(data, 0)
    assert p.names.tolist() == ["ann", "cy", "others"]
    assert sorted([*p.train[2], *p.test[2]]) == [*range(20, 26), *range(56, 61)]
    assert clients_of(PARTITIONER(min_samples=10), 4) is None


def test_clients_are_called_by_their_names(tmp_path):
    owner, names = np.repeat([0, 1], [20, 1]), np.array(["ann", "bob"])
    data = dataset(np.arange(21) % 2, owner=owner, owner_names=names)
    with pytest.raises(
        UserError, match=r"^partition: client bob has 1 series, too few .* min_samples"
    ):
        PARTITIONER().deal(data, 0)
    whole = dataset(owner=np.repeat([0, 1], 20), owner_names=names)
    p = PARTITIONER(parts=2).deal(whole, 0)
    assert p.names.tolist() == ["ann, part 1", "ann, part 2", "bob, part 1", "bob, part 2"]
    p.save(tmp_path / "p.npz")
    assert Partition.load(tmp_path / "p.npz").names.tolist() == p.names.tolist()
    assert deal_by_owner(owner[:20]).names is None
