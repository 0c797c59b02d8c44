"""Windows of people: the files of AdaTime, the Bonn EEG, the watch and Sleep-EDF."""

import zipfile
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from helpers import ROOT, of_mirror
from recordings import write_edf

from fedreact.data import prepared
from fedreact.data.registry import DataFile, load_registry
from fedreact.data.sources import bonn, har, hhar, sleep_edf, watch, wisdm
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "papers" / "fedst" / "datasets.yaml")


# --- Files as AdaTime writes them


def write(path, samples, labels):
    torch.save({"samples": samples, "labels": labels}, path, _use_new_zipfile_serialization=False)
    return path


@pytest.fixture
def files(tmp_path):
    """Two people; windows of the second stand with steps first."""
    rng, found = np.random.default_rng(0), {}
    for person in (3, 8):
        for part, n in (("train", 6), ("test", 4)):
            shape = (n, 2, 5) if person == 3 else (n, 5, 2)
            samples = 10 * person + rng.normal(size=shape) * (1 + person)
            labels = np.arange(n) % 3
            name = f"{part}_{person}.pt"
            found[name] = write(tmp_path / name, samples, labels.astype(float))
    return found


def entry_of(files):
    return replace(REGISTRY["har"], files={n: DataFile((n,), None) for n in files}, listed=None)


@dataclass(frozen=True)
class Two(prepared.Prepared):
    """Two people, small windows."""

    name = "har"
    everyone = (3, 8)
    shape = (2, 5)
    n_labels = 3


def read(files, entry=None, **changes):
    source = type("Changed", (Two,), changes)()
    return source.read(files, entry or entry_of(files))


def test_both_parts_of_each_person(files):
    data = read(files)
    assert data.X.shape == (20, 2, 5)
    assert data.owner.tolist() == [3] * 10 + [8] * 10
    assert data.tested.tolist() == ([False] * 6 + [True] * 4) * 2
    assert data.y.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0] * 2


def test_scaled_by_each_persons_train_part(files):
    data = read(files)
    for person in (3, 8):
        train = data.X[(data.owner == person) & ~data.tested]
        np.testing.assert_allclose(train.mean((0, 2)), 0, atol=1e-5)
        np.testing.assert_allclose(train.std((0, 2)), 1, rtol=1e-5)
    given = prepared.read_content(files["test_8.pt"])["samples"].transpose(0, 2, 1)
    train = prepared.read_content(files["train_8.pt"])["samples"].transpose(0, 2, 1)
    mean, spread = train.mean((0, 2))[:, None], train.std((0, 2))[:, None]
    wanted = (given - mean) / spread
    np.testing.assert_allclose(
        data.X[(data.owner == 8) & data.tested], wanted, rtol=1e-4, atol=1e-5
    )


def test_of_test_parts_alone_there_is_no_split(files):
    data = read(files, splits=("test",))
    assert data.tested is None
    assert len(data.y) == 8


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a file of arrays"),
        (b"PK\x03\x04 a zip", r"not a readable pickle|it names"),
        (b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.", "refused, as a pickle can run code"),
    ],
)
def test_other_files_are_refused(files, content, words):
    files["train_3.pt"].write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        read(files)
    assert "train_3.pt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_hold_something_else_are_refused(files, tmp_path):
    with pytest.raises(UserError, match="labels must be 0 to 1"):
        read(files, n_labels=2)
    with pytest.raises(UserError, match=r"windows are \(6, 2, 5\), not of shape \(2, 7\)"):
        read(files, shape=(2, 7))
    write(files["test_8.pt"], np.zeros((4, 5, 2)), ["a"] * 4)
    with pytest.raises(UserError, match="labels are not numbers"):
        read(files)


@pytest.mark.parametrize(
    ("module", "people", "windows"),
    [(har, (1, 2), 347), (wisdm, (0, 1), 199), (hhar, (0, 1), 457)],
)
def test_files_of_the_mirror(module, people, windows):
    data = of_mirror(module.SOURCE(people=people), REGISTRY[module.SOURCE.name])
    assert data.task == REGISTRY[module.SOURCE.name].task
    assert tuple(np.unique(data.owner)) == people
    assert (data.owner == people[0]).sum() == windows
    assert (data.tested is None) == (module is hhar)


# --- Bonn


def test_recordings_with_and_without_seizures():
    mixed = of_mirror(bonn.Bonn(recordings=3), REGISTRY["bonn"])
    assert mixed.X.shape == (3 * 5 * 23, 1, 178)
    assert [int(mixed.y[mixed.owner == who].sum()) for who in range(3)] == [23, 23, 23]
    single = of_mirror(bonn.Bonn("recording", 3), REGISTRY["bonn"])
    assert len(np.unique(single.owner)) == 15
    assert all(len(np.unique(single.y[single.owner == who])) == 1 for who in range(15))
    # Windows stand in the order of time, whoever owns them.
    assert mixed.time[:23].tolist() == sorted(mixed.time[:23])
    assert mixed.y.tolist() == single.y.tolist()


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "holds 0 recordings of set Z"),
        ({"Z001.txt": "1\n2\n"}, "Z001.txt has no 4097 numbers"),
        ({"Z001.txt": "one\n" * 4097}, "not set Z of the Bonn EEG"),
        ({"Z001.txt": "1\n" * 4097, "__MACOSX/._Z002.txt": "x"}, "holds 1 recordings"),
    ],
)
def test_other_archives_are_refused(tmp_path, members, words):
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    with pytest.raises(UserError, match=words):
        bonn.read_set(path, "z")
    for content in (b"no archive", damaged(path.read_bytes())):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"download it again|not 100"):
            bonn.read_set(path, "z")


