"""IFCA, FLSC and FLACC by hand, in their limits, and on clients in separate groups."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.clustered.algorithms.flacc import FLACC, merge
from fedreact.kinds.clustered.algorithms.flsc import FLSC
from fedreact.kinds.clustered.algorithms.ifca import IFCA, far_apart, random_models
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.kinds.clustered.scoring import rand_score
from fedreact.task_models.descent import LocalClients

METHODS = pytest.mark.parametrize("make", [IFCA, FLSC, FLACC], ids=["ifca", "flsc", "flacc"])
CLASSES, D, M = 3, 6, 16
SHAPE, P = (CLASSES, D + 1), CLASSES * (D + 1)


class Points:
    """Clients that know a point each: the loss is the squared distance, training goes halfway."""

    def __init__(self, points):
        self.points = np.asarray(points, np.float32)

    def losses(self, models):
        return ((self.points[:, None] - models) ** 2).sum(2)

    def train(self, start, learning_rate, steps):
        return (start + self.points) / 2


def samples(truth, seed):
    """Clients of separate groups: each group has its own labels for the same features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(truth), M, D)).astype(np.float32)
    labels = X[:, :, :CLASSES].argmax(2)
    return X, (labels + np.asarray(truth)[:, None]) % CLASSES


def clients(truth, seed=0):
    return LocalClients(*samples(truth, seed), CLASSES)


def upload(t, clients, K, present=None, n_samples=None, P=P):
    present = np.ones(K, bool) if present is None else np.array(present, bool)
    n_samples = np.full(K, M) if n_samples is None else np.array(n_samples)
    models = np.full((K, P), np.nan, np.float32)  # none of these methods uses them
    return Uploads(t, False, models, n_samples, present, clients)


def run(method, truth, rounds=12, present=None, order=slice(None)):
    """Rounds of new samples of clients in the groups ``truth``; returns the last round's answer."""
    K = len(truth)
    state, seen = method.init(K, SHAPE), []
    for t in range(1, rounds + 1):
        X, y = samples(truth, t)
        c = LocalClients(X[order], y[order], CLASSES)
        here = None if present is None else present[t - 1]
        state, held, labels = method.round(state, upload(t, c, K, here))
        seen.append((held, labels))
    return state, seen


def points_round(method, state, points, t=1, **kwargs):
    return method.round(state, upload(t, Points(points), len(points), P=2, **kwargs))


# --- IFCA and FLSC


def test_ifca_by_hand_with_an_empty_cluster():
    method = IFCA(Setting(3), memory="none")
    state = method.init(3, (1, 2))
    state = state._replace(models=np.float32([[0, 0], [8, 0], [-90, -90]]))
    points = [[0, 4], [2, 0], [8, 2]]
    state, held, labels = points_round(method, state, points, n_samples=[1, 3, 5])
    assert labels.tolist() == [0, 0, 1]
    # Trained: (0, 2), (1, 0) and (8, 1).
    expected = [[0.75, 0.5], [8, 1], [-90, -90]]
    np.testing.assert_allclose(state.models, expected)
    np.testing.assert_allclose(held, [expected[0], expected[0], expected[1]])


def test_ifca_absent_clients_keep_their_cluster_and_get_its_model():
    method = IFCA(Setting(2), memory="none")
    state = method.init(3, (1, 2))._replace(models=np.float32([[0, 0], [8, 0]]))
    points = np.float32([[0, 4], [2, 0], [8, 2]])
    state, _, labels = points_round(method, state, points, present=[1, 0, 1])
    assert labels.tolist() == [0, -1, 1]
    points[0] = np.nan  # answers of absent clients mean nothing
    state, held, labels = points_round(method, state, points, 2, present=[0, 1, 1])
    assert labels.tolist() == [0, 0, 1]
    np.testing.assert_allclose(state.models, [[1, 1], [8, 1.5]])
    np.testing.assert_allclose(held, state.models[labels])


