"""What FedAT's compressor saves and loses."""

import numpy as np
import pytest
from small_studies import by_labels

from fedreact.studies.polyline import Polyline


def test_by_what_the_method_says_of_itself():
    found = by_labels(Polyline())
    for p in range(1, 7):
        row = found["1 decimal" if p == 1 else f"{p} decimals"]
        # Half a unit of the last decimal; of 100,000 weights one comes near it.
        assert row["Largest error (millionths)"] == pytest.approx(0.5e6 * 10**-p, rel=0.25)
        assert row["Bytes a weight"] >= 1
    sizes = [of["Bytes a weight"] for of in found.values()]
    assert sizes == sorted(sizes)  # with each decimal more, and as they are
    assert found["as they are"]["Bytes a weight"] == 4
    # Weights that lie side by side are not near each other.
    assert all(
        of["Bytes a weight, as differences"] >= of["Bytes a weight"] for of in found.values()
    )


def test_an_error_is_a_share_of_the_weights():
    """Of numbers spread evenly within a unit of the last decimal: 10^-p / 12^.5."""
    study = Polyline(decimals=(3, 4))
    found = by_labels(study)
    size = np.mean(study._weights(0) ** 2) ** 0.5
    for p in study.decimals:
        share = found[f"{p} decimals"]["Root mean square error (% of the weights')"]
        assert share / 100 * size == pytest.approx(10**-p / 12**0.5, rel=0.02)