def damaged(archive):
    """Bytes in the middle are others."""
    middle = len(archive) // 3
    changed = bytes(255 - byte for byte in archive[middle : middle + 9])
    return archive[:middle] + changed + archive[middle + 9 :]


# --- Watch


def test_arms_of_ten_people():
    data = watch.Watch().read({}, REGISTRY["watch"])
    assert data.X.shape == (1833, 6, 128)
    assert len(np.unique(data.owner)) == 20
    counts = [len(np.unique(data.y[data.owner == arm])) for arm in range(20)]
    assert counts == [7] * 20  # every arm did each exercise
    overlapping = watch.Watch(step=64).read({}, REGISTRY["watch"])
    assert len(overlapping.y) > 1.9 * len(data.y)
    assert watch.Watch(sensors="rotation").read({}, REGISTRY["watch"]).X.shape[1] == 3


def test_a_missing_or_damaged_package_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(watch, "file", lambda: None)
    assert "make setup" in watch.Watch().missing()
    with pytest.raises(UserError, match="seglearn is missing"):
        watch.Watch().read({}, REGISTRY["watch"])
    damaged = tmp_path / "watch_dataset.npy"
    damaged.write_bytes(b"nothing")
    monkeypatch.setattr(watch, "file", lambda: damaged)
    with pytest.raises(UserError, match="not the registered file"):
        watch.Watch().read({}, REGISTRY["watch"])
    with pytest.raises(UserError, match="install it again"):
        watch.read_exercises(damaged)


# --- Sleep-EDF, of which tests write nights


NIGHT = [(0, 3600, "Sleep stage W"), (3600, 60, "Sleep stage 1"), (3660, 90, "Sleep stage 4")]
NIGHT += [(3750, 30, "Movement time"), (3780, 60, "Sleep stage R"), (3840, 3360, "Sleep stage W")]


@pytest.fixture
def night(tmp_path):
    """Two hours, of which some minutes asleep."""
    signal = 40 * np.random.default_rng(0).standard_normal((1, 7200 * 100))
    of_signal = write_edf(tmp_path / "s.edf", signal, ["EEG Fpz-Cz"], [], rate=100)
    marks = [(float(start), float(length), text) for start, length, text in NIGHT]
    of_stages = write_edf(tmp_path / "h.edf", np.zeros((1, 7200)), ["Resp"], marks, rate=1)
    return of_signal, of_stages


def test_epochs_around_sleep(night):
    X, y, time = sleep_edf.read_epochs(*night)
    assert X.shape[1:] == (1, 3000)
    # Half an hour awake before and after; movement is left out, stages 3 and 4 are one.
    assert y.tolist() == [0] * 60 + [1, 1, 3, 3, 3, 4, 4] + [0] * 60
    assert time[60] == 3630.0
    assert np.abs(X).max() > 50  # microvolts


def test_people_own_their_nights(night):
    first = sleep_edf.Night(4, 1, ("", ""), ("", ""))
    parts = [
        (first, sleep_edf.read_epochs(*night)),
        (replace(first, number=2), sleep_edf.read_epochs(*night)),
    ]
    data = sleep_edf.assemble(parts)
    assert np.unique(data.owner).tolist() == [4]
    assert (np.diff(data.time) > 0).all()
    np.testing.assert_allclose(data.X.std(), 1, rtol=1e-3)


def test_a_share_of_a_night_is_spread_over_it(night, monkeypatch):
    first = sleep_edf.Night(4, 1, ("s", ""), ("h", ""))
    monkeypatch.setattr(sleep_edf, "nights", lambda: [first])
    monkeypatch.setattr(sleep_edf, "check_sha1", lambda path, sha1: None)
    raw, entry = dict(zip("sh", night)), REGISTRY["sleep-edf"]
    whole = sleep_edf.SleepEDF(people=(4,)).read(raw, entry)
    tenth = sleep_edf.SleepEDF(people=(4,), share=0.1).read(raw, entry)
    assert len(whole.y) == 127
    assert tenth.time.tolist() == whole.time[::10].tolist()
    assert tenth.y.tolist() == whole.y[::10].tolist()


def test_nights_are_those_of_the_list():
    entry = sleep_edf.SleepEDF().wanted(REGISTRY["sleep-edf"])
    assert len(entry.files) == 2 * 39  # one night of person 13 is lost
    assert entry.files["SC4001E0-PSG.edf"].url.endswith("sleep-cassette/SC4001E0-PSG.edf")
    with pytest.raises(UserError, match="there is no person 99"):
        sleep_edf.SleepEDF(people=(99,)).wanted(REGISTRY["sleep-edf"])


def test_other_recordings_are_refused(night, tmp_path):
    signal, stages = night
    with pytest.raises(UserError, match="expected adabd3b0"):
        sleep_edf.check_sha1(signal, "adabd3b01fc7bb75c523a974f38ee3ae4e57b40f")
    other = write_edf(tmp_path / "o.edf", np.zeros((1, 600)), ["EEG Pz"], [], rate=100)
    with pytest.raises(UserError, match=r"has no EEG Fpz-Cz|not a readable night"):
        sleep_edf.read_epochs(other, stages)
    with pytest.raises(UserError, match="not a readable night"):
        sleep_edf.read_epochs(tmp_path / "none.edf", stages)
    awake = write_edf(
        tmp_path / "a.edf", np.zeros((1, 600)), ["Resp"], [(0.0, 600.0, "Sleep stage W")], rate=1
    )
    with pytest.raises(UserError, match="no sleep stages"):
        sleep_edf.read_epochs(signal, awake)