def test_flsc_by_hand():
    method = FLSC(Setting(3), memory="none")
    state = method.init(2, (1, 2))._replace(models=np.float32([[0, 0], [4, 0], [10, 0]]))
    state, held, labels = points_round(method, state, [[1, 0], [9, 0]], n_samples=[1, 3])
    assert labels is None
    assert state.choice.tolist() == [[0, 1], [2, 1]]
    # From (2, 0) to (1.5, 0), and from (7, 0) to (8, 0).
    np.testing.assert_allclose(state.models[:, 0], [1.5, (1.5 + 3 * 8) / 4, 8])
    np.testing.assert_allclose(held[:, 0], [(1.5 + 6.375) / 2, (8 + 6.375) / 2])


def test_flsc_with_all_clusters_gives_every_client_the_global_model():
    state, seen = run(IFCA(Setting(3), memberships=3, memory="none"), [0, 1, 2, 0])
    np.testing.assert_array_equal(state.models, state.models[[0, 0, 0]])
    for held, labels in seen:
        assert labels is None
        np.testing.assert_array_equal(held, held[[0] * 4])


def test_ifca_and_flsc_start_from_the_same_random_models():
    ifca, flsc = (make(Setting(3, seed=4)).init(5, SHAPE).models for make in (IFCA, FLSC))
    np.testing.assert_array_equal(ifca, flsc)
    other = IFCA(Setting(3, seed=5)).init(5, SHAPE).models
    assert (ifca != other).all()
    assert np.abs(ifca).max() <= D**-0.5
    assert np.unique(ifca).size == ifca.size


def test_ifca_finds_the_groups_from_a_lucky_start():
    truth = np.array([0, 1, 1, 0, 1])
    method = IFCA(Setting(2))
    lucky = LocalClients.train(clients([1, 0]), np.zeros((2, P)), 1.0, 50)
    state = method.init(5, SHAPE)._replace(models=lucky)
    _, _, labels = method.round(state, upload(1, clients(truth, 1), 5))
    np.testing.assert_array_equal(labels, 1 - truth)


# --- FLACC


def test_flacc_merges_by_hand():
    updates = np.array([[1, 0], [0, 2], [3, 0.3], [0, -1], [1, 1.5]])
    weight, groups = np.array([1, 1, 3, 1, 1]), np.arange(5)
    merged = partial(merge, updates, weight, groups, at_least=1)
    assert merged(n_merges=0).tolist() == [0, 1, 2, 3, 4]
    assert merged(n_merges=1).tolist() == [0, 1, 0, 2, 3]
    assert merged(n_merges=2).tolist() == [0, 1, 0, 2, 1]
    # {0, 2} has the mean (2.5, 0.225), {1, 4} (0.5, 1.75): closer to one another than to client 3.
    assert merged(n_merges=3).tolist() == [0, 0, 0, 1, 0]
    assert merged(n_merges=9).tolist() == [0, 0, 0, 0, 0]
    assert merged(n_merges=9, at_least=2).tolist() == [0, 0, 0, 1, 0]
    # The first merge by another weight: client 2 absent.
    weight[2] = 0
    assert merged(n_merges=9, at_least=3).tolist() == [0, 1, 2, 3, 1]


def test_flacc_merging_equals_doing_it_from_the_updates_each_time():
    rng = np.random.default_rng(0)
    updates, weight = rng.normal(size=(15, 4)), rng.integers(0, 5, 15)
    groups = rng.integers(0, 9, 15)
    groups = np.unique(groups, return_inverse=True)[1]
    for n in range(6):
        again = groups
        for _ in range(n):
            again = merge(updates, weight, again, 1, 2)
        assert rand_score(again, merge(updates, weight, groups, n, 2)) == 1


def test_flacc_without_any_update_still_merges():
    assert merge(np.zeros((4, 2)), np.ones(4), np.arange(4), 2, 2).max() == 1


def test_flacc_rounds_by_hand():
    """Points on two rays; the global model until two groups are left, then one model each."""
    points = np.float32([[4, 0], [0, 4], [8, 0], [0, 8]])
    method = FLACC(Setting(2), merge_rounds=2, memory="none")
    state = method.init(4, (1, 2))._replace(models=np.zeros((1, 2), np.float32))
    state, held, labels = points_round(method, state, points)
    np.testing.assert_allclose(held, [[1.5, 1.5]] * 4)
    assert np.unique(labels).size == 3
    state, held, labels = points_round(method, state, points, 2)
    np.testing.assert_allclose(held, [[2.25, 2.25]] * 4)
    assert labels.tolist() == [0, 1, 0, 1]
    state, held, labels = points_round(method, state, points, 3)
    expected = [[(2.25 + 6) / 2, 1.125], [1.125, (2.25 + 6) / 2]]
    np.testing.assert_allclose(state.models, expected)
    np.testing.assert_allclose(held, np.float32(expected)[[0, 1, 0, 1]])
    assert labels.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("merge_rounds", [1, 3, 10])
