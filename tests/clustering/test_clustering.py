"""Similarities, hierarchical clustering, and AFFECT against its formulas and its own paper."""

import itertools
from typing import get_args

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage, ward
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import rand_score

from fedreact.clustering import hierarchical
from fedreact.clustering.affect import affect, forgetting_factor, smooth
from fedreact.clustering.hierarchical import Linkage, agglomerative, cosine_similarity, relabel

LINKAGES = get_args(Linkage)


def task_models(seed, sizes=(3, 3, 4), noise=0.3, n_features=20):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(len(sizes), n_features))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return centres[truth] + noise * rng.normal(size=(len(truth), n_features)), truth


def test_cosine_similarity_by_hand():
    W = cosine_similarity(np.array([[1.0, 0.0], [2.0, 2.0], [0.0, -3.0], [0.0, 0.0]]))
    h = 0.5**0.5
    expected = [[1, h, 0, 0], [h, 1, -h, 0], [0, -h, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(W, expected, atol=1e-12)


@pytest.mark.parametrize("name", LINKAGES)
def test_clear_clusters_are_found_whatever_the_linkage(name):
    models, truth = task_models(0)
    assert rand_score(truth, agglomerative(cosine_similarity(models), 3, name)) == 1


def test_ward_equals_scikit_learn_on_normalised_models():
    models, _ = task_models(1, noise=1.5)
    unit = models / np.linalg.norm(models, axis=1, keepdims=True)
    for C in range(1, 11):
        expected = AgglomerativeClustering(C, linkage="ward").fit_predict(unit)
        assert rand_score(expected, agglomerative(cosine_similarity(models), C)) == 1


@pytest.mark.parametrize("name", ["average", "complete"])
def test_linkages_equal_scikit_learn_on_dissimilarities(name):
    models, _ = task_models(2, noise=1.5)
    W = cosine_similarity(models)
    for C in range(1, 11):
        tree = AgglomerativeClustering(C, linkage=name, metric="precomputed")
        assert rand_score(tree.fit_predict(1 - W), agglomerative(W, C, name)) == 1


def test_ward_equals_scikit_learn_on_inner_products():
    # Similarities of a client with itself differ here, as those of cosines do not.
    models, _ = task_models(1, noise=1.5)
    for C in range(1, 11):
        expected = AgglomerativeClustering(C, linkage="ward").fit_predict(models)
        assert rand_score(expected, agglomerative(models @ models.T, C)) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("K", [2, 3, 10, 65, 400])
def test_own_hierarchy_of_ward_is_scipys(K, dtype):
    # Beyond 64 clients rows are copied together on the way.
    models, _ = task_models(K, (K // 3, K - K // 3), noise=1.5)
    W = cosine_similarity(models)
    theirs = hierarchical._by_scipy(W, "ward")
    ours = hierarchical._ward(W.astype(dtype))
    assert sorted(ours.ravel()) == list(range(2 * K - 2))
    for C in (1, 2, 3, 7, K // 2):
        expected = cut(theirs, K, C)
        assert rand_score(expected, cut(ours, K, C)) == 1


def cut(merges, K, C):
    """Clusters of the first K - C merges, by hand."""
    of = {k: [k] for k in range(K)}
    for i, (a, b) in enumerate(merges[: K - C].tolist()):
        of[K + i] = of.pop(a) + of.pop(b)
    labels = np.empty(K, int)
    for label, members in enumerate(of.values()):
        labels[members] = label
    return labels


def test_many_clients_in_single_precision_have_the_clusters_of_double(monkeypatch):
    models, _ = task_models(11, (20, 30, 40), noise=1.0)
    past = 0.5 * cosine_similarity(task_models(12, (20, 30, 40), noise=1.0)[0])
    expected = affect(cosine_similarity(models), past, cluster3)
    monkeypatch.setattr(hierarchical, "MANY", 90)
    W = cosine_similarity(models)
    assert W.dtype == np.float32
    psi, alpha, labels = affect(W, past.astype(np.float32), cluster3)
    assert psi.dtype == np.float32
    assert psi == pytest.approx(expected[0], abs=1e-6)
    assert alpha == pytest.approx(expected[1], abs=1e-5)
    assert np.array_equal(labels, expected[2])


def test_own_hierarchy_of_equal_clients_has_each_once():
    for K in (2, 6, 90):
        ours = hierarchical._ward(np.ones((K, K), np.float32))
        assert sorted(ours.ravel()) == list(range(2 * K - 2))


def test_what_is_clustered_is_left_as_it_is():
    W = cosine_similarity(task_models(3)[0])
    kept = W.copy()
    for name in LINKAGES:
        agglomerative(W, 3, name)
    assert np.array_equal(W, kept)


def test_ward_on_rows_equals_scipy():
    W = cosine_similarity(task_models(3, noise=1.5)[0])
    expected = fcluster(ward(W), 4, "maxclust")
    assert rand_score(expected, agglomerative(W, 4, "ward-rows")) == 1


def test_ward_does_not_change_with_the_scale_of_similarities():
    # From psi_0 = 0 the first smoothed matrix is (1 - alpha) W_1, to be clustered like W_1.
    W = cosine_similarity(task_models(4, noise=1.5)[0])
    assert np.array_equal(agglomerative(W, 3), agglomerative(0.3 * W, 3))


@pytest.mark.parametrize("name", LINKAGES)
def test_ties_still_give_the_number_of_clusters_asked_for(name):
    for C in (1, 2, 5, 6, 9):
        labels = agglomerative(np.ones((6, 6)), C, name)
        assert len(np.unique(labels)) == min(C, 6)


def test_relabelling_clients_relabels_clusters_only():
    models, _ = task_models(5, noise=1.0)
    order = np.random.default_rng(0).permutation(10)
    W = cosine_similarity(models)
    before = agglomerative(W, 3)
    after = agglomerative(W[np.ix_(order, order)], 3)
    assert rand_score(before[order], after) == 1


def test_relabel_numbers_by_first_member():
    assert relabel(np.array([7, 2, 7, 5])).tolist() == [0, 1, 0, 2]


def alpha_from_the_formulas(W, psi, labels):
    """Eqs. 27-30, entry by entry."""
    blocks = {}
    for i, j in itertools.product(range(len(W)), repeat=2):
        kind = "diagonal" if i == j else (labels[i], labels[j])
        blocks.setdefault(kind, []).append((i, j))
    variance = change = 0.0
    for pairs in blocks.values():
        values = np.array([W[p] for p in pairs])
        mean = values.mean()
        variance += ((values - mean) ** 2).sum()
        change += sum((psi[p] - mean) ** 2 for p in pairs)
    return variance / (variance + change)


@pytest.mark.parametrize("sizes", [(3, 3, 4), (1, 2, 5), (6,), (1, 1, 1, 1)])
def test_forgetting_factor_equals_the_formulas(sizes):
    models, truth = task_models(6, sizes)
    before, _ = task_models(7, sizes)
    W, psi = cosine_similarity(models), 0.8 * cosine_similarity(before)
    rng = np.random.default_rng(0)
    for labels in (truth, relabel(rng.permutation(truth))):
        assert forgetting_factor(W, psi, labels) == pytest.approx(
            alpha_from_the_formulas(W, psi, labels), abs=1e-12
        )


def test_forgetting_factor_by_hand():
    # Two clients in one cluster: nothing varies within a block, so nothing is forgotten: alpha 0.
    W = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert forgetting_factor(W, np.zeros((2, 2)), np.array([0, 0])) == 0
    # Three clients in one cluster: off-diagonal 0.2, 0.4, 0.6, mean 0.4, variance sum 2 * 0.08;
    # psi = 0.1 everywhere: change 6 * 0.3^2 + 3 * 0.9^2.
    W = np.array([[1, 0.2, 0.4], [0.2, 1, 0.6], [0.4, 0.6, 1]])
    alpha = forgetting_factor(W, np.full((3, 3), 0.1), np.zeros(3, dtype=int))
    assert alpha == pytest.approx(0.16 / (0.16 + 0.54 + 2.43))


def test_the_past_is_kept_whole_when_it_is_the_truth():
    models, truth = task_models(8, noise=0.5)
    W = cosine_similarity(models)
    psi = W.copy()
    for a, b in itertools.product(range(3), repeat=2):
        block = np.outer(truth == a, truth == b)
        off = block & ~np.eye(10, dtype=bool)
        psi[off] = W[off].mean()
    assert forgetting_factor(W, psi, truth) == pytest.approx(1.0)


@pytest.mark.parametrize("K", [3, 100])
def test_smoothing_equals_the_formula_also_into_a_given_matrix(K):
    W, psi = np.random.default_rng(K).normal(size=(2, K, K))
    kept, out = (W.copy(), psi.copy()), np.full((K, K), np.nan)
    expected = pytest.approx(0.3 * psi + 0.7 * W, abs=1e-15)
    assert smooth(W, psi, 0.3) == expected
    assert smooth(W, psi, 0.3, out) is out
    assert out == expected
    assert np.array_equal((W, psi), kept)


def test_identical_clients_do_not_divide_by_zero():
    W = np.ones((5, 5))
    assert forgetting_factor(W, W, np.array([0, 0, 1, 1, 1])) == 0.0


def cluster3(psi):
    return agglomerative(psi, 3)


def test_first_round_clusters_like_a_snapshot():
    W = cosine_similarity(task_models(9, noise=1.5)[0])
    psi, alpha, labels = affect(W, np.zeros_like(W), cluster3)
    assert np.array_equal(labels, cluster3(W))
    np.testing.assert_allclose(psi, (1 - alpha) * W)


def test_stopping_early_changes_nothing():
    rng = np.random.default_rng(0)
    psi = np.zeros((10, 10))
    for t in range(20):
        W = cosine_similarity(task_models(0, noise=0)[0] + rng.normal(size=(10, 20)))
        alpha = 0.0
        for _ in range(5):
            labels = cluster3(smooth(W, psi, alpha))
            alpha = forgetting_factor(W, psi, labels)
        expected = smooth(W, psi, alpha)
        found, found_alpha, found_labels = affect(W, psi, cluster3)
        assert found_alpha == alpha, t
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(found_labels, cluster3(expected))
        psi = found


def test_alpha_follows_the_oracle_on_the_block_model_of_the_affect_paper():
    # Xu et al. (2014), section 4: W_t = psi_t + noise with block structure. With the true psi and
    # variances the best alpha is known; the estimate must follow it, and psi-hat must be closer to
    # psi than without memory and than with fixed forgetting factors.
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], [20, 20])
    same = truth[:, None] == truth
    psi = np.where(same, 0.6, 0.2)
    np.fill_diagonal(psi, 1.0)
    sd = 0.3
    errors = {"affect": 0.0, 0.0: 0.0, 0.25: 0.0, 0.5: 0.0}
    fixed = {alpha: np.zeros_like(psi) for alpha in errors if alpha != "affect"}
    estimate, previous = np.zeros_like(psi), 0.0
    for t in range(40):
        if t == 20:  # a change of regime, known to nobody
            psi = np.where(same, 0.8, 0.1)
            np.fill_diagonal(psi, 1.0)
        noise = np.triu(rng.normal(scale=sd, size=psi.shape), 1)
        W = psi + noise + noise.T
        variance = sd**2 * (len(truth) ** 2 - len(truth))
        oracle = variance / (variance + ((estimate - psi) ** 2).sum())
        estimate, alpha, _ = affect(W, estimate, lambda p: agglomerative(p, 2), previous)
        assert alpha == pytest.approx(oracle, abs=0.08), t
        previous = alpha
        errors["affect"] += ((estimate - psi) ** 2).sum()
        for a in fixed:
            fixed[a] = smooth(W, fixed[a], a) if t else W
            errors[a] += ((fixed[a] - psi) ** 2).sum()
    assert all(errors["affect"] < error for a, error in errors.items() if a != "affect")


def test_linkage_names_are_scipys():
    for name in LINKAGES:
        linkage(np.eye(3), name.split("-")[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_similarities_that_are_no_numbers_are_no_clusters(dtype):
    W = np.eye(6, dtype=dtype)
    W[2, 3] = W[3, 2] = np.nan
    with pytest.raises(ValueError, match="finite"):
        agglomerative(W, 3)
