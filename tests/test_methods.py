"""The contract that every method keeps, and the limits in which methods coincide."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import rand_score

from fedreact.aggregation import cluster_means, forgetting, memoryless, running_mean
from fedreact.errors import UserError
from fedreact.kalman import KalmanSmoothing
from fedreact.local_training import LocalClients
from fedreact.methods import METHODS, Phase2Setting, Uploads
from fedreact.methods.fed_react import ServerClustering, match_labels, unchanged
from fedreact.task_models import fit_linear_svm
from fedreact.workflow import own

SIZES = (3, 3, 4)
TRUTH = np.repeat(np.arange(3), SIZES)
SHAPE = (4, 6)  # classes, features and intercept
ROUNDS = 8
TRAINED = {"ifca", "flsc", "flacc", "fedavg", "oracle-fedavg"}


def setting(C=3, K=10, truth=None, **options):
    truth = np.resize(TRUTH if truth is None else truth, K) % C
    return Phase2Setting(C, truth=np.tile(truth, (40, 1)), **options)


def uploads(rounds=ROUNDS, noise=0.8, seed=0, K=10, order=None, present=None, classes=4):
    """Clients of three clusters with their own class means, fresh samples in each round."""
    rng = np.random.default_rng(seed)
    c, D = SHAPE[0], SHAPE[1] - 1
    centres = rng.normal(size=(3, c, D))
    order = np.arange(K) if order is None else order
    for t in range(1, rounds + 1):
        y = rng.integers(0, classes, (K, 16))
        X = centres[np.resize(TRUTH, K)[:, None], y] + noise * rng.normal(size=(K, 16, D))
        X, y = X[order].astype(np.float32), y[order]
        here = np.ones(K, bool) if present is None else present[t - 1][order]
        models = fit_linear_svm(X, y, c).reshape(K, -1)
        yield Uploads(t, t == rounds, models, np.full(K, 16), here, LocalClients(X, y, c))


def made(values, last):
    """Uploads of scalar models, one list a round."""
    for t, value in enumerate(values, start=1):
        models = np.array(value, dtype=float)[:, None]
        n = len(models)
        yield Uploads(t, t == last, models, np.full(n, 64), np.ones(n, bool), None)


def run(method, rounds, shape=SHAPE):
    rounds = list(rounds)
    state, seen = method.init(len(rounds[0].models), shape), []
    for upload in rounds:
        state, models, labels = method.round(state, upload)
        seen.append((models, labels))
    return seen


@pytest.fixture(params=[*METHODS, *own.names("methods")])
def make(request):
    name = request.param
    return METHODS[name] if name in METHODS else own.load("methods", name, list(METHODS))


def test_every_client_has_a_model_and_a_cluster_in_every_round(make):
    for models, labels in run(make(setting()), uploads()):
        assert models.shape == (10, 24)
        assert np.isfinite(models).all()
        assert labels is None or (labels.shape == (10,) and labels.min() >= 0)


def test_same_uploads_same_bytes(make):
    first, second = (run(make(setting()), uploads()) for _ in range(2))
    for (m1, l1), (m2, l2) in zip(first, second):
        assert m1.tobytes() == m2.tobytes()
        assert l1 is l2 is None or l1.tobytes() == l2.tobytes()


def test_state_and_uploads_are_not_changed_in_place(make):
    method = make(setting())
    first, second = list(uploads(2))
    state, _, _ = method.round(method.init(10, SHAPE), first)
    copy = first.models.copy()
    once = method.round(state, second)
    again = method.round(state, second)
    assert once[1].tobytes() == again[1].tobytes()
    assert np.array_equal(first.models, copy)


@pytest.mark.parametrize("absent", [False, True])
def test_relabelling_clients_relabels_the_result_only(make, absent):
    order = np.random.default_rng(1).permutation(10)
    present = np.random.default_rng(2).random((ROUNDS, 10)) < 0.6 if absent else None
    seen = np.zeros(10, bool)
    plain = run(make(setting()), uploads(present=present))
    moved = run(make(setting(truth=TRUTH[order])), uploads(order=order, present=present))
    for t, ((models, labels), (models2, labels2)) in enumerate(zip(plain, moved)):
        seen |= present[t] if absent else True
        who = seen[order]
        np.testing.assert_allclose(models[order][who], models2[who], rtol=1e-3, atol=1e-3)
        assert (labels is None) == (labels2 is None)
        if labels is not None:
            assert rand_score(labels[order][who], labels2[who]) == 1


def test_one_client(make):
    for models, labels in run(make(setting(1, K=1)), uploads(K=1)):
        assert models.shape == (1, 24)
        assert labels is None or labels.tolist() == [0]


@pytest.mark.parametrize("C", [10, 12])
def test_as_many_clusters_as_clients_or_more(make, C):
    for models, _ in run(make(setting(C, truth=np.arange(10))), uploads()):
        assert np.isfinite(models).all()


@pytest.mark.parametrize("name", ["sc-mma", "ec-mma", "fed-react-a1", "local", "oracle-mma"])
def test_with_as_many_clusters_as_clients_each_is_alone(name):
    for _, labels in run(METHODS[name](setting(10, truth=np.arange(10))), uploads()):
        assert sorted(labels) == list(range(10))


def test_a_client_with_one_class(make):
    for models, _ in run(make(setting()), uploads(classes=1)):
        assert np.isfinite(models).all()


def test_a_client_that_comes_late_is_clustered_from_then_on(make):
    present = np.ones((ROUNDS, 10), bool)
    present[:3, 4] = False
    present[5:, :3] = False  # and a whole cluster that leaves
    for t, (models, labels) in enumerate(run(make(setting()), uploads(present=present))):
        who = np.arange(10) != 4 if t < 3 else np.ones(10, bool)
        assert np.isfinite(models[who]).all()
        assert labels is None or (labels[who] >= 0).all()


def test_identical_clients_get_their_own_model(make):
    if make in [METHODS[name] for name in TRAINED]:
        pytest.skip("they train from models of the server's")
    model = np.arange(24, dtype=np.float32)
    everyone = np.ones(10, bool)
    rounds = [
        Uploads(t, t == 3, np.tile(model, (10, 1)), np.full(10, 64), everyone, None)
        for t in (1, 2, 3)
    ]
    models, _ = run(make(setting()), rounds)[-1]
    np.testing.assert_allclose(models, np.tile(model, (10, 1)), rtol=1e-6)


def test_absent_clients_do_not_count():
    """Their fits are replaced by nonsense, and nothing changes for those that have been seen."""
    present = np.random.default_rng(0).random((ROUNDS, 10)) < 0.6
    for name in sorted(set(METHODS) - TRAINED):
        plain = run(METHODS[name](setting()), uploads(present=present))
        wrong = [
            replace(u, models=np.where(u.present[:, None], u.models, np.float32("nan")))
            for u in uploads(present=present)
        ]
        seen = np.zeros(10, bool)
        for t, (one, other) in enumerate(zip(plain, run(METHODS[name](setting()), wrong))):
            seen |= present[t]
            np.testing.assert_array_equal(one[0][seen], other[0][seen], err_msg=name)


def test_absent_clients_hold_the_model_of_their_cluster_and_are_clustered_by_their_last():
    present = np.ones((2, 10), bool)
    present[1, 0] = False
    first, second = uploads(2, noise=0.1, present=present)
    (_, before), (models, labels) = run(METHODS["sc-mma"](setting()), [first, second])
    assert labels.tolist() == before.tolist()
    mates = (labels == labels[0]) & second.present
    np.testing.assert_allclose(models[0], second.models[mates].mean(0), rtol=1e-5, atol=1e-6)


def test_sc_mma_is_the_mean_of_each_cluster_of_the_round():
    method = METHODS["sc-mma"](setting())
    for (models, labels), upload in zip(run(method, uploads()), uploads()):
        for k in range(10):
            expected = upload.models[labels == labels[k]].mean(0)
            np.testing.assert_allclose(models[k], expected, rtol=1e-5, atol=1e-6)


def test_references_are_the_means_of_what_they_say():
    rounds = list(uploads())
    fits = np.stack([u.models for u in rounds]).astype(float)
    so_far = np.cumsum(fits, axis=0) / np.arange(1, ROUNDS + 1)[:, None, None]
    for given, expected in (
        ("local", fits),
        ("global-mma", fits.mean(1, keepdims=True) + 0 * fits),
        ("global-a1", so_far.mean(1, keepdims=True) + 0 * fits),
        ("oracle-mma", np.stack([fits[:, c == TRUTH].mean(1) for c in TRUTH], axis=1)),
        ("oracle-a1", np.stack([so_far[:, c == TRUTH].mean(1) for c in TRUTH], axis=1)),
    ):
        found = np.stack([models for models, _ in run(METHODS[given](setting()), rounds)])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=given)


def test_ec_with_alpha_zero_is_sc(monkeypatch):
    monkeypatch.setattr("fedreact.clustering.affect.forgetting_factor", lambda *_: 0.0)
    ec, sc = (run(METHODS[name](setting()), uploads(noise=2)) for name in ("ec-mma", "sc-mma"))
    for (m1, l1), (m2, l2) in zip(ec, sc):
        assert np.array_equal(l1, l2)
        np.testing.assert_array_equal(m1, m2)


def test_methods_of_one_clustering_share_it():
    together = {n: METHODS[n](setting()) for n in ("ec-mma", "fed-react-a1", "fed-react-a3")}
    states = {n: m.init(10, SHAPE) for n, m in together.items()}
    for u in uploads():
        for n, m in together.items():
            states[n], _, _ = m.round(states[n], u)
    assert len({id(state.clusters) for state in states.values()}) == 1


def test_cluster_means_by_hand():
    models = cluster_means(
        np.array([[1.0, 2.0], [5.0, 6.0], [9.0, 9.0]]), np.array([1, 3, 7]), np.array([0, 0, 1]), 2
    )
    np.testing.assert_allclose(models, [[4.0, 5.0], [9.0, 9.0]])


def test_cluster_means_leave_out_who_has_no_samples_or_cluster():
    uploads = np.array([[1.0], [5.0], [9.0]])
    found = cluster_means(uploads, np.array([1, 0, 1]), np.array([0, 0, -1]), 2)
    assert found.tolist() == [[1.0], [0.0]]


def aggregate(how, values, alphas):
    memory = None
    for value, alpha in zip(values, alphas):
        memory, estimate = how(memory, np.array([[value]]), alpha, np.array([value is not None]))
    return estimate.item()


def test_aggregations_by_hand():
    values, alphas = [2.0, 4.0, 9.0], [0.9, 0.5, 0.25]
    assert aggregate(memoryless, values, alphas) == 9
    assert aggregate(running_mean, values, alphas) == pytest.approx(5)
    # 2; then 0.5 * 2 + 0.5 * 4 = 3; then 0.25 * 3 + 0.75 * 9 = 7.5
    assert aggregate(forgetting, values, alphas) == pytest.approx(7.5)


@pytest.mark.parametrize("how", [running_mean, forgetting, KalmanSmoothing()])
def test_a_cluster_that_is_not_observed_learns_nothing(how):
    models = [np.array([[1.0], [10.0]]), np.array([[2.0], [99.0]]), np.array([[3.0], [30.0]])]
    memory, start = how(None, models[0], 0.5, np.array([True, True]))
    memory, skipped = how(memory, models[1], 0.5, np.array([True, False]))
    assert skipped[1] == start[1]
    _, with_gap = how(memory, models[2], 0.5, np.array([True, True]))
    if not isinstance(how, KalmanSmoothing):  # whose uncertainty grows over the gap
        memory, _ = how(None, models[0], 0.5, np.array([True, True]))
        _, without = how(memory, models[2], 0.5, np.array([True, True]))
        assert with_gap[1] == without[1]


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
    monkeypatch.setattr("fedreact.methods.fed_react.agglomerative", scripted(labels))
    method = ServerClustering(Phase2Setting(2, send=send, unsent=unsent), False, running_mean)
    rounds = made([[1, 2, 4], [2, 4, 6], [3, 5, 9], [6, 6, 6]], last=4)
    seen = [models[:, 0] for models, _ in run(method, rounds)]
    for got, want in zip(seen, [*expected, [FOURTH[0], FOURTH[1], FOURTH[0]]], strict=True):
        np.testing.assert_allclose(got, want)


def test_identity_by_client_remembers_what_each_client_met(monkeypatch):
    told = scripted([[0, 1, 1], [0, 0, 1]])
    monkeypatch.setattr("fedreact.methods.fed_react.agglomerative", told)
    options = Phase2Setting(2, send="always", identity="client")
    method = ServerClustering(options, False, running_mean)
    seen = run(method, made([[1, 2, 4], [2, 4, 6]], last=2))[-1][0][:, 0]
    # Models met: client 0: 1, 3; client 1: 3, 3; client 2: 3, 6.
    np.testing.assert_allclose(seen, [2, 3, 4.5])


def test_memory_helps_on_stationary_clusters():
    rounds = list(uploads(30, noise=0.5))
    mean = np.mean([u.models for u in rounds], axis=0)
    truth = np.stack([mean[c == TRUTH].mean(0) for c in TRUTH])
    error = {
        name: np.linalg.norm(run(METHODS[name](setting()), rounds)[-1][0] - truth)
        for name in ("fed-react-a1", "fed-react-a3", "ec-mma")
    }
    assert error["fed-react-a1"] < 0.5 * error["ec-mma"]
    assert error["fed-react-a3"] < 0.6 * error["ec-mma"]


def test_registry_makes_methods_from_a_setting():
    for name, make in METHODS.items():
        assert make(Phase2Setting(2)).setting.n_clusters == (1 if name == "fedavg" else 2)


@pytest.mark.parametrize("wrong", [{"send": "never"}, {"identity": "clients"}, {"start": "zero"}])
def test_a_choice_that_is_misspelt_is_refused(wrong):
    with pytest.raises(UserError, match=next(iter(wrong))):
        Phase2Setting(2, **wrong)


def test_oracle_fedavg_knows_the_clusters_and_fedavg_has_one():
    for _, labels in run(METHODS["oracle-fedavg"](setting()), uploads()):
        assert labels.tolist() == TRUTH.tolist()
    for models, labels in run(METHODS["fedavg"](setting()), uploads()):
        assert not labels.any()
        assert (models == models[0]).all()
