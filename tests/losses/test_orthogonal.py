"""The losses of FedST, worked by hand."""

from math import exp, log, sqrt

import pytest
import torch
from numpy.testing import assert_allclose

from fedreact.losses.orthogonal import of_domain, of_projections, of_views

ALL = torch.ones(1, 2, dtype=torch.bool)
HALF = 1 / sqrt(2)


def rows(*values):
    return torch.tensor([values], dtype=torch.float64)


def test_views_by_hand():
    """Two samples. Shared: each aligned with its own other view; personal: with that of the
    other.
    """
    time = rows([1, 0], [0, 1]), rows([1, 0], [0, 1])
    other = rows([1, 0], [0, -1]), rows([0, 1], [1, 0])  # the sign does not matter
    tau = 0.5
    # Shared similarities are 2 on the diagonal and 0 beside it, personal ones the other way round.
    shared = -log(exp(2) / (exp(2) + 1))
    personal = -log(1 / (exp(2) + 1))
    assert_allclose(of_views(time, other, ALL, tau), [shared - personal])


def test_projections_by_hand():
    h = rows([1, 0], [HALF, HALF]), rows([0, 1], [0, -1])
    assert_allclose(of_projections(h, ALL), [HALF / 2])


def test_domains_by_hand():
    h = rows([1, 0], [HALF, HALF]), rows([0, 1], [1, 0])
    prototypes = rows([1, 0], [0, 1]), rows([HALF, HALF], [1, 0])
    y = torch.tensor([[0, 1]])
    # Shared alignments 1 and 1/sqrt 2, personal ones 1/sqrt 2 and 1.
    assert_allclose(of_domain(h, prototypes, y, ALL), [0.0], atol=1e-12)
    assert_allclose(of_domain(h, prototypes, y, torch.tensor([[True, False]])), [HALF - 1])


def test_samples_that_there_are_not_change_nothing():
    generator = torch.Generator().manual_seed(0)

    def unit(n):
        h = torch.randn(1, n, 3, generator=generator, dtype=torch.float64)
        return torch.nn.functional.normalize(h, dim=-1)

    one, other = (unit(4), unit(4)), (unit(4), unit(4))
    counts = torch.tensor([[True, True, True, False]])
    fewer, beside = (tuple(h[:, :3] for h in of) for of in (one, other))
    there = counts[:, :3]
    assert_allclose(of_views(one, other, counts, 0.7), of_views(fewer, beside, there, 0.7))
    assert_allclose(of_projections(one, counts), of_projections(fewer, there))


def test_a_batch_of_one_has_nothing_to_tell_apart():
    h = rows([1, 0]), rows([0, 1])
    assert of_views(h, h, ALL[:, :1], 1.0).tolist() == [0.0]


@pytest.mark.parametrize("other", [2.0, -3.0])
def test_no_sample_with_a_prototype_is_no_loss(other):
    h = rows([1, 0], [0, other])
    assert of_domain((h, h), (h, h), torch.tensor([[0, 1]]), ~ALL).tolist() == [0.0]
