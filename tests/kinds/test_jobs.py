"""What jobs of all kinds have in common."""

import numpy as np
import pytest

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.kinds import contract, jobs

N, CHANNELS, STEPS = 20, 30, 4


@pytest.mark.parametrize(("name", "doubted"), [("mine", True), ("extrasensory", False)])
def test_registered_data_is_not_taken_for_transposed(name, doubted):
    """A registry says how many channels and steps there are; of own data nobody has."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, CHANNELS, STEPS)).astype(np.float32), np.arange(N) % 2
    data = SeriesDataset(name, X, np.full(N, STEPS), y)
    train, test = np.split(np.arange(16), 2), np.split(np.arange(16, N), 2)
    nothing = (np.zeros((2, 0), np.int64), np.zeros((2, 1, 0)), np.zeros(0, np.int64))
    inputs = contract.Inputs(data, Partition(np.arange(2), train, test, *nothing), setting="s")
    found = jobs.findings("synchronous", inputs, None, [])
    assert any("transposed" in sentence for sentence in found) == doubted
