"""Number of clusters: both criteria against their definitions, and on clients whose C is known."""

import csv
from typing import get_args

import numpy as np
import pytest
from helpers import ROOT, command
from scipy.cluster.hierarchy import ward
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from fedreact.clients.partitioners.dirichlet import Dirichlet
from fedreact.clustering import n_clusters
from fedreact.clustering.hierarchical import Linkage, cosine_similarity
from fedreact.clustering.n_clusters import (
    Criterion,
    choose,
    eigengap,
    elbow,
    estimate,
    first_gap,
    gap,
    half_squared_distances,
    laplacian_eigenvalues,
    prediction_strength,
    silhouette,
    strongest,
    wcss,
)
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

LINKAGES = get_args(Linkage)
CRITERIA = get_args(Criterion)


def clients(C, size=6, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(C), size)
    return rng.normal(size=(C, 30))[truth] + noise * rng.normal(size=(C * size, 30)), truth


def normalised(models):
    return models / np.linalg.norm(models, axis=1, keepdims=True)


def test_by_hand():
    # Unit vectors at 0, 60, 180 and 240 degrees: those of a pair are 1 apart, so each pair has
    # WCSS 1/2; 1 - s is 1/2 within a pair, and 3/2 and 2 to the other.
    angles = np.radians([0, 60, 180, 240])
    models = np.array([1, 5, 2, 0.1])[:, None] * np.c_[np.cos(angles), np.sin(angles)]
    labels = np.array([0, 0, 1, 1])
    W = cosine_similarity(models)
    assert wcss(W, labels) == pytest.approx(1)
    assert wcss(W, np.zeros(4, int)) == pytest.approx(4)
    assert wcss(W, np.arange(4)) == pytest.approx(0)
    assert silhouette(W, labels) == pytest.approx(1 - 0.5 / 1.75)
    assert np.isnan(silhouette(W, np.zeros(4, int)))
    assert np.isnan(silhouette(W, np.arange(4)))


def test_wcss_is_the_inertia_of_k_means_for_its_clusters():
    unit = normalised(clients(4, noise=1.0)[0])
    fit = KMeans(4, n_init=1, random_state=0).fit(unit)
    assert wcss(unit @ unit.T, fit.labels_) == pytest.approx(fit.inertia_)


@pytest.mark.parametrize("change", ["none", "a cluster of one", "no weights", "all alike"])
def test_silhouette_is_scikit_learns_on_half_the_squared_distances(change):
    models, labels = clients(3, noise=1.0)
    if change == "a cluster of one":
        labels = np.where(np.arange(len(labels)) == 2, 7, labels)
    if change == "all alike":
        models = np.tile(models[:1], (len(models), 1))
    unit = normalised(models)
    distances = ((unit[:, None] - unit) ** 2).sum(-1) / 2
    if change == "no weights":  # as far from all others as what has nothing in common
        models[0], distances[0], distances[:, 0] = 0, 1, 1
        distances[0, 0] = 0
    expected = silhouette_score(distances, labels, metric="precomputed")
    assert silhouette(cosine_similarity(models), labels) == pytest.approx(expected, abs=1e-9)
    assert silhouette_score(models, labels, metric="cosine") == pytest.approx(expected, abs=1e-9)


def test_wcss_along_the_ward_hierarchy_is_the_sum_of_its_merges():
    models, _ = clients(3, noise=1.0)
    costs = ward(normalised(models))[:, 2] ** 2 / 2
    expected = np.cumsum(costs)[::-1]
    np.testing.assert_allclose(estimate(cosine_similarity(models), 17).wcss, expected)


def test_labels_need_not_be_consecutive():
    models, truth = clients(3)
    W = cosine_similarity(models)
    assert wcss(W, 10 * truth - 7) == wcss(W, truth)


def test_a_client_of_zeros_is_as_far_as_in_the_clustering():
    models = np.array([[1.0, 0.0], [0.0, 0.0]])
    W = cosine_similarity(models)
    assert wcss(W, np.zeros(2, int)) == pytest.approx(1)  # two orthogonal unit vectors


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([10, 6, 2, 1.8, 1.6, 1.4], 3),
        ([10, 2, 1.9, 1.8], 2),
        ([10, 9, 8, 7, 1, 0.9, 0.8], 5),
        ([4, 3, 2, 1], 1),
        ([0, 0, 0], 1),
    ],
)
def test_elbow(curve, expected):
    assert elbow(curve) == expected
    assert elbow(128 * np.array(curve)) == expected


