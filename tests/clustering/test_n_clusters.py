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
from fedreact.clustering.hierarchical import Linkage
from fedreact.clustering.n_clusters import elbow, estimate, silhouette, wcss
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

LINKAGES = get_args(Linkage)


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
    assert wcss(models, labels) == pytest.approx(1)
    assert wcss(models, np.zeros(4, int)) == pytest.approx(4)
    assert wcss(models, np.arange(4)) == pytest.approx(0)
    assert silhouette(models, labels) == pytest.approx(1 - 0.5 / 1.75)
    assert np.isnan(silhouette(models, np.zeros(4, int)))
    assert np.isnan(silhouette(models, np.arange(4)))


def test_wcss_is_the_inertia_of_k_means_for_its_clusters():
    unit = normalised(clients(4, noise=1.0)[0])
    fit = KMeans(4, n_init=1, random_state=0).fit(unit)
    assert wcss(3 * unit, fit.labels_) == pytest.approx(fit.inertia_)


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
    assert silhouette(models, labels) == pytest.approx(expected, abs=1e-9)
    assert silhouette_score(models, labels, metric="cosine") == pytest.approx(expected, abs=1e-9)


def test_wcss_along_the_ward_hierarchy_is_the_sum_of_its_merges():
    models, _ = clients(3, noise=1.0)
    costs = ward(normalised(models))[:, 2] ** 2 / 2
    expected = np.cumsum(costs)[::-1]
    np.testing.assert_allclose(estimate(models, 17).wcss, expected)


def test_labels_need_not_be_consecutive():
    models, truth = clients(3)
    assert wcss(models, 10 * truth - 7) == wcss(models, truth)


def test_a_client_of_zeros_is_as_far_as_in_the_clustering():
    models = np.array([[1.0, 0.0], [0.0, 0.0]])
    assert wcss(models, np.zeros(2, int)) == pytest.approx(1)  # two orthogonal unit vectors


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
        curves = estimate(clients(C, seed=seed)[0], 10, linkage)
        assert elbow(curves.wcss) == C
        assert np.nanargmax(curves.silhouette) + 1 == C


def test_curves_end_at_one_client_each():
    models, _ = clients(2, size=3)
    curves = estimate(models, 6)
    assert np.isnan(curves.silhouette).tolist() == [True, False, False, False, False, True]
    assert curves.wcss[-1] == pytest.approx(0)
    with pytest.raises(UserError, match="6 clients"):
        estimate(models, 7)


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
