"""Models of clients' own, shrunk towards their cluster's by how much each is known."""

from dataclasses import replace

import numpy as np
import pytest

from fedreact.kinds.clustered.algorithms.fed_react import FedReact
from fedreact.kinds.clustered.algorithms.fed_react_personal import (
    ClientFits,
    FedReactPersonal,
    noted,
    weights,
)
from fedreact.kinds.clustered.contract import Setting, Uploads

SETTING = Setting(n_clusters=1)


def uploads(models, t=1, n=10, present=None):
    models = np.asarray(models, float)
    K = len(models)
    present = np.ones(K, bool) if present is None else np.asarray(present)
    return Uploads(t, False, models, np.full(K, n), present, None)


def rounds(*of_rounds, setting=SETTING, **options):
    algorithm = FedReactPersonal(setting, **options)
    first = np.asarray(of_rounds[0])
    state = algorithm.init(len(first), (1, first.shape[1]))
    for t, models in enumerate(of_rounds, 1):
        state, held, labels = algorithm.round(state, uploads(models, t))
    return held, labels


def test_by_hand():
    """Fits 1 and 3, then -1 and -5 a client: means 2 and -3, noise and spread by moments."""
    held, _ = rounds([[1.0], [-1.0]], [[3.0], [-5.0]])
    # Squares around the means: 10 (1 + 1) and 10 (4 + 4), one degree of freedom each.
    noise = 100 / 2
    between = ((2 + 3) ** 2 / 2) - noise / 20
    weight = between / (between + noise / 20)
    cluster = (2 - 3) / 2
    assert held[:, 0] == pytest.approx([cluster + weight * 2.5, cluster - weight * 2.5])


def test_in_the_first_round_a_client_has_its_clusters_model():
    held, labels = rounds([[1.0, 0.0], [3.0, 4.0]])
    assert held == pytest.approx(np.array([[2.0, 2.0]] * 2))
    assert labels.tolist() == [0, 0]


def test_fits_without_noise_are_a_clients_own():
    fits = [[1.0, 0.0], [3.0, 4.0], [0.5, 1.0]]
    held, _ = rounds(fits, fits, fits)
    assert held == pytest.approx(np.array(fits))


def test_clients_that_differ_by_noise_alone_have_their_clusters_model():
    held, _ = rounds([[1.0], [-1.0]], [[-1.0], [1.0]])
    assert held == pytest.approx(np.zeros((2, 1)))


def test_who_has_more_samples_keeps_more_of_its_own():
    own = np.array([[0.0], [4.0], [8.0]])
    known = ClientFits(own, np.array([10.0, 20, 80]), np.array([2.0, 2, 2]), np.full(3, 20.0))
    found = weights(known, np.zeros(3, int))
    assert (np.diff(found) > 0).all()
    assert ((found > 0) & (found < 1)).all()


def test_the_recursion_is_the_weighted_mean_and_its_squares():
    rng = np.random.default_rng(0)
    fits, sizes = rng.normal(size=(5, 3, 2)), rng.integers(1, 9, (5, 3))
    present = rng.random((5, 3)) < 0.7
    present[0] = True
    known = ClientFits(np.zeros((3, 2)), *np.zeros((3, 3)))
    for models, n, here in zip(fits, sizes, present):
        known = noted(known, replace(uploads(models, present=here), n_samples=n))
    for k in range(3):
        x, m = fits[present[:, k], k], sizes[present[:, k], k]
        mean = np.average(x, axis=0, weights=m)
        assert known.own[k] == pytest.approx(mean)
        assert known.squares[k] == pytest.approx((m * ((x - mean) ** 2).sum(1)).sum())
        assert (known.n_samples[k], known.rounds[k]) == (m.sum(), len(m))


def test_the_clusters_are_fed_reacts():
    setting = Setting(n_clusters=2)
    fits = [[1.0, 0.1], [1.0, -0.1], [0.1, 1.0], [-0.1, 1.0]]
    _, labels = rounds(fits, fits, setting=setting)
    inner = FedReact(setting)
    _, _, theirs = inner.round(inner.init(4, (1, 2)), uploads(fits))
    assert labels.tolist() == theirs.tolist()


def test_it_estimates_the_truth_better_than_either():
    """Clients around a common model, fits around clients: shrinking errs least."""
    rng = np.random.default_rng(1)
    true = rng.normal(size=(40, 30)) * 0.7 + rng.normal(size=30)
    fits = [true + 1.5 * rng.normal(size=true.shape) for _ in range(4)]
    held, _ = rounds(*fits)
    cluster, own = np.mean(fits, (0, 1)), np.mean(fits, 0)

    def error(models):
        return ((models - true) ** 2).mean()

    assert error(held) < 0.9 * min(error(own), error(cluster * np.ones_like(true)))