def test_too_short_for_an_elbow():
    with pytest.raises(UserError, match="at least 3"):
        elbow([2.0, 1.0])


@pytest.mark.parametrize("C", [2, 3, 5])
@pytest.mark.parametrize("linkage", LINKAGES)
def test_well_separated_clusters_are_counted(C, linkage):
    for seed in range(5):
        curves = estimate(cosine_similarity(clients(C, seed=seed)[0]), 10, linkage)
        assert elbow(curves.wcss) == C
        assert np.nanargmax(curves.silhouette) + 1 == C


def test_curves_end_at_one_client_each():
    models, _ = clients(2, size=3)
    W = cosine_similarity(models)
    curves = estimate(W, 6)
    assert np.isnan(curves.silhouette).tolist() == [True, False, False, False, False, True]
    assert curves.wcss[-1] == pytest.approx(0)
    with pytest.raises(UserError, match="6 clients"):
        estimate(W, 7)


def test_distances_of_inner_products_by_hand():
    # Points 0, 1 and 3 on a line.
    points = np.array([0.0, 1.0, 3.0])
    expected = [[0, 0.5, 4.5], [0.5, 0, 2], [4.5, 2, 0]]
    np.testing.assert_allclose(half_squared_distances(np.outer(points, points)), expected)
    # Clusters {0, 1} and {3}: 1 / 2; all in one: squared distances from 4 / 3.
    assert wcss(np.outer(points, points), np.array([0, 0, 1])) == pytest.approx(0.5)
    assert wcss(np.outer(points, points), np.zeros(3, int)) == pytest.approx((16 + 1 + 25) / 9)


def test_gap_of_two_points_by_hand():
    # Uniform points u, v in a box of length L have log WCSS log(L^2 / 2) + 2 log|u - v|, the two
    # clients log(L^2 / 2). The mean of log|u - v| is -3/2, its variance 5/4.
    gaps = [gap(np.diag([1.0, 1.0]), 1, seed=seed) for seed in range(20)]
    assert np.mean([value[0] for value, _ in gaps]) == pytest.approx(-3, abs=0.3)
    assert np.mean([error[0] for _, error in gaps]) == pytest.approx(5**0.5, abs=0.3)


def test_first_gap_by_hand():
    gaps, errors = np.array([1.0, 2.0, 2.05, 1.9]), np.full(4, 0.1)
    assert first_gap(gaps, errors) == 2  # 1.0 < 2.0 - 0.1, and 2.0 >= 2.05 - 0.1
    assert first_gap(gaps, errors / 10) == 3
    assert first_gap(np.arange(4.0), errors) == 4


def test_references_of_the_gap_lie_along_the_principal_components():
    # Two coordinates of spread 5 and 1, turned by 45 degrees: a box along the axes would be too
    # large by a factor, so its log WCSS, and the gap, would be larger.
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (60, 2)) * [5, 1]
    turned = points @ np.array([[1, 1], [-1, 1]]) / 2**0.5
    (plain, _), (moved, _) = (gap(X @ X.T, 4) for X in (points, turned + 3))
    np.testing.assert_allclose(plain, moved, atol=0.1)
    assert plain[0] == pytest.approx(0, abs=0.2)  # they are uniform in that box themselves


def test_eigenvalues_by_hand():
    # Two pairs that are joined by 1: eigenvalues 0 and 2 of each pair. Negative similarities join
    # nobody, so the fifth client is a component of its own.
    W = np.kron(np.eye(2), np.ones((2, 2)))
    np.testing.assert_allclose(laplacian_eigenvalues(W), [0, 0, 2, 2], atol=1e-12)
    W = np.pad(W, (0, 1), constant_values=-0.5)
    W[4, 4] = 1
    values = laplacian_eigenvalues(W)
    np.testing.assert_allclose(values, [0, 0, 0, 2, 2], atol=1e-12)
    assert eigengap(values, 4) == 3
    assert eigengap(values, 2) == 1  # of the gaps 0 and 0, the first
    # Three clients joined by 1/2: degrees 1, so 1 - 1 and 1 + 1/2 twice.
    third = laplacian_eigenvalues((np.ones((3, 3)) + np.eye(3)) / 2)
    np.testing.assert_allclose(third, [0, 1.5, 1.5], atol=1e-12)


