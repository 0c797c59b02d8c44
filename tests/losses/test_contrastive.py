"""Eq. 1 by hand, and the sub-sequences that it compares."""

import math

import numpy as np
import pytest
import torch

from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data

RNG = np.random.default_rng


class Echo:
    """An encoder whose feature of a series is the value of its last step."""

    def encode(self, theta, x, lengths=None):
        last = x[:, -1] if lengths is None else x[torch.arange(len(x)), lengths - 1]
        return last * theta[:, None]


def log_sigma(x):
    return -math.log1p(math.exp(-x))


@pytest.mark.parametrize(("weighting", "weight"), [("sum", 1), ("mean", 0.5)])
def test_value_by_hand(weighting, weight):
    # Two series, constant 1 and 2: products of features are 1 * 1 and 1 * 2 (or 2 * 2, 2 * 1).
    X = torch.tensor([1.0, 2.0]).view(2, 1, 1).expand(2, 4, 1)
    loss = ContrastiveLoss(Echo(), n_negatives=2, negative_weighting=weighting)
    draws = loss.draw(RNG(0), np.array([0]), 4, batch_size=1, steps=1)
    draws.negative[0, 0], draws.negative[0, 1] = 1, 0
    value, buffers = loss.value(torch.ones(1, 1), Data(X), [draws], 0)
    assert buffers is None
    negatives = weight * (log_sigma(-2.0) + log_sigma(-1.0))
    assert value.item() == pytest.approx(-log_sigma(1.0) - negatives, rel=1e-6)


@pytest.mark.parametrize("n_series", [1, 3, 25])
def test_sub_sequences_lie_within_the_series_and_the_positive_within_the_anchor(n_series):
    series = np.arange(100, 100 + n_series)
    d = ContrastiveLoss(Echo(), n_negatives=4).draw(RNG(3), series, 30, batch_size=10, steps=500)
    long, short = d.anchor_length[:, None], d.short_length[:, None]
    assert d.anchor.shape == (500, 10)
    assert d.negative.shape == (500, 4, 10)
    assert np.isin(d.anchor, series).all()
    assert np.isin(d.negative, series).all()
    assert (short >= 1).all()
    assert (long >= short).all()
    assert (d.anchor_start >= 0).all()
    assert (d.anchor_start + long <= 30).all()
    assert (d.positive_start >= d.anchor_start).all()
    assert (d.positive_start + short <= d.anchor_start + long).all()
    assert (d.negative_start >= 0).all()
    assert (d.negative_start + short[:, None] <= 30).all()
    assert d.short_length.min() == 1
    assert d.anchor_length.max() == 30


def test_anchors_visit_every_series_equally_often():
    d = ContrastiveLoss(Echo()).draw(RNG(0), np.arange(20), 10, batch_size=5, steps=8)
    assert (np.bincount(d.anchor.ravel()) == 2).all()


def test_same_generator_same_draws():
    first, second = (
        ContrastiveLoss(Echo()).draw(RNG(7), np.arange(9), 50, 10, 20) for _ in range(2)
    )
    for name, values in vars(first).items():
        assert np.array_equal(values, vars(second)[name]), name
