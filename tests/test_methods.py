"""The contract that every method keeps, and the limits in which methods coincide."""

import numpy as np
import pytest
from sklearn.metrics import rand_score

from fedreact.aggregation import cluster_means, forgetting, memoryless, running_mean
from fedreact.methods import (
    METHODS,
    Phase2Setting,
    ServerClustering,
    Uploads,
    match_labels,
    unchanged,
)

SIZES = (3, 3, 4)
TRUTH = np.repeat(np.arange(3), SIZES)


def uploads(rounds=8, noise=1.0, seed=0, K=10, P=20):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(3, P))[np.resize(TRUTH, K)]
    for t in range(1, rounds + 1):
        models = (centres + noise * rng.normal(size=(K, P))).astype(np.float32)
        yield Uploads(t, t == rounds, models, np.full(K, 64))


def run(method, rounds):
    rounds = list(rounds)
    state, seen = method.init(len(rounds[0].models)), []
    for upload in rounds:
        state, models, labels = method.round(state, upload)
        seen.append((models, labels))
    return seen


@pytest.fixture(params=METHODS)
def make(request):
    return METHODS[request.param]


def test_every_client_has_a_model_and_a_cluster_in_every_round(make):
    for models, labels in run(make(Phase2Setting(3)), uploads()):
        assert models.shape == (10, 20)
        assert np.isfinite(models).all()
        assert np.unique(labels).tolist() == [0, 1, 2]


def test_same_uploads_same_bytes(make):
    first, second = (run(make(Phase2Setting(3)), uploads()) for _ in range(2))
    for (m1, l1), (m2, l2) in zip(first, second):
        assert m1.tobytes() == m2.tobytes()
        assert l1.tobytes() == l2.tobytes()


def test_state_and_uploads_are_not_changed_in_place(make):
    method = make(Phase2Setting(3))
    first, second = list(uploads(2))
    state, _, _ = method.round(method.init(10), first)
    copy = first.models.copy()
    once = method.round(state, second)
    again = method.round(state, second)
    assert once[1].tobytes() == again[1].tobytes()
    assert np.array_equal(first.models, copy)


def test_relabelling_clients_relabels_the_result_only(make):
    order = np.random.default_rng(1).permutation(10)
    plain = run(make(Phase2Setting(3)), uploads())
    moved = run(make(Phase2Setting(3)), (u._replace(models=u.models[order]) for u in uploads()))
    for (models, labels), (models2, labels2) in zip(plain, moved):
        np.testing.assert_allclose(models[order], models2, rtol=1e-5, atol=1e-6)
        assert rand_score(labels[order], labels2) == 1


def test_one_client(make):
    for models, labels in run(make(Phase2Setting(1)), uploads(K=1)):
        assert models.shape == (1, 20)
        assert labels.tolist() == [0]


def test_as_many_clusters_as_clients(make):
    seen = run(make(Phase2Setting(10)), uploads())
    for _, labels in seen:
        assert sorted(labels) == list(range(10))


def test_identical_clients_get_their_own_model(make):
    model = np.arange(20, dtype=np.float32)
    rounds = [Uploads(t, t == 3, np.tile(model, (10, 1)), np.full(10, 64)) for t in (1, 2, 3)]
    models, _ = run(make(Phase2Setting(3)), rounds)[-1]
    np.testing.assert_allclose(models, np.tile(model, (10, 1)), rtol=1e-6)


def test_sc_mma_is_the_mean_of_each_cluster_of_the_round():
    method = METHODS["sc-mma"](Phase2Setting(3))
    for (models, labels), upload in zip(run(method, uploads()), uploads()):
        for k in range(10):
            expected = upload.models[labels == labels[k]].mean(0)
            np.testing.assert_allclose(models[k], expected, rtol=1e-5, atol=1e-6)


def test_ec_with_alpha_zero_is_sc(monkeypatch):
    monkeypatch.setattr("fedreact.clustering.affect.forgetting_factor", lambda *_: 0.0)
    ec, sc = (
        run(METHODS[name](Phase2Setting(3)), uploads(noise=2)) for name in ("ec-mma", "sc-mma")
    )
    for (m1, l1), (m2, l2) in zip(ec, sc):
        assert np.array_equal(l1, l2)
        np.testing.assert_array_equal(m1, m2)


def test_cluster_means_by_hand():
    models = cluster_means(
        np.array([[1.0, 2.0], [5.0, 6.0], [9.0, 9.0]]), np.array([1, 3, 7]), np.array([0, 0, 1])
    )
    np.testing.assert_allclose(models, [[4.0, 5.0], [9.0, 9.0]])


def aggregate(how, values, alphas):
    estimate = None
    for t, (value, alpha) in enumerate(zip(values, alphas), start=1):
        estimate = how(np.array([[value]]), estimate, t, alpha)
    return estimate.item()


