"""The figures of criteria for the number of clusters."""

import numpy as np
import pandas as pd
import pytest
from small_figures import by_clusters

from fedreact.figures.n_clusters import NClusters


def test_curves_are_means_over_seeds(tmp_path):
    figure = NClusters("s10", "wcss").draw("t", {}, by_clusters(tmp_path))
    (axes,) = figure.axes
    curve = axes.get_lines()[0]
    assert curve.get_xdata().tolist() == [1, 2, 3]
    assert curve.get_ydata() == pytest.approx([160.5, 32.5, 16.5])
    assert axes.get_ylabel() == "Within-cluster sum of squares"
    # Two seeds, one apart: 0.5 x t(0.975, 1) = 6.3531.
    segments = axes.containers[0].lines[2][0].get_segments()
    assert segments[1][:, 1] == pytest.approx([32.5 - 6.3531, 32.5 + 6.3531], rel=1e-5)


def test_curves_of_one_seed_have_no_interval(tmp_path):
    lines = [[0, m, C, m / C, C] for m in (16, 64) for C in (1, 2, 3)]
    columns = ["seed", "samples", "n_clusters", "wcss", "silhouette"]
    pd.DataFrame(lines, columns=columns).to_csv(tmp_path / "s.csv", index=False)
    figure = NClusters("s10", "wcss").draw("t", {}, [tmp_path / "s.csv"])
    bars = figure.axes[0].containers[0]
    assert bars.lines[0].get_ydata() == pytest.approx([16, 8, 16 / 3])
    assert all(np.ptp(ends[:, 1]) == 0 for ends in bars.lines[2][0].get_segments())
    assert figure.get_suptitle() == "t, one seed"


@pytest.mark.parametrize(("score", "number"), [("wcss", 2), ("silhouette", 3)])
def test_labels_tell_the_number_that_a_curve_points_to(tmp_path, score, number):
    figure = NClusters("s10", score).draw("t", {}, by_clusters(tmp_path))
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [f"|M| = {m}: {number}" for m in (16, 64)]


def test_one_cluster_has_no_silhouette(tmp_path):
    figure = NClusters("s10", "silhouette").draw("t", {}, by_clusters(tmp_path))
    curve = figure.axes[0].get_lines()[0]
    assert curve.get_xdata().tolist() == [2, 3]
    assert curve.get_ydata() == pytest.approx([0.15, 0.55])