def test_prediction_strength_by_hand():
    # Four clients in two pairs. Two clusters of a half are single clients, without pairs.
    W = np.kron(np.eye(2), np.ones((2, 2)))
    assert prediction_strength(W, 2).tolist() == [1, 0]
    # Twice 30 clients that are alike: halves cut them in the same way, unless one has fewer than
    # two clients of a cluster, which 10 splits of 60 do not meet.
    assert prediction_strength(np.kron(np.eye(2), np.ones((30, 30))), 2).tolist() == [1, 1]
    assert strongest(np.array([1, 0.9, 0.5, 0.8, 0.79])) == 4
    assert strongest(np.array([1, 0.7])) == 1


def test_the_worst_cluster_counts():
    kept = n_clusters._kept_together
    # The first cluster keeps one of its three pairs, and the second its only one.
    assert kept(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])) == pytest.approx(1 / 3)
    assert kept(np.array([0, 0, 1]), np.zeros(3, int)) == 0


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_criterion_counts_clear_clusters_whatever_the_scale(criterion, linkage):
    for C in (2, 3, 5):
        W = cosine_similarity(clients(C, size=12, seed=C)[0])
        assert choose(criterion, W, linkage, 10) == C
        if linkage == "ward":  # as AFFECT does: all similarities are smaller, the diagonal too
            assert choose(criterion, 0.3 * W, linkage, 10) == C


@pytest.mark.parametrize("criterion", ["gap", "stability"])
def test_one_cluster_can_be_chosen(criterion):
    points = np.random.default_rng(1).uniform(size=(60, 2))
    assert choose(criterion, points @ points.T) == 1


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("K", [3, 4, 5])
def test_few_clients_or_equal_ones(criterion, K):
    for models in (np.eye(K), np.ones((K, 2)), np.zeros((K, 2))):
        assert 1 <= choose(criterion, cosine_similarity(models)) <= K


def test_unknown_criteria_are_named():
    known = "use a number, elbow, silhouette, gap, eigengap or stability"
    with pytest.raises(UserError, match=known):
        choose("bic", np.eye(4))
    with pytest.raises(UserError, match="needs 3 clients"):
        choose("gap", np.eye(2))


def test_command(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 600)
    X, lengths = np.zeros((600, 1, 2), np.float32), np.full(600, 2)
    data = SeriesDataset("toy", X, lengths, y)
    data.save(tmp_path / "data.npz")
    clients = Dirichlet(cluster_sizes=(3, 3), beta=0.3, samples_per_client=200)
    clients.deal(data, seed=0).save(tmp_path / "partition.npz")
    np.savez(tmp_path / "features.npz", features=rng.normal(size=(600, 5)).astype(np.float32))
    words = ["python", ROOT / "scripts/run.py", "n_clusters"]
    for name in ("data", "features", "partition"):
        words += [f"--{name}", tmp_path / f"{name}.npz"]
    words += ["--setting", "toy2", "--seed", "0", "--samples", "8,16", "--rounds", "2"]
    output = tmp_path / "curves.csv"
    printed, status = command(*words, "--max-clusters", "3", "--output", output, cwd=tmp_path)
    assert status == 0, printed
    rows = list(csv.DictReader(output.open()))
    assert [(r["samples"], r["n_clusters"]) for r in rows] == [
        (m, c) for m in ("8", "16") for c in "123"
    ]
    assert {(r["setting"], r["data"], r["seed"]) for r in rows} == {("toy2", "toy", "0")}
    assert float(rows[0]["wcss"]) > float(rows[1]["wcss"]) > float(rows[2]["wcss"])
    assert [r["silhouette"] == "" for r in rows] == [True, False, False] * 2
