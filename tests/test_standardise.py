"""Features and targets to a common scale."""

import numpy as np

from fedreact.standardise import standardise


def test_standardise_uses_train_samples_only():
    features = np.array([[0.0, 5.0], [2.0, 5.0], [100.0, 7.0]], dtype=np.float32)
    scaled, unit, centre = standardise(features, [np.array([0, 1]), np.array([0, 1])])
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, [[-1, 0], [1, 0], [99, 2]])
    np.testing.assert_allclose(unit, [1, 1])
    np.testing.assert_allclose(centre, [1, 5])
    targets, unit, centre = standardise(np.array([10.0, 30.0, 40.0]), [np.array([0, 1])])
    np.testing.assert_allclose(targets, [-1, 1, 2])
    assert unit == 10
    assert centre == 20


def test_samples_of_several_clients_count_for_each():
    values = np.array([0.0, 4.0, 10.0])
    _, unit, centre = standardise(values, [np.array([0, 1]), np.array([1])])
    assert centre == 8 / 3
    np.testing.assert_allclose(unit, np.std([0, 4, 4]))


def test_what_was_standardised_is_there_again_in_its_unit():
    values = np.random.default_rng(0).normal(3, [1, 20], (50, 2)).astype(np.float32)
    scaled, unit, centre = standardise(values, [np.arange(0, 30), np.arange(20, 40)])
    np.testing.assert_allclose(scaled * unit + centre, values, rtol=1e-4, atol=1e-4)
