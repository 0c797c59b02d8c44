"""Drawing samples by the distribution of their labels."""

import numpy as np

from fedreact.clients.sampling import draw


def test_drawn_samples_have_the_labels_asked_for():
    pools = [np.arange(10 * label, 10 * label + 10) for label in range(4)]
    drawn = draw(pools, np.array([0, 0.5, 0.5, 0]), 16, np.random.default_rng(0))
    assert len(drawn) == 16
    assert set(drawn // 10) == {1, 2}
    assert len(set(drawn)) == 16
    # A pool that is too small is drawn from with repetition.
    drawn = draw(pools, np.array([1.0, 0, 0, 0]), 16, np.random.default_rng(0))
    assert len(drawn) == 16
    assert (drawn < 10).all()
