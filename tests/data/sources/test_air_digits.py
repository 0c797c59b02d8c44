"""Digits written in the air, a file each, of which tests write small ones."""

import json
import re

import numpy as np
import pytest
from helpers import ROOT, of_mirror

from fedreact.data import prepare
from fedreact.data.registry import load_registry
from fedreact.data.sources import air_digits
from fedreact.data.sources.air_digits import AirDigits, Name
from fedreact.errors import UserError

ENTRY = load_registry(ROOT / "config" / "datasets.yaml")["air-digits"]


def write(path, trace, **changes):
    """A file of a digit ``[length, 3]``, as the authors' program wrote them."""
    steps = [[frame, list(map(float, position))] for frame, position in enumerate(trace)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"sensorType": "Leap", "data": steps} | changes))
    return path


def test_files_are_in_the_order_of_people_digits_and_numbers():
    wanted = list(AirDigits(people=("C", "A")).wanted(ENTRY).files)
    assert len(wanted) == 128 + 111
    numbers = [air_digits.parse(path) for path in wanted]
    assert numbers == sorted(numbers)
    assert wanted[0] == "Recordings/A/A_zero_1_trail.json"
    assert wanted[9] == "Recordings/A/A_zero_10_trail.json"  # after 9, not after 1
    assert wanted[-1].startswith("Recordings/C/C_nine_")
    assert len(AirDigits().wanted(ENTRY).files) == 1183


@pytest.mark.parametrize(
    "path",
    [
        "Recordings/A/B_two_1_trail.json",
        "Recordings/K/K_two_1_trail.json",
        "Recordings/A/A_ten_1_trail.json",
        "A_two_1_trail.json",
        "Recordings/A/A_two_1_trail.json.gz",
    ],
)
def test_other_paths_are_no_digits(path):
    with pytest.raises(UserError, match=rf"^air-digits: {re.escape(path)} is not Recordings/<per"):
        air_digits.parse(path)


def test_a_digit_lies_in_the_unit_box(tmp_path):
    # A line from (10, 200, -80) to (50, 300, -60): 40, 100 and 20 mm long.
    line = np.linspace([10, 200, -80], [50, 300, -60], 5)
    data = air_digits.digits(
        {
            Name(0, 3, 1): air_digits.read_trace(write(tmp_path / "a", line)),
            Name(9, 0, 2): air_digits.read_trace(write(tmp_path / "b", line[:2] + 7)),
        }
    )
    assert data.X.shape == (2, 3, 100)
    assert data.lengths.tolist() == [5, 2]
    assert data.y.tolist() == [3, 0]
    assert data.owner.tolist() == [0, 9]
    ends = data.X[0, :, [0, 4]]
    np.testing.assert_allclose(ends, [[-0.4, -1, -0.2], [0.4, 1, 0.2]], rtol=1e-6)
    assert data.trial is data.time is data.tested is None


def test_a_long_digit_is_resampled(tmp_path):
    path = write(tmp_path / "a", np.linspace([0, 0, 0], [198, 99, 0], 199))
    data = air_digits.digits({Name(0, 1, 1): air_digits.read_trace(path)})
    assert data.lengths.tolist() == [100]
    np.testing.assert_allclose(data.X[0, 0], np.linspace(-1, 1, 100), atol=1e-6)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "Expecting value"),
        ("{}", "'data'"),
        ('{"data": 3}', "not iterable"),
        ('{"data": []}', "x, y and z"),
        ('{"data": [[0, [1, 2]]]}', "x, y and z"),
        ('{"data": [[0, [1, 2, 3]], [1, [1, 2]]]}', "inhomogeneous"),
        ('{"data": [[0, [1, 2, NaN]]]}', "x, y and z"),
        ('{"data": [[0, [1, 2, 1e5]]]}', "x, y and z"),
        ('{"data": [[0, [1, 2, "three"]]]}', "three"),
        ("[" * 100_000, "recursion"),
        ('{"data": [[0, [1, 2, 3]]', "delimiter"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, words):
    path = tmp_path / "a.json"
    path.write_text(content)
    with pytest.raises(UserError, match=rf"^{path}: not a digit written in the air \(.*{words}"):
        air_digits.read_trace(path)


def test_it_is_placed_by_hand(tmp_path):
    wanted = (
        r"^air-digits: Recordings/A/A_zero_1_trail\.json and 1182 other files not found \(looked "
        rf"in {tmp_path}/air-digits/\); take the folder Recordings of https://github\.com/.* "
        rf"and put them into {tmp_path}/air-digits/$"
    )
    with pytest.raises(UserError, match=wanted):
        prepare.read(AirDigits(), ENTRY, tmp_path, (), [])


def test_digits_of_the_mirror():
    data = of_mirror(AirDigits(), ENTRY)
    assert data.task == ENTRY.task
    assert np.bincount(data.owner).tolist() == [111, 118, 128, 122, 118, 117, 106, 115, 127, 121]
    fewest = min(np.bincount(data.y[data.owner == person]).min() for person in range(10))
    assert fewest == 10
    assert data.lengths.min() == 25
    assert (data.lengths == 100).sum() == 803
