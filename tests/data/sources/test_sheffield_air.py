"""Numbers drawn in the air (Sheffield): made files of the form that its readme describes."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from fedreact.data.sources import sheffield_air
from fedreact.errors import UserError

LABELS = np.array([3, 0, 9])


def paths():
    """Three numbers of 2, 4 and 150 steps, as matrices with zeros after their ends."""
    rng = np.random.default_rng(0)
    made = {axis: np.zeros((3, 160)) for axis in "xyz"}
    for i, n in enumerate((2, 4, 150)):
        for values in made.values():
            values[i, :n] = rng.uniform(-300, 300, n)
    return made


def write(folder, **fields):
    path = folder / "Data.mat"
    savemat(path, fields)
    return path


@pytest.mark.parametrize("inside", [True, False])
def test_numbers_are_read_up_to_their_ends(tmp_path, inside):
    made = paths()
    content = made | {"Label": LABELS[:, None]}
    path = write(tmp_path, **({"Data": content} if inside else content))
    data = sheffield_air.read(path)
    assert data.X.shape == (3, 3, 100)
    assert data.lengths.tolist() == [2, 4, 100]
    assert data.y.tolist() == [3, 0, 9]
    # In the unit box: the shape stays, and what is unobserved is zero.
    assert np.abs(data.X).max() <= 1
    assert not data.X[0, :, 2:].any()
    raw = np.stack([made[axis][1, :4] for axis in "xyz"])
    moves, of_raw = np.diff(data.X[1, :, :4]), np.diff(raw)
    np.testing.assert_allclose(moves / moves[0, 0], of_raw / of_raw[0, 0], rtol=1e-3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"z": None}, "there is no field z; it has x [3, 160], y [3, 160], label [3]"),
        ({"z": np.zeros((3, 150))}, "x, y and z are not matrices of the same size"),
        ({"z": np.full((3, 160), np.nan)}, "x, y and z are not matrices of the same size"),
        ({"label": None}, "0 fields have a label 0 to 9 for each of 3 numbers, wanted one"),
        ({"label": np.array([3, 0, 11])}, "0 fields have a label"),
        ({"again": LABELS}, "2 fields have a label"),
    ],
)
def test_another_file_is_refused_with_what_it_has(tmp_path, changes, said):
    content = paths() | {"label": LABELS} | changes
    path = write(tmp_path, **{k: v for k, v in content.items() if v is not None})
    with pytest.raises(UserError) as caught:
        sheffield_air.read(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = Path(tmp_path / "Data.mat")
    path.write_text("x,y,z\n1,2,3\n")
    with pytest.raises(UserError, match="no MATLAB file that can be read"):
        sheffield_air.read(path)


def test_some_numbers_of_each_label_are_kept(tmp_path):
    made = {axis: np.random.default_rng(0).uniform(1, 9, (40, 12)) for axis in "xyz"}
    path = write(tmp_path, Data=made | {"label": np.arange(40) % 10})
    data = sheffield_air.SheffieldAir(per_label=2).read({"data": path}, None)
    assert np.bincount(data.y).tolist() == [2] * 10
