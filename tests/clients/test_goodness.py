"""How good clients say that a model is, by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_federation import SUPERVISED

from fedreact.clients.goodness import goodness
from fedreact.losses.objective import Data

# The model's outputs are the means of the first and of the second channel.
THETA = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
OUTPUTS = torch.tensor([[2.0, 1.0], [-1.0, 1.0], [3.0, -1.0], [0.5, 0.25]])
X = torch.cat([OUTPUTS, torch.zeros(4, 1)], 1)[:, None].repeat(1, 20, 1)


@pytest.mark.parametrize(
    ("kind", "y", "samples", "good"),
    [
        ("classification", [0, 0, 0, 1], [0, 1, 2, 3], 2 / 4),
        ("classification", [0, 0, 0, 1], [0, 2], 1.0),
        ("multi-label", [[1, 0], [0, 1], [1, 1], [0, 0]], [0, 1, 2, 3], 4 / 8),
        # 1 - |2 - 1| / 3 = 2/3; 1 of an exact one; 0 of another sign, and of 0.
        ("regression", [[1.0, 1.0], [1.0, 0.0], [3.0, -1.0], [0.5, 0.25]], [0, 1], (2 / 3 + 1) / 4),
    ],
)
def test_by_hand(kind, y, samples, good):
    y = torch.tensor(y)
    data = Data(X, y.bool() if kind == "multi-label" else y)
    objective = replace(SUPERVISED.objective, kind=kind)
    assert goodness(objective, THETA, data, np.array(samples)) == pytest.approx(good)


def test_errors_of_a_regression_are_in_the_units_of_its_targets():
    """Outputs 2 and 1 mean 2 x 10 + 80 = 100 and 1 x 2 + 8 = 10; the targets mean 60 and 10."""
    data = Data(X, torch.tensor([[-2.0, 1.0]]))
    objective = replace(SUPERVISED.objective, kind="regression", units=((10.0, 80.0), (2.0, 8.0)))
    found = goodness(objective, THETA, data, np.array([0]))
    assert found == pytest.approx(1 - (40 / 160 + 0) / 2)


def test_two_zeros_are_no_error():
    data = Data(torch.zeros(1, 20, 3), torch.zeros(1, 2))
    objective = replace(SUPERVISED.objective, kind="regression")
    assert goodness(objective, THETA, data, np.array([0])) == 1.0
