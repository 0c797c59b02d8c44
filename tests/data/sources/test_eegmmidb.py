import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import MIRRORS, ROOT
from recordings import MARKS, NAMES, write_edf

from fedreact.data.eeg import MOTOR_STRIP, Preprocessing
from fedreact.data.files import locate
from fedreact.data.registry import FileList, load_registry
from fedreact.data.sources import eegmmidb
from fedreact.data.sources.eegmmidb import EegRun
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "datasets.yaml")
RUNS = {run.file: run for run in eegmmidb.recordings([1])}
PLACED = locate(REGISTRY["eegmmidb"].only(RUNS), Path("/nowhere"), MIRRORS)
REAL = {RUNS[file]: path for file, path in (PLACED or {}).items()}
real = pytest.mark.skipif(not REAL, reason="no mirror with eegmmidb's S001")


@pytest.fixture
def edf(tmp_path):
    """A recording of 18 s: noise, and zeros from the end of its last trial on."""
    signal = 50 * np.random.default_rng(0).standard_normal((len(NAMES), 18 * 160))
    signal[:, round(16.6 * 160) :] = 0
    return write_edf(tmp_path / "S007" / "S007R04.edf", signal)


def read(path, **settings):
    return eegmmidb.read([(EegRun(7, 4), path)], Preprocessing(**settings))


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


def test_a_recording_becomes_crops_of_its_trials(edf):
    data = read(edf)
    assert data.X.shape == (10, 21, 160)
    assert data.y.tolist() == [1] * 5 + [0] * 5  # T2 is right
    assert data.trial.tolist() == [0] * 5 + [1] * 5
    assert set(data.owner) == {7}
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


@pytest.mark.campaign
@real
def test_the_command_prepares_it_and_refuses_a_wrong_digest(tmp_path):
    def prepare(folder, *more):
        command = [sys.executable, "scripts/prepare_data.py", "--dataset", "eegmmidb"]
        command += ["--data-folder", folder, "--output", tmp_path / "x.npz"]
        command += ["--options", "subjects=1", "runs=4", *more]
        return subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)

    def error(failed):
        assert failed.returncode == 2
        assert "Traceback" not in failed.stderr
        lines = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1
        return lines[0]

    done = prepare(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "75 series of 21 channels, 160 steps" in done.stderr
    # Digits are thinned out; crops of a trial are not torn apart.
    assert "'per_label' is unknown; known: subjects, runs" in error(
        prepare(tmp_path, "per_label=3")
    )
    wrong = tmp_path / "eegmmidb" / "S001" / "S001R04.edf"
    wrong.parent.mkdir(parents=True)
    wrong.write_bytes(REAL[EegRun(1, 4)].read_bytes()[:-1] + b"x")
    line = error(prepare(tmp_path))
    assert str(wrong) in line
    assert "not the registered file" in line


def entry_of(path):
    """An entry that lists this file as the recording of person 7's run 4."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    listed = FileList("https://example.org", {"S007/S007R04.edf": digest})
    return replace(REGISTRY["eegmmidb"], listed=listed)


def test_the_source_reads_what_it_wants_and_nothing_else(edf):
    source = eegmmidb.SOURCE(subjects=(7,), runs=(4,))
    entry = source.wanted(entry_of(edf))
    assert list(entry.files) == ["S007/S007R04.edf"]
    data = source.read({"S007/S007R04.edf": edf}, entry)
    assert data.task == entry.task
    np.testing.assert_array_equal(data.X, read(edf).X)
    with pytest.raises(UserError, match=r"S008/S008R04\.edf is not in the list"):
        eegmmidb.SOURCE(subjects=(8,), runs=(4,)).wanted(entry_of(edf))


def test_the_source_wants_imagined_movements_of_all_sound_people():
    wanted = eegmmidb.SOURCE().wanted(REGISTRY["eegmmidb"]).files
    assert list(wanted) == [r.file for r in eegmmidb.recordings()]
