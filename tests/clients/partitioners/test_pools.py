"""What all partitioners refuse."""

import numpy as np
import pytest
from made_data import dataset

from fedreact import options, plugins
from fedreact.clients.partitioners.pools import check_sizes, labels_of
from fedreact.errors import UserError

FOLDER = "clients/partitioners"


def test_they_are_found_by_the_names_of_their_files():
    found = plugins.names(FOLDER, "PARTITIONER")
    assert {"dirichlet", "labels", "owner", "supports", "switching"} <= set(found)


@pytest.mark.parametrize(
    ("y", "kind"),
    [(np.linspace(0, 1, 40, dtype=np.float32), "regression"), (np.eye(40) == 1, "multi-label")],
)
def test_clusters_of_labels_need_a_label_for_each_series(y, kind):
    words = rf"^partition: made has no label for each series \({kind}\); deal it `by: owner`$"
    with pytest.raises(UserError, match=words):
        labels_of(dataset(y))


def test_series_of_trials_are_dealt_only_by_those_that_do_not_split_them():
    data = dataset(np.arange(40) % 2, trial=np.arange(40) // 2)
    assert labels_of(data, trials=True) is data.y
    sizes = {"cluster_sizes": [1, 1], "samples_per_client": 10}
    for name, given in (
        ("dirichlet", {"beta": 1.0}),
        ("switching", {"beta": 1.0}),
        ("supports", {"supports": [1, 1]}),
    ):
        dealer = options.check(plugins.load(FOLDER, name, "PARTITIONER"), sizes | given, name)
        with pytest.raises(UserError, match="series of made belong to trials, which would be spl"):
            dealer.deal(data, seed=0)


@pytest.mark.parametrize(
    ("sizes", "samples", "share", "words"),
    [
        ([], 10, 0.1, r"cluster sizes \[\] must be 1 or more each"),
        ([2, 0], 10, 0.1, r"cluster sizes \[2, 0\] must be"),
        ([2], 1, 0.1, "1 samples a client; two are needed"),
        ([2], 10, 0.0, "the share to test on is 0.0"),
        ([2], 10, 1.0, "the share to test on is 1.0"),
    ],
)
def test_sizes_that_no_data_could_have(sizes, samples, share, words):
    with pytest.raises(UserError, match=words):
        check_sizes(sizes, samples, share)


@pytest.mark.parametrize(
    ("by", "change", "words"),
    [
        ("dirichlet", {"beta": 0}, "beta: expected float > 0"),
        ("dirichlet", {"cluster_sizes": []}, "cluster_sizes: expected array of length >= 1"),
        ("dirichlet", {"cluster_sizes": [2, 0]}, r"cluster_sizes\[1\]: expected int >= 1"),
        ("dirichlet", {"samples_per_client": 4}, "samples_per_client: expected int >= 5, got 4"),
        ("dirichlet", {"test_share": 1.0}, "test_share: expected float < 1"),
        ("switching", {"beta": -1.0}, "beta: expected float > 0"),
        ("supports", {"supports": [3, 0]}, r"supports\[1\]: expected int >= 1"),
        ("labels", {"labels": [[0], [-1]]}, r"labels\[1\]\[0\]: expected int >= 0"),
        ("owner", {"split": "latest"}, "'latest' is unknown; known: random, chronological"),
        ("owner", {"gap": -3}, "gap: expected int >= 0, got -3"),
        ("owner", {"clients": 0}, "clients: expected int >= 1"),
        (
            "owner",
            {"beta": 1.0},
            "unknown key beta; known keys: regime, clients, owners, parts, split",
        ),
    ],
)
def test_options_out_of_bounds_are_one_line(by, change, words):
    needed = {
        "dirichlet": {"cluster_sizes": [2, 3], "beta": 1.0},
        "switching": {"cluster_sizes": [2, 3], "beta": 1.0},
        "supports": {"cluster_sizes": [2, 3], "supports": [3, 7]},
        "labels": {"cluster_sizes": [2, 3], "labels": [[0], [1]]},
        "owner": {},
    }[by]
    cls = plugins.load(FOLDER, by, "PARTITIONER")
    options.check(cls, needed, by)
    with pytest.raises(UserError, match=rf"^{by}: [^\n]*{words}[^\n]*$"):
        options.check(cls, needed | change, by)