@pytest.mark.parametrize("seed", range(3))
def test_flacc_finds_the_groups_always(merge_rounds, seed):
    truth = np.array([0, 1, 1, 0, 1, 2, 2, 0])
    method = FLACC(Setting(3, seed), merge_rounds)
    _, seen = run(method, truth)
    counts = [np.unique(labels).size for _, labels in seen]
    expected = [8 - 5 * min(t, merge_rounds) // merge_rounds for t in range(1, 13)]
    assert counts == expected
    assert rand_score(truth, seen[-1][1]) == 1


def test_flacc_waits_for_absent_clients():
    truth = np.array([0, 1, 1, 0, 1, 0])
    present = np.ones((8, 6), bool)
    present[:5, 5] = False
    present[0, 2:] = False  # only two: too few to merge
    _, seen = run(FLACC(Setting(2), merge_rounds=1), truth, 8, present)
    labels = [labels.tolist() for _, labels in seen]
    assert labels[0] == [0, 1, -1, -1, -1, -1]
    # 5 groups were due to be 2 in round 1; the unseen client is a group of its own until round 6.
    assert labels[1] == labels[4] == [0, 1, 1, 0, 1, -1]
    assert rand_score(labels[-1], truth) == 1
    assert (seen[4][0] == seen[4][0][0]).all()
    assert (seen[7][0][0] != seen[7][0][1]).any()


def test_one_cluster_is_fedavg_in_each_method():
    setting = Setting(1, seed=3)
    runs = [run(make(setting, memory="none"), [0, 1, 2])[1] for make in (IFCA, FLSC, FLACC)]
    for ifca, flsc, flacc in zip(*runs):
        np.testing.assert_array_equal(ifca[0], flsc[0])
        np.testing.assert_allclose(ifca[0], flacc[0], rtol=1e-5, atol=1e-6)
        assert ifca[1].tolist() == flsc[1].tolist() == [0, 0, 0]


# --- All


@METHODS
@pytest.mark.parametrize(("K", "C"), [(1, 1), (1, 3), (3, 1), (3, 3), (3, 5), (5, 2)])
@pytest.mark.parametrize("identical", [False, True])
def test_any_number_of_clients_and_clusters(make, K, C, identical):
    truth = np.zeros(K, int) if identical else np.arange(K)
    method = make(Setting(C))
    state = method.init(K, SHAPE)
    for t in range(1, 5):
        X, y = samples(truth, t)
        if identical:
            X, y = X[[0] * K], np.zeros_like(y)  # and of one class
        c = LocalClients(X, y, CLASSES)
        state, held, labels = method.round(state, upload(t, c, K))
        assert held.shape == (K, P)
        assert held.dtype == np.float32
        assert np.isfinite(held).all()
        if labels is not None:
            assert labels.shape == (K,)
            assert labels.min() >= 0


@METHODS
def test_partial_participation(make):
    present = np.random.default_rng(0).random((12, 8)) < 0.4
    present[:, 1] = True
    present[0] = [False, True] + [False] * 6
    _, seen = run(make(Setting(3), memory="none"), np.arange(8) % 3, 12, present)
    for t, (held, labels) in enumerate(seen):
        known = present[: t + 1].any(0)
        assert np.isfinite(held[known]).all()
        if labels is not None:
            np.testing.assert_array_equal(labels >= 0, known)


@METHODS
def test_permutation_of_clients_permutes_the_result_only(make):
    truth = np.array([0, 1, 1, 0, 1, 2, 2, 0])
    order = np.random.default_rng(3).permutation(8)
    method = make(Setting(3, seed=1))
    _, plain = run(method, truth)
    _, permuted = run(method, truth, order=order)
    for (held, labels), (other, others) in zip(plain, permuted):
        np.testing.assert_allclose(held[order], other, rtol=1e-3, atol=1e-4)
        if labels is not None:
            assert rand_score(labels[order], others) == 1


@METHODS
def test_memory_is_the_mean_over_rounds_of_what_is_held_without(make):
    truth = np.array([0, 1, 1, 0, 1, 2])
    raw, mean = (
        [held[0] for held, _ in run(make(Setting(1), memory=memory), truth)[1]]
        for memory in ("none", "a1")
    )
    # FLACC's cluster starts its memory when it separates, here after round 10.
    starts = [0, 10] if make is FLACC else [0]
    for t in range(12):
        first = max(s for s in starts if s <= t)
        expected = np.mean(raw[first : t + 1], axis=0)
        np.testing.assert_allclose(mean[t], expected, rtol=1e-4, atol=1e-5)


def test_memory_of_clusters_counts_rounds_in_which_they_had_members():
    method = IFCA(Setting(2), memory="a1")
    state = method.init(2, (1, 2))._replace(models=np.float32([[0, 0], [8, 0]]))
    points, raw = np.float32([[0, 4], [8, 2]]), []
    for t, present in enumerate([[1, 1], [1, 0], [1, 1]], 1):
        state, held, _ = points_round(method, state, points, t, present=present)
        raw.append(state.models)
    np.testing.assert_allclose(held[0], np.mean([m[0] for m in raw], 0))
    np.testing.assert_allclose(held[1], (raw[0][1] + raw[2][1]) / 2)


@METHODS
def test_state_is_not_changed_in_place_and_rounds_repeat(make):
    method, c = make(Setting(2), memory="a1"), clients([0, 1, 0, 1])
    state, _, _ = method.round(method.init(4, SHAPE), upload(1, c, 4))
    before = [np.copy(x) for x in (state.models, state[1], state.memory.estimate)]
    first, second = (method.round(state, upload(2, c, 4)) for _ in range(2))
    for x, y in zip(before, (state.models, state[1], state.memory.estimate)):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(first[1], second[1])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ifca", {"memberships": 0}),
        ("ifca", {"memory": "a4"}),
        ("ifca", {"memory": "a2"}),
        ("ifca", {"start": "lucky"}),
        ("ifca", {"learning_rate": 0}),
        ("ifca", {"steps": 0}),
        ("flsc", {"memberships": 0}),
        ("flacc", {"merge_rounds": 0}),
        ("flacc", {"memory": "a4"}),
    ],
)
def test_wrong_options_are_told(name, wrong):
    (option,) = wrong
    with pytest.raises(UserError, match=f"here: {option}"):
        runs.method("clustered", name, wrong, "here")


