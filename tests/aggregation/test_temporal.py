"""MMA, A1 and A2, and what all approaches have in common."""

import numpy as np
import pytest

from fedreact.aggregation.kalman import KalmanSmoothing
from fedreact.aggregation.temporal import forgetting, memory_named, memoryless, running_mean


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


def test_approaches_have_names():
    assert memory_named("none") is memoryless
    assert memory_named("a1") is running_mean
    assert memory_named("a2") is forgetting
    assert memory_named("a3", r=0.5, learn="fqr") == KalmanSmoothing(r=0.5, learn="fqr")