def test_aggregations_by_hand():
    values, alphas = [2.0, 4.0, 9.0], [0.9, 0.5, 0.25]
    assert aggregate(memoryless, values, alphas) == 9
    assert aggregate(running_mean, values, alphas) == pytest.approx(5)
    # 2; then 0.5 * 2 + 0.5 * 4 = 3; then 0.25 * 3 + 0.75 * 9 = 7.5
    assert aggregate(forgetting, values, alphas) == pytest.approx(7.5)


def test_a2_with_alpha_of_the_running_mean_is_a1():
    values = np.random.default_rng(0).normal(size=12)
    alphas = [(t - 1) / t for t in range(1, 13)]
    assert aggregate(forgetting, values, alphas) == pytest.approx(values.mean())


def test_match_labels_keeps_as_many_names_as_possible():
    before = np.array([0, 0, 0, 1, 1, 2])
    assert match_labels(np.array([2, 2, 0, 0, 0, 1]), before).tolist() == [0, 0, 1, 1, 1, 2]
    assert match_labels(before, None) is before


def test_unchanged_clusters():
    labels = np.array([0, 0, 1, 1, 2])
    assert unchanged(labels, labels).all()
    assert not unchanged(labels, None).any()
    # Client 1 moves from cluster 0 to 1: both change, cluster 2 does not.
    moved = np.array([0, 1, 1, 1, 2])
    assert unchanged(moved, labels).tolist() == [False, False, False, False, True]


def scripted(labels_by_round):
    """A clustering that is told its result: one list of labels a round."""
    rounds = iter(labels_by_round)
    return lambda *_, **__: np.array(next(rounds))


# Client 0 alone, clients 1 and 2 together, until client 2 leaves in round 3.
# Cluster means: rounds 1 and 2: (1, 3), (2, 5); rounds 3 and 4: (6, 5), (6, 6).
THIRD = [(1 + 2 + 6) / 3, (3 + 5 + 5) / 3]
FOURTH = [(1 + 2 + 6 + 6) / 4, (3 + 5 + 5 + 6) / 4]


@pytest.mark.parametrize(
    ("send", "unsent", "expected"),
    [
        # Round 1: no round before, so all keep their own model. Round 2: unchanged, means of two
        # rounds. Round 3: both clusters change, so nothing is sent. Round 4 is the last: sent.
        ("unchanged", "kept", [[1, 2, 4], [1.5, 4, 4], [1.5, 4, 4]]),
        ("unchanged", "own", [[1, 2, 4], [1.5, 4, 4], [3, 5, 9]]),
        ("always", "kept", [[1, 3, 3], [1.5, 4, 4], [THIRD[0], THIRD[1], THIRD[0]]]),
    ],
)
def test_line_10_of_algorithm_2(monkeypatch, send, unsent, expected):
    labels = [[0, 1, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]]
    monkeypatch.setattr("fedreact.methods.agglomerative", scripted(labels))
    setting = Phase2Setting(2, send=send, unsent=unsent)
    method = ServerClustering(setting, False, running_mean)
    values = [[1, 2, 4], [2, 4, 6], [3, 5, 9], [6, 6, 6]]
    rounds = [
        Uploads(t, t == 4, np.array(v, dtype=float)[:, None], np.full(3, 64))
        for t, v in enumerate(values, start=1)
    ]
    seen = [models[:, 0] for models, _ in run(method, rounds)]
    for got, want in zip(seen, [*expected, [FOURTH[0], FOURTH[1], FOURTH[0]]], strict=True):
        np.testing.assert_allclose(got, want)


def test_identity_by_client_remembers_what_each_client_met(monkeypatch):
    monkeypatch.setattr("fedreact.methods.agglomerative", scripted([[0, 1, 1], [0, 0, 1]]))
    setting = Phase2Setting(2, send="always", identity="client")
    method = ServerClustering(setting, False, running_mean)
    values = [[1, 2, 4], [2, 4, 6]]
    rounds = [
        Uploads(t, t == 2, np.array(v, dtype=float)[:, None], np.full(3, 64))
        for t, v in enumerate(values, start=1)
    ]
    seen = run(method, rounds)[-1][0][:, 0]
    # Models met: client 0: 1, 3; client 1: 3, 3; client 2: 3, 6.
    np.testing.assert_allclose(seen, [2, 3, 4.5])


def test_memory_helps_on_stationary_clusters():
    truth = np.random.default_rng(0).normal(size=(3, 20))[TRUTH]
    error = {}
    for name in METHODS:
        models, _ = run(METHODS[name](Phase2Setting(3)), uploads(30, noise=0.5))[-1]
        error[name] = np.linalg.norm(models - truth)
    assert error["fed-react-a1"] < 0.5 * error["ec-mma"]


def test_registry_makes_methods_from_a_setting():
    for make in METHODS.values():
        assert make(Phase2Setting(2)).setting.n_clusters == 2
