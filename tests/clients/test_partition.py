"""Who holds which samples, in memory and on disk."""

import numpy as np
import pytest

from fedreact.clients.partition import NOTHING, Partition
from fedreact.errors import UserError


def test_truncated_file_is_a_clear_error(tmp_path):
    path = tmp_path / "p.npz"
    made().save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="not a readable partition"):
        Partition.load(path)


def made(**changes):
    """Two clients of three samples each."""
    content = {
        "clusters": np.array([0, 1]),
        "train": [np.array([0, 1]), np.array([3, 4])],
        "test": [np.array([2]), np.array([5])],
        "label_counts": np.array([[3, 0], [0, 3]]),
        "distributions": np.eye(2)[:, None],
        "held_out": NOTHING,
    }
    return Partition(**content | changes)


def test_round_trip(tmp_path):
    p = made(held_out=np.array([6]))
    assert p.clusters_known
    for name in "ab":
        p.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = Partition.load(tmp_path / "a", n_samples=7)
    for name in ("clusters", "train", "test", "label_counts", "distributions", "held_out"):
        np.testing.assert_array_equal(getattr(again, name), getattr(p, name))


def test_clients_without_clusters():
    nothing_known = {"label_counts": np.zeros((1, 0), int), "distributions": np.zeros((1, 1, 0))}
    assert not made(clusters=np.zeros(2, int), **nothing_known).clusters_known


def test_a_partition_of_other_data_is_a_clear_error(tmp_path):
    made().save(tmp_path / "p.npz")
    assert len(Partition.load(tmp_path / "p.npz", n_samples=6).train) == 2
    with pytest.raises(UserError, match=r"p\.npz: of other data, it uses more than the 5 samples"):
        Partition.load(tmp_path / "p.npz", n_samples=5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"train": [NOTHING, np.array([3])]},
            r"client 0 \(cluster 1\) has no train samples; use more data",
        ),
        (
            {"test": [np.array([2]), NOTHING]},
            r"client 1 \(cluster 2\) has no test samples; use more data",
        ),
        ({"clusters": np.zeros(0, int)}, r"clusters must be integers \[K\], of one or more"),
        ({"clusters": np.zeros(2)}, r"clusters must be integers \[K\]"),
        ({"clusters": np.zeros((2, 1), int)}, r"clusters must be integers \[K\]"),
        ({"train": [np.array([0])]}, "train must be indices for each of 2 clients"),
        ({"test": [np.array([0.5]), np.array([5])]}, "test must be indices for each of 2"),
        ({"distributions": np.eye(2)}, r"distributions must be numbers \[C, S, labels\]"),
        ({"distributions": np.full((2, 1, 2), np.nan)}, "distributions must be numbers"),
    ],
)
def test_wrong_content_is_a_clear_error(changes, words):
    with pytest.raises(UserError, match=rf"^partition: {words}[^\n]*$"):
        made(**changes)
