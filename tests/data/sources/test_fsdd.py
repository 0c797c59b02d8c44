"""Spoken digits: sounds of a second or less, of which tests write some."""

import re
import wave

import numpy as np
import pytest
from helpers import ROOT, of_mirror
from scipy.signal import ShortTimeFFT
from scipy.signal.windows import hann

from fedreact.data.registry import load_registry
from fedreact.data.sources import fsdd
from fedreact.data.sources.fsdd import FSDD, Name
from fedreact.errors import UserError

ENTRY = load_registry(ROOT / "config" / "datasets.yaml")["fsdd"]


def write(path, samples, channels=1, width=2, rate=8000):
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(np.asarray(samples, dtype=f"<i{width}" if width > 1 else "u1").tobytes())
    return path


def tone(frequency, n=1600, loudness=0.5):
    """A sound of one frequency in Hz."""
    return loudness * np.sin(2 * np.pi * frequency * np.arange(n) / 8000)


def test_files_are_in_the_order_of_speakers_digits_and_numbers():
    source = FSDD(speakers=("theo", "george"), recordings=11)
    wanted = list(source.wanted(ENTRY).files)
    assert len(wanted) == 2 * 10 * 11
    assert wanted[:2] == ["recordings/0_george_0.wav", "recordings/0_george_1.wav"]
    assert wanted[10] == "recordings/0_george_10.wav"  # after 9, not after 1
    assert wanted[-1] == "recordings/9_theo_10.wav"
    assert len(FSDD().wanted(ENTRY).files) == 3000


@pytest.mark.parametrize(
    "path",
    [
        "recordings/0_anna_0.wav",
        "recordings/10_theo_0.wav",
        "0_theo_0.wav",
        "recordings/0_theo_100.wav",
        "recordings/0_theo_0.mp3",
    ],
)
def test_other_paths_are_no_recordings(path):
    with pytest.raises(UserError, match=rf"^fsdd: {re.escape(path)} is not recordings/<digit>_<sp"):
        fsdd.parse(path)


def test_samples_are_shares_of_the_loudest_possible(tmp_path):
    samples = np.tile([0, 16384, -32768, 32767], 200)
    sound = fsdd.read_wav(write(tmp_path / "a.wav", samples))
    assert sound[:4].tolist() == [0, 0.5, -1, 32767 / 32768]
    assert len(sound) == 800


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"channels": 2}, "2 channels of 16 bits at 8000 Hz"),
        ({"width": 1}, "1 channels of 8 bits at 8000 Hz"),
        ({"rate": 16000}, "1 channels of 16 bits at 16000 Hz"),
    ],
)
def test_sounds_of_another_form_are_refused(tmp_path, form, words):
    path = write(tmp_path / "a.wav", np.zeros(800), **form)
    with pytest.raises(UserError, match=rf"^{path}: not a mono recording .* \({words}\)"):
        fsdd.read_wav(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: b"", "it ends early"),
        (lambda content: b"no sound at all", "RIFF"),
        (lambda content: content[:40], ""),
        (lambda content: content[:-10], "795 samples of 800"),
        (lambda content: content[:44], "0 samples of 800"),
    ],
)
def test_damaged_sounds_are_refused(tmp_path, change, words):
    path = write(tmp_path / "a.wav", np.zeros(800))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UserError, match=rf"^{path}: not a mono recording [^\n]*{words}[^\n]*$"):
        fsdd.read_wav(path)


def test_a_sound_shorter_than_a_window_is_refused(tmp_path):
    path = write(tmp_path / "a.wav", np.zeros(199))
    with pytest.raises(UserError, match="199 samples of 199; wanted 200 to"):
        fsdd.read_wav(path)


def test_corners_of_bands_are_equally_spaced_in_mel():
    weights = fsdd.mel_filters()
    assert weights.shape == (20, 129)
    frequencies = np.arange(129) * 31.25  # Hz
    # By hand: mel(4000) = 2595 log10(1 + 4000/700) = 2146.1, 21 steps of 102.2. The 11th band has
    # its peak at 11 steps, 1124.1 mel = 700 (10^(1124.1/2595) - 1) = 1197.9 Hz, and ends at 1021.9
    # and 1226.3 mel: 1033.4 and 1378.0 Hz.
    band = weights[10]
    inside = frequencies[band > 0]
    assert (inside[0], inside[-1]) == (1062.5, 1375.0)
    assert band[34] == pytest.approx((1062.5 - 1033.4) / (1197.9 - 1033.4), abs=0.002)
    assert band[44] == pytest.approx((1378.0 - 1375.0) / (1378.0 - 1197.9), abs=0.002)
    # Neighbours share their slopes: between the first and the last peak, weights sum to 1.
    middle = (frequencies > 70) & (frequencies < 3500)
    np.testing.assert_allclose(weights.sum(axis=0)[middle], 1)


@pytest.mark.parametrize("frequency", [150, 700, 1200, 3000])
def test_a_tone_is_loudest_in_its_band(frequency):
    spectrogram = fsdd.log_mel(tone(frequency))
    assert spectrogram.shape == (20, 1 + (1600 - 200) // 80)
    mel = 2595 * np.log10(1 + frequency / 700)
    nearest = round(mel / (2146.1 / 21)) - 1
    assert set(spectrogram.argmax(axis=0)) == {nearest}
    assert spectrogram.max() == 1
    assert spectrogram.min() >= 0


def test_loudness_does_not_matter_but_within_a_recording():
    loud, soft = (fsdd.log_mel(tone(700, loudness=loudness)) for loudness in (0.5, 0.05))
    np.testing.assert_allclose(loud, soft, atol=1e-9)
    both = fsdd.log_mel(np.concatenate([tone(700), tone(700, loudness=0.05)]))
    peaks = both.max(axis=0)
    assert peaks[0] - peaks[-1] == pytest.approx(20 / 80, abs=1e-3)  # a tenth is 20 dB less
    assert not fsdd.log_mel(np.zeros(800)).any()


def test_spectra_are_those_of_scipy():
    sound = np.random.default_rng(0).normal(size=4000)
    frames = fsdd.log_mel(sound)
    transform = ShortTimeFFT(hann(200, sym=False), 80, 8000, mfft=256)
    # SciPy's slices are centred on multiples of 80 samples, ours begin at them. With 60 samples
    # before the sound, slice p begins at its sample 80 (p - 2).
    power = fsdd.mel_filters() @ transform.spectrogram(np.concatenate([np.zeros(60), sound]))
    first = 2 - transform.p_min
    of_scipy = power[:, first : first + frames.shape[1]]
    decibels = 10 * np.log10(of_scipy / of_scipy.max())
    np.testing.assert_allclose(frames, np.maximum(0, 1 + decibels / 80), atol=1e-9)


def test_a_dataset_of_sounds():
    data = fsdd.spoken({Name(0, 7, 4): tone(700), Name(5, 2, 5): tone(300, n=8000)})
    assert data.X.shape == (2, 20, 80)
    assert data.lengths.tolist() == [18, 80]  # the second has 98 frames
    assert data.y.tolist() == [7, 2]
    assert data.owner.tolist() == [0, 5]
    assert data.tested.tolist() == [True, False]
    assert not data.X[0, :, 18:].any()
    assert data.task.channels == ENTRY.task.channels


def test_spoken_digits_of_the_mirror():
    data = of_mirror(FSDD(), ENTRY)
    assert data.task == ENTRY.task
    assert np.bincount(data.owner).tolist() == [500] * 6
    assert np.bincount(data.y).tolist() == [300] * 10
    assert data.tested.sum() == 300
    assert data.lengths.min() == 12
