import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fedreact.data import eegmmidb, files
from fedreact.data.eeg import MOTOR_STRIP, Preprocessing, assemble
from fedreact.data.eegmmidb import Recording
from fedreact.errors import UserError
from fedreact.workflow.config import choose_eeg

ROOT = Path(__file__).parent.parent
REGISTRY = files.load_registry(ROOT / "config" / "datasets.yaml")
MIRROR = Path(os.environ.get("FEDREACT_DATA_MIRROR", "/nowhere"))
REAL = {r: MIRROR / "eegmmidb" / r.file for r in eegmmidb.recordings([1])}
real = pytest.mark.skipif(
    not all(path.is_file() for path in REAL.values()), reason="no mirror with eegmmidb's S001"
)
MARKS = [(0.0, 4.2, "T0"), (4.2, 4.1, "T2"), (8.3, 4.2, "T0"), (12.5, 4.1, "T1")]
NAMES = [f"{n[0]}{n[1:].lower()}".ljust(4, ".") for n in (*MOTOR_STRIP, "Fpz", "Iz")]


def write_edf(path, signal, names=NAMES, marks=MARKS, rate=160):
    """Write microvolts ``[channels, samples]`` as EDF+, in records of a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    n, samples = signal.shape
    records = samples // rate
    notes = [
        f"+{i}\x14\x14\0".encode()
        + b"".join(f"+{t}\x15{d}\x14{text}\x14\0".encode() for t, d, text in marks if i == int(t))
        for i in range(records)
    ]
    size = max(map(len, notes)) + 1 & ~1

    def field(width, values):
        return b"".join(str(value).encode().ljust(width) for value in values)

    columns = [
        (16, [*names, "EDF Annotations"]),
        (80, [""] * (n + 1)),
        (8, ["uV"] * n + [""]),
        (8, [-8192] * n + [-1]),
        (8, [8191] * n + [1]),
        (8, [-8192] * n + [-32768]),
        (8, [8191] * n + [32767]),
        (80, [""] * (n + 1)),
        (8, [rate] * n + [size // 2]),
        (32, [""] * (n + 1)),
    ]
    head = field(8, ["0"]) + field(80, ["X X X X", "Startdate 12-AUG-2009 X X X"])
    head += b"12.08.0916.15.00" + field(8, [256 * (n + 2)]) + field(44, ["EDF+C"])
    head += field(8, [records, 1]) + field(4, [n + 1])
    data = np.rint(signal[:, : records * rate]).astype("<i2").reshape(n, records, rate)
    body = b"".join(data[:, i].tobytes() + note.ljust(size, b"\0") for i, note in enumerate(notes))
    path.write_bytes(head + b"".join(field(*column) for column in columns) + body)
    return path


@pytest.fixture
def edf(tmp_path):
    """A recording of 18 s: noise, and zeros from the end of its last trial on."""
    signal = 50 * np.random.default_rng(0).standard_normal((len(NAMES), 18 * 160))
    signal[:, round(16.6 * 160) :] = 0
    return write_edf(tmp_path / "S007" / "S007R04.edf", signal)


def read(path, **settings):
    return eegmmidb.read([(Recording(7, 4), path)], Preprocessing(**settings))


def refused(path, *words, **settings):
    with pytest.raises(UserError) as caught:
        read(path, **settings)
    text = str(caught.value)
    assert "\n" not in text
    assert all(word in text for word in words), text


def test_recordings_are_those_of_the_left_and_right_fist_in_order():
    assert len(eegmmidb.SUBJECTS) == 103
    assert [r.file for r in eegmmidb.recordings([12, 1], [8, 4])] == [
        "S001/S001R04.edf",
        "S001/S001R08.edf",
        "S012/S012R04.edf",
        "S012/S012R08.edf",
    ]
    assert len(eegmmidb.recordings()) == 309
    for subjects, runs, word in (
        ([0], [4], "subject 0"),
        ([110], [4], "subject 110"),
        ([1], [5], "run 5"),
        ([], [4], "no subjects"),
    ):
        with pytest.raises(UserError, match=word):
            eegmmidb.recordings(subjects, runs)


def test_every_recording_is_registered():
    wanted = eegmmidb.recordings(range(1, 110), eegmmidb.IMAGINED + eegmmidb.EXECUTED)
    entry = REGISTRY["eegmmidb"].only(r.file for r in wanted)
    assert len(entry.files) == len(REGISTRY["eegmmidb"].listed.sha256) == 654
    file = entry.files["S001/S001R04.edf"]
    assert file.url == "https://physionet.org/files/eegmmidb/1.0.0/S001/S001R04.edf"
    assert len(file.sha256) == 64
    with pytest.raises(UserError, match=r"S001R05\.edf is not in the list"):
        REGISTRY["eegmmidb"].only(["S001/S001R05.edf"])


def test_crops_by_hand():
    settings = Preprocessing(
        channels=("C3", "C4"), rate=10, band=(1.0, 4.0), epoch=(0.5, 1.5), window=0.4, stride=0.3
    )
    assert settings.n_steps == 4
    assert settings.starts.tolist() == [0, 3, 6]
    signal = np.stack([np.arange(30.0), -np.arange(30.0)])
    X = settings.crops(signal, cue=1.0)  # the epoch is steps 15 to 25
    expected = np.array([[15.0, 16, 17, 18], [18, 19, 20, 21], [21, 22, 23, 24]])
    size = np.sqrt((expected**2).mean(axis=1, keepdims=True))
    assert np.allclose(X[:, 0], expected / size)
    assert np.array_equal(X[:, 1], -X[:, 0])
    assert settings.crops(signal, cue=1.5) is not None  # ends with the last step
    assert settings.crops(signal, cue=1.6) is None
    assert settings.crops(signal, cue=-0.6) is None
    assert not settings.crops(np.zeros((2, 30)), cue=1.0).any()


def test_the_default_is_five_crops_of_160_steps():
    settings = Preprocessing()
    assert settings.n_steps == 160
    assert settings.starts.tolist() == [0, 32, 64, 96, 128]
    assert settings.starts[-1] + settings.n_steps == 288


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"band": (30.0, 8.0)}, "band"),
        ({"rate": 60.0}, "60.0 Hz is too low"),
        ({"window": 4.0}, "do not fit into the 3.60 s"),
        ({"stride": 0.0}, "every 0.0 s"),
    ],
)
def test_impossible_settings(settings, words):
    with pytest.raises(UserError, match=words):
        Preprocessing(**settings)


def test_the_filter_keeps_the_band_and_the_time():
    settings = Preprocessing(channels=("C3",))
    t = np.arange(0, 10, 1 / 160)
    slow, mu, fast = (np.sin(2 * np.pi * f * t) for f in (2, 12, 50))
    other = np.zeros_like(t)
    got = settings.filtered(np.stack([slow + mu + fast, other]), ["C3", "C4"], 160)[0]
    # The mean of the two electrodes is taken off, which halves the wave.
    middle = slice(100, -100)
    assert np.abs(got - mu[::2] / 2)[middle].max() < 0.01


def test_crops_of_a_trial_share_its_number():
    def crops(n):
        return np.ones((n, 2, 3), np.float32)

    data = assemble("eeg", [(crops(2), 1, 5), (crops(1), 0, 5), (crops(2), 1, 8)])
    assert data.trial.tolist() == [0, 0, 1, 2, 2]
    assert data.y.tolist() == [1, 1, 0, 1, 1]
    assert data.subject.tolist() == [5, 5, 5, 8, 8]
    assert data.lengths.tolist() == [3] * 5
    with pytest.raises(UserError, match="no whole trial"):
        assemble("eeg", [])


def test_a_recording_becomes_crops_of_its_trials(edf):
    data = read(edf)
    assert data.X.shape == (10, 21, 160)
    assert data.y.tolist() == [1] * 5 + [0] * 5  # T2 is right
    assert data.trial.tolist() == [0] * 5 + [1] * 5
    assert set(data.subject) == {7}
    assert np.allclose((data.X**2).mean(axis=(1, 2)), 1, atol=1e-5)


def test_channels_are_found_by_their_usual_names(edf):
    two = read(edf, channels=("C4", "FCz"))
    strip = read(edf)
    C4, FCz = (strip.X[:, MOTOR_STRIP.index(name)] for name in ("C4", "FCz"))
    ratio = (two.X[:, 0] * FCz) / (two.X[:, 1] * C4)  # the scale of a crop is another
    assert np.allclose(ratio, 1, atol=1e-2)
    refused(edf, "channel C9, T0", "FC5", "S007R04.edf", channels=("C9", "C3", "T0"))


def test_trials_that_the_recording_does_not_hold_are_left_out(tmp_path):
    signal = 50 * np.random.default_rng(0).standard_normal((len(NAMES), 16 * 160))
    path = write_edf(tmp_path / "S007R04.edf", signal)  # the second trial would end at 16.6 s
    assert set(read(path).trial) == {0}
    short = [(4.2, 4.1, "T2"), (9.0, 3.0, "T1")]
    assert set(read(write_edf(path, signal, marks=short)).y) == {1}


def test_wrong_files_are_refused_in_one_line(edf, tmp_path):
    whole = edf.read_bytes()
    for size in (0, 100, 3000, 7000, len(whole) - 5000):
        edf.write_bytes(whole[:size])
        refused(edf, "S007R04.edf", "not a readable EDF file")
    edf.write_bytes(b"<html>not found</html>" * 1000)
    refused(edf, "not a readable EDF file")
    refused(tmp_path / "none.edf", "none.edf")
    noise = np.random.default_rng(0).standard_normal((len(NAMES), 18 * 160))
    refused(write_edf(edf, noise, marks=MARKS[:1]), "no trial is marked as T1 or T2")
    refused(write_edf(edf, noise, marks=[]), "no trial is marked as T1 or T2")
    refused(write_edf(edf, 0 * noise), "holds zeros only")
    refused(write_edf(edf, noise, rate=128), "128 Hz", "leave out subject 7")


@real
def test_the_real_recordings_of_subject_1():
    data = eegmmidb.read(REAL.items())
    assert data.X.shape == (225, 21, 160)
    assert np.bincount(data.y[::5]).tolist() == [23, 22]
    assert np.array_equal(data.trial, np.repeat(np.arange(45), 5))
    for number in range(45):
        assert len(set(data.y[data.trial == number])) == 1
    # Imagining the left hand weakens mu over the right hemisphere, C4.
    power = np.abs(np.fft.rfft(data.X, axis=2)[:, :, 20:28]) ** 2  # 10 to 13.5 Hz
    C3, C4 = (np.log(power[:, MOTOR_STRIP.index(n)].sum(axis=1)) for n in ("C3", "C4"))
    assert (C3 - C4)[data.y == 0].mean() > (C3 - C4)[data.y == 1].mean() + 0.2


@real
def test_the_command_prepares_it_and_refuses_a_wrong_digest(tmp_path):
    def prepare(folder, *more):
        command = [sys.executable, "scripts/prepare_data.py", "--dataset", "eegmmidb"]
        command += ["--data-folder", folder, "--subjects", "1", "--runs", "4", "--per-label", "3"]
        command += ["--output", tmp_path / "x.npz", *more]
        return subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)

    done = prepare(tmp_path)
    assert done.returncode == 0, done.stderr
    # per_label is for digits: crops of a trial are not torn apart.
    assert "75 series of 21 channels, 160 steps" in done.stderr
    wrong = tmp_path / "eegmmidb" / "S001" / "S001R04.edf"
    wrong.parent.mkdir(parents=True)
    wrong.write_bytes(REAL[Recording(1, 4)].read_bytes()[:-1] + b"x")
    failed = prepare(tmp_path)
    assert failed.returncode == 2
    lines = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1
    assert str(wrong) in lines[0]
    assert "not the registered file" in lines[0]
    assert "Traceback" not in failed.stderr


def test_choose_eeg(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(files, "reachable", lambda url: asked.append(url))
    wanted = [r.file for r in eegmmidb.recordings([1, 2], [4])]

    def choose(name="auto", mirror=None, prepared=()):
        return choose_eeg(name, REGISTRY, wanted, tmp_path / "data", mirror, set(prepared))

    assert choose("eegmmidb") == "eegmmidb"
    assert choose("eeg-sim") == "eeg-sim"
    assert not asked
    assert choose() == "eeg-sim"
    assert asked == ["https://physionet.org/files/eegmmidb/1.0.0/S001/S001R04.edf"]
    assert choose(prepared=["eeg-sim", "pendigits"]) == "eeg-sim"
    assert choose(prepared=["eegmmidb"]) == "eegmmidb"
    monkeypatch.setattr(files, "reachable", lambda url: True)
    assert choose() == "eegmmidb"
    monkeypatch.setattr(files, "reachable", lambda url: False)
    for folder, file in zip(("mirror", "data"), wanted):
        path = tmp_path / folder / "eegmmidb" / file
        path.parent.mkdir(parents=True)
        path.touch()
    assert choose() == "eeg-sim"  # the second person's is missing without the mirror
    assert choose(mirror=tmp_path / "mirror") == "eegmmidb"