def test_flsc_is_ifca_with_two_memberships_if_nothing_is_said():
    flsc, ifca = (
        run(method, [0, 1, 2, 0])[1]
        for method in (FLSC(Setting(3)), IFCA(Setting(3), memberships=2))
    )
    for one, other in zip(flsc, ifca):
        np.testing.assert_array_equal(one[0], other[0])


def test_random_models_of_one_cluster_are_the_first_of_many():
    np.testing.assert_array_equal(random_models(0, 1, SHAPE), random_models(0, 3, SHAPE)[:1])


def test_start_from_clients_that_are_far_apart():
    models = np.float32([[0, 0], [2, 0], [9, 0], [0, 8], [9, 1]])
    # The mean is (4, 1.8), client 3 is 7.4 from it; client 2 is 12.0 from 3; client 0 is 8 from 3
    # and 9 from 2.
    assert far_apart(models, np.arange(5), 3).tolist() == [3, 2, 0]
    assert sorted(far_apart(models, np.array([0, 2]), 3)) == [0, 2]
    with pytest.raises(UserError, match="random, clients"):
        runs.method("clustered", "ifca", {"start": "lucky"}, "here")


def test_started_from_clients_ifca_finds_clear_clusters_at_once():
    c = clients([0, 1, 0, 1])
    method = IFCA(Setting(2), start="clients")
    fits = upload(1, c, 4)
    far = np.repeat(np.float32([[-9.0], [9.0]]), fits.models.shape[1], axis=1)[[0, 1, 0, 1]]
    _, _, labels = method.round(method.init(4, SHAPE), replace(fits, models=far))
    assert labels.shape == (4,)
    assert far_apart(far, np.arange(4), 2).tolist() in ([0, 1], [1, 0])
