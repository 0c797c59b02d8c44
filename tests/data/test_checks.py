"""What would make results on a dataset mean nothing is said, with nothing run."""

import re

import numpy as np
import pytest

from fedreact.clients import checks as of_clients
from fedreact.clients.partition import NOTHING, Partition
from fedreact.data import checks, own
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.io import size

RNG = np.random.default_rng(0)
SOUND = {"X": RNG.normal(size=(40, 2, 5)), "y": np.arange(40) % 2}


def write(folder, **changes):
    file = folder / "mine.npz"
    np.savez(file, **(SOUND | changes))
    return file


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": RNG.normal(size=(40, 9, 2))}, "9 channels and 2 steps: .* transposed"),
        ({"X": np.zeros((40, 2, 5))}, "No series changes"),
        ({"X": SOUND["X"] * (np.arange(40) > 29)[:, None, None]}, "30 of 40 series do not change"),
        ({"y": np.arange(40) % 30}, "30 labels for 40 series, 30 of them for fewer than 5"),
        ({"X": SOUND["X"] * np.array([1, 1000])[:, None]}, "Channels spread between .* scale them"),
        ({"X": SOUND["X"] * np.array([1, 0])[:, None]}, r"Channels 1 \(from 0\) are the same"),
        ({"y": np.full(40, 3.5)}, "All targets are the same"),
        ({"y": np.arange(40.0) % 3}, "Targets are 3 different whole numbers"),
        ({"y": np.ones((40, 3), bool)}, "3 of 3 labels are the same"),
        (
            {"X": None, "recording": np.ones((90, 2)), "start": np.arange(40), "steps": 5},
            "No series changes",
        ),
    ],
)
def test_what_is_suspicious_is_found(tmp_path, changes, words):
    if "X" in changes and changes["X"] is None:
        file = tmp_path / "mine.npz"
        np.savez(file, y=SOUND["y"], **{k: v for k, v in changes.items() if v is not None})
    else:
        file = write(tmp_path, **changes)
    found = checks.findings(own.read(file, "mine"))
    assert len(found) == 1
    assert re.search(words, found[0])


def test_values_far_from_1_are_found(tmp_path):
    (found,) = size.findings(own.read(write(tmp_path, X=SOUND["X"] + 2000), "mine"))
    assert re.search("as large as 2,000 .*--scale all", found)
    assert size.findings(own.read(write(tmp_path), "mine")) == []


def test_nothing_is_found_in_sound_data(tmp_path):
    assert checks.findings(own.read(write(tmp_path), "mine")) == []
    # A padded series is no constant one.
    X = SOUND["X"].copy()
    X[:, :, 3:] = 0
    assert checks.findings(own.read(write(tmp_path, X=X, lengths=np.full(40, 3)), "mine")) == []


def partition(*train):
    clusters, empty = np.zeros(len(train), dtype=int), np.zeros((1, 0), dtype=int)
    test = [np.array([9])] * len(train)
    return Partition(clusters, list(train), test, empty, np.zeros((1, 1, 0)), NOTHING)


def test_clients_of_identical_samples_are_found():
    a, b = np.array([1, 2]), np.array([3, 4, 5])
    (found,) = of_clients.findings(partition(a, b, a.copy()))
    assert found.startswith("3 clients hold 2 different train sets")
    assert of_clients.findings(partition(a, b)) == []
    assert of_clients.whole_train_sets(partition(a, b), 2) == 1


def test_clients_of_one_label_are_found():
    drawn = partition(np.array([0, 1]), np.array([2, 3]))
    y = np.array([0, 1, 1, 1, 0, 0, 0, 0, 0, 1])
    (found,) = of_clients.findings(drawn, y)
    assert found.startswith("1 of 2 clients have one label alone")
    y[3] = 0
    assert of_clients.findings(drawn, y) == []
    assert of_clients.findings(drawn, y + 0.5) == []


def test_labels_in_test_series_alone_are_found():
    y = np.array([0, 1, 0, 1, 0, 0, 0, 0, 0, 2])
    drawn = partition(np.array([0, 1]), np.array([2, 3]))
    (found,) = of_clients.findings(drawn, y)
    assert found.startswith("No client trains on label 2, and 100% of the test series have it")
    (found,) = of_clients.findings(drawn, y, np.array(["sit", "walk", "run"]))
    assert found.startswith("No client trains on label run, ")
    assert of_clients.findings(drawn, y % 2) == []


def test_a_name_that_the_project_has_is_refused():
    with pytest.raises(UserError, match="har is a dataset of the project's; rename yours"):
        own.check_name("har", ["har"])
    own.check_name("my-har", ["har"])


def test_what_a_registry_states_is_not_doubted():
    y = np.arange(40) % 2
    data = SeriesDataset("toy", np.float32(RNG.normal(size=(40, 9, 2))), np.full(40, 2), y)
    assert "transposed" in checks.findings(data)[0]
    assert checks.findings(data, stated=True) == []
