"""Recordings become series: gaps, rates, windows, labels and forecasts, by hand."""

import numpy as np
import pytest

from fedreact.errors import UserError
from fedreact.io import cutting
from fedreact.io.contract import Recording, Recordings
from fedreact.io.cutting import Cutting, cut, steps_of
from fedreact.io.importing import Finishing, made_of
from fedreact.io.size import levels_differ


def recording(n=10, **changes):
    """Steps 0 to n - 1 of one channel, labelled a."""
    content = {"values": np.arange(n, dtype=float)[:, None], "where": "file", "label": "a"}
    return Recording(**content | changes)


def read(*parts, **more):
    return Recordings(("x",), list(parts), **more)


def values(series):
    """The values of each series."""
    places = zip(series.piece, series.start, series.length)
    return [series.recordings[p][s : s + n, 0].tolist() for p, s, n in places]


def test_windows_by_hand():
    series = cut(read(recording(10)), Cutting(window="4"))
    assert values(series) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert not series.overlap
    series = cut(read(recording(10)), Cutting(window="4", step="3"))
    assert values(series) == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]
    assert series.overlap
    assert series.gap == 1
    series = cut(read(recording(10)), Cutting(window="4", rest="pad"))
    assert values(series)[-1] == [8, 9]


def test_a_recording_without_windows_is_a_series():
    series = cut(read(recording(10), recording(3)), Cutting())
    assert series.length.tolist() == [10, 3]


def test_labels_of_windows():
    label = np.array(list("aaabbbbbaa"))
    for rule, wanted in (("majority", ["a", "b"]), ("last", ["b", "b"])):
        series = cut(read(recording(label=label)), Cutting(window="4", label_rule=rule))
        assert series.label.tolist() == wanted, rule
    series = cut(read(recording(label=label)), Cutting(window="2", label_rule="constant"))
    assert series.label.tolist() == ["a", "b", "b", "a"]
    assert series.dropped == {"with several labels": 1}
    unlabelled = np.array(["", "", "a", "a"])
    series = cut(read(recording(4, label=unlabelled)), Cutting(window="2"))
    assert series.dropped == {"without a label": 1}


def test_a_whole_recording_has_one_label():
    with pytest.raises(
        UserError, match=r"its label changes \(a, b, ...\).* --window, or .* --trial"
    ):
        cut(read(recording(2, label=np.array(["a", "b"]))), Cutting())


def test_gaps_break_a_recording():
    time = np.array([0, 1, 2, 3, 10, 11, 12, 13, 14, 15.0])
    series = cut(read(recording(time=time)), Cutting(window="4"))
    assert values(series) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert series.time.tolist() == [3, 13]
    kept = cut(read(recording(time=time)), Cutting(window="5", gaps="keep"))
    assert values(kept)[0] == [0, 1, 2, 3, 4]
    assert values(cut(read(recording(time=time)), Cutting())) == [list(range(10))]


def test_short_gaps_are_filled():
    time = np.array([0, 1, 2, 5, 6, 20, 21, 22, 23, 24.0])
    x = np.array([0, 1, 2, 5, 6, 0, 0, 0, 0, 0.0])
    series = cut(read(recording(values=x[:, None], time=time)), Cutting(window="7", fill="3"))
    assert values(series) == [[0, 1, 2, 3, 4, 5, 6]]
    seconds = cut(read(recording(values=x[:, None], time=time)), Cutting(window="7", fill="3s"))
    assert values(seconds) == values(series)


def test_steps_are_sorted_by_time():
    time = np.array([3, 1, 2, 0, 1.0])
    series = cut(read(recording(5, time=time)), Cutting())
    assert values(series) == [[3, 1, 2, 0]]  # the second step at 1 second is left out


def test_resampling_by_hand():
    time = np.arange(5) / 2  # two steps a second
    finer = cut(read(recording(5, time=time)), Cutting(resample=4))
    assert values(finer) == [[0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]]
    time = np.arange(8) / 4
    coarser = cut(read(recording(8, time=time)), Cutting(resample=1))
    assert values(coarser) == [[np.mean([0, 1, 2]), np.mean([3, 4, 5, 6, 7])]]
    known = cut(read(recording(5, rate=2.0)), Cutting(resample=4))
    assert values(known) == values(finer)
    assert known.time is None
    with pytest.raises(UserError, match="file does not say when its steps are"):
        cut(read(recording()), Cutting(resample=4))


def test_missing_values_drop_a_window_or_are_filled():
    x = np.array([0, 1, np.nan, 3, 4, 5.0])[:, None]
    series = cut(read(recording(values=x)), Cutting(window="3"))
    assert values(series) == [[3, 4, 5]]
    assert list(series.dropped) == ["with missing values (--nan fill keeps them)"]
    (note,) = (note for note in series.notes if "missing" in note)
    assert note == "values are missing in x (1 of 6 steps); --channels names those that are read"
    series = cut(read(recording(values=x)), Cutting(window="3", nan="fill"))
    assert values(series) == [[0, 1, 2], [3, 4, 5]]
    assert cutting.filled(np.array([[np.nan], [1], [np.nan]])).tolist() == [[1], [1], [1]]


@pytest.mark.parametrize("ahead", ["2", "2s"])
def test_a_forecast_by_hand(ahead):
    series = cut(
        read(recording(8, label=None, time=np.arange(8.0))),
        Cutting(window="3", forecast=("x",), ahead=ahead),
    )
    assert values(series) == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]]
    assert series.target[:, 0].tolist() == [4, 5, 6, 7]
    assert series.previous[:, 0].tolist() == [2, 3, 4, 5]
    assert series.time.tolist() == [2, 3, 4, 5]
    assert series.gap == 4
    with pytest.raises(UserError, match="--ahead 0: this is less than one step"):
        cut(read(recording(label=None)), Cutting(window="3", forecast=("x",), ahead="0"))
    with pytest.raises(UserError, match="no channel 'y'"):
        cut(read(recording(label=None)), Cutting(window="3", forecast=("y",)))
    with pytest.raises(UserError, match="--forecast needs --window"):
        cut(read(recording(label=None)), Cutting(forecast=("x",)))
    with pytest.raises(UserError, match="there can be no --label"):
        cut(read(recording()), Cutting(window="3", forecast=("x",)))


def test_a_gap_keeps_a_forecast_apart():
    """With the gap that is named, no train window reaches the steps or targets of a test window."""
    series = cut(
        read(recording(40, label=None)), Cutting(window="5", forecast=("x",), ahead="3", step="2")
    )
    ends = series.start + series.length - 1
    for i in range(len(ends) - series.gap - 1):
        assert ends[i] + 3 < series.start[i + series.gap + 1]


@pytest.mark.parametrize(
    ("text", "rate", "steps"), [("128", None, 128), ("2s", 50.0, 100), ("0.5s", 3.0, 2)]
)
def test_lengths(text, rate, steps):
    assert steps_of(text, rate, "--window") == steps


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2.5", "wanted steps"),
        ("x", "wanted steps"),
        ("2s", "nothing says"),
        ("0", "less than one"),
    ],
)
def test_wrong_lengths_are_one_line(text, words):
    with pytest.raises(UserError, match=rf"^--window {text}: .*{words}"):
        steps_of(text, None, "--window")


def test_seconds_need_one_rate():
    parts = [recording(20, time=np.arange(20) / rate) for rate in (10, 50)]
    with pytest.raises(UserError, match=r"from 10 to 50 steps in a second; .* --resample"):
        cut(read(*parts), Cutting(window="1s"))
    assert len(values(cut(read(*parts), Cutting(window="0.5s", resample=10)))) == 4


def test_recordings_are_trials_of_overlapping_windows():
    parts = [recording(8, client=who, label=label) for who in "ab" for label in "uvuvu"]
    series = cut(read(*parts), Cutting(window="4", step="2"))
    assert len(np.unique(series.trial)) == 10
    assert cut(read(*parts[:4]), Cutting(window="4", step="2")).trial is None
    named = cut(
        read(*[recording(8, client="a", trial=t) for t in "12"]), Cutting(window="4", step="2")
    )
    assert named.trial.tolist() == ["a/1"] * 3 + ["a/2"] * 3


def test_times_that_restart_are_left_out():
    parts = [recording(8, client="a", time=np.arange(8.0)) for _ in range(2)]
    series = cut(read(*parts), Cutting(window="4"))
    assert series.time is None
    assert "do not have one origin" in series.notes[0]
    other = [recording(8, client="a", time=np.arange(8.0) + 100 * i) for i in range(2)]
    assert cut(read(*other), Cutting(window="4")).time.tolist() == [3, 7, 103, 107]


def test_nothing_left_says_why():
    with pytest.raises(UserError, match=r"no series is left: 1 from recordings of fewer than"):
        cut(read(recording(3)), Cutting(window="4"))


# ---- What is done to series ---------------------------------------------------------------------


def two_clients(n=20):
    rng = np.random.default_rng(0)
    return [
        recording(
            n * 4,
            values=scale * rng.normal(size=(n * 4, 1)),
            client=who,
            label=np.repeat(np.array(["u", "v"] * (n // 2)), 4),
        )
        for who, scale in (("b", 1.0), ("a", 1000.0))
    ]


def test_copies_are_dropped():
    part = recording(8, client="a", label=np.repeat(np.array(["u", "v"]), 4))
    made = made_of(read(part, part), "m", Cutting(window="4"), Finishing(copies="drop"))
    assert len(made.data.X) == 2
    assert made.dropped == {"that are copies of others": 2}
    kept = made_of(read(part, part), "m", Cutting(window="4"), Finishing())
    assert len(kept.data.X) == 4


def test_the_last_series_are_held_out():
    made = made_of(read(*two_clients()), "m", Cutting(window="4"), Finishing(hold_out=0.25))
    tested = made.data.tested
    assert [np.flatnonzero(tested[made.data.owner == k]).tolist() for k in (0, 1)] == [
        [15, 16, 17, 18, 19]
    ] * 2
    overlapping = made_of(
        read(*two_clients()), "m", Cutting(window="4", step="2"), Finishing(hold_out=0.25)
    )
    assert overlapping.dropped == {"between train and test, which overlap with both": 2}


def test_each_client_is_scaled_by_its_train_series():
    made = made_of(
        read(*two_clients()), "m", Cutting(window="4"), Finishing(hold_out=0.25, scale="client")
    )
    data = made.data
    for k in (0, 1):
        train = data.X[(data.owner == k) & ~data.tested]
        assert train.mean() == pytest.approx(0, abs=1e-5)
        assert train.std() == pytest.approx(1, abs=1e-5)
        assert data.X[(data.owner == k) & data.tested].std() != pytest.approx(1, abs=1e-5)
    with pytest.raises(UserError, match="mark test series by --tested or --hold-out"):
        made_of(read(*two_clients()), "m", Cutting(window="4"), Finishing(scale="client"))


def test_a_forecast_is_in_units_of_its_clients_spread():
    """Two shops, one ten times as large: both have the same targets after scaling."""
    week = np.array([0, 1, 2, 1] * 5, float)[:, None]
    parts = [recording(20, values=k * week, client=f"{k}", label=None) for k in (1, 10)]
    how = Cutting(window="2", step="1", forecast=("x",))
    plain = made_of(read(*parts), "m", how, Finishing(hold_out=0.25)).data
    assert levels_differ(plain)
    data = made_of(read(*parts), "m", how, Finishing(hold_out=0.25, scale="client")).data
    small, large = data.owner == 0, data.owner == 1
    assert np.allclose(data.y[small], data.y[large], atol=1e-5)
    assert np.allclose(data.previous[small], data.previous[large], atol=1e-5)
    assert data.y[small & ~data.tested].mean() == pytest.approx(0, abs=1e-5)
    assert data.y[small & ~data.tested].std() == pytest.approx(1, abs=1e-5)
    assert not levels_differ(data)
    # What comes before and what is forecast have one unit: differences are those of the data.
    spread = plain.y[small & ~plain.tested].std()
    assert np.allclose(
        data.y - data.previous,
        (plain.y - plain.previous) / np.where(small, spread, 10 * spread),
        atol=1e-5,
    )


def test_labels_have_no_levels():
    assert not levels_differ(
        made_of(read(*two_clients()), "m", Cutting(window="4"), Finishing()).data
    )


def test_each_series_is_scaled_by_itself():
    made = made_of(
        read(*two_clients()), "m", Cutting(window="4", step="2"), Finishing(scale="series")
    )
    assert np.allclose(made.data.X.mean(2), 0, atol=1e-5)
    assert np.allclose(made.data.X.std(2), 1, atol=1e-3)
    short = recording(3, values=np.array([[1.0], [3.0], [5.0]]), label="u")
    long = recording(4, values=np.array([[1.0], [1.0], [1.0], [1.0]]), label="v")
    made = made_of(read(short, long), "m", Cutting(), Finishing(scale="series"))
    assert np.allclose(made.data.X[:, 0], [[-1.2247449, 0, 1.2247449, 0], [0, 0, 0, 0]])


def test_overlapping_windows_are_kept_as_recordings():
    made = made_of(read(*two_clients()), "m", Cutting(window="4", step="1"), Finishing())
    assert set(made.arrays) >= {"recording", "start", "steps"}
    assert made.data.X.shape == (154, 4, 1)
    (advice,) = made.advice
    assert "chronological with gap: 3" in advice
    assert any(advice in line for line in made.summary())
    assert not any(advice in line for line in made.summary(advise=False))
    assert made.data.owner_names.tolist() == ["a", "b"]
    assert made.data.label_names.tolist() == ["u", "v"]


def test_one_scale_for_all_clients_is_that_of_their_train_series():
    a = recording(4, values=np.array([[1.0], [3.0], [5.0], [7.0]]), client="a", label="u")
    b = recording(2, values=np.array([[100.0], [100.0]]), client="b", label="v")
    how = Finishing(scale="all")
    made = made_of(read(a, b), "m", Cutting(window="2"), how)
    X = made.data.X[:, 0]
    assert X.mean() == pytest.approx(0, abs=1e-6)
    assert X.std() == pytest.approx(1, abs=1e-6)
    assert X[0, 1] - X[0, 0] == pytest.approx(2 / np.std([1, 3, 5, 7, 100, 100]))


def test_labels_that_mean_nothing_are_left_out():
    labels = np.repeat(np.array(["0", "1", "2"]), 4)
    part = recording(12, label=labels)
    made = made_of(read(part), "m", Cutting(window="4"), Finishing(drop_labels=("0",)))
    assert [made.data.label_name(k) for k in made.data.y] == ["1", "2"]
    assert made.dropped == {"of labels that are left out": 1}
    with pytest.raises(UserError, match="--drop-labels: '7' is unknown; known: 0, 1, 2"):
        made_of(read(part), "m", Cutting(window="4"), Finishing(drop_labels=("7",)))


@pytest.mark.parametrize(
    ("origin", "words"), [(1e9, "2001-09-09 01:46"), (0.0, "end between 3 and 15 s")]
)
def test_the_summary_has_times_as_dates_if_they_count_from_1970(origin, words):
    """A billion seconds after 1970 it is 2001-09-09 01:46:40 UTC."""
    whole = recording(8, time=origin + np.arange(8.0))
    other = recording(8, time=origin + 8 + np.arange(8.0), label="b")
    made = made_of(read(whole, other), "m", Cutting(window="4"), Finishing())
    (line,) = [line for line in made.summary() if line.startswith("times: ")]
    assert words in line


def many(n, **changes):
    """As many recordings of client a, each of two windows of four steps."""
    return read(*(recording(8, client="a", label=f"{k % 2}", **changes) for k in range(n)))


def test_recordings_are_trials_of_their_windows_where_a_client_has_several():
    series = cut(many(5), Cutting(window="4"))
    assert series.trial.tolist() == [f"recording {k + 1}" for k in range(5) for _ in range(2)]
    assert "each recording is a trial" in series.notes[-1]


def test_with_few_recordings_windows_side_by_side_are_noted():
    series = cut(many(4), Cutting(window="4"))
    assert series.trial is None
    assert "fewer than 5 recordings" in series.notes[-1]


def test_recordings_of_one_window_each_need_no_trials():
    series = cut(many(5), Cutting(window="8"))
    assert (series.trial, series.notes) == (None, [])


def test_what_is_lost_in_short_recordings_is_said():
    """Pieces of 3 and 4 steps at 1 s, and one of 9: a window of 3 with a target 2 later needs 5."""
    time = np.concatenate([np.arange(3), 100 + np.arange(4), 200 + np.arange(9)]).astype(float)
    parts = [Recording(np.arange(16.0)[:, None], "a.csv", "ann", time=time)]
    read = Recordings(("x",), parts)
    series = cut(read, Cutting(window="3", forecast=("x",), ahead="2"))
    (why,) = series.dropped
    assert series.dropped[why] == 2
    assert (
        why == "from recordings of fewer than 5 steps: a window and 2 more until what is forecast"
    )
    assert any("44% of all steps are lost in 2 recordings" in note for note in series.notes)
    assert not any("lost" in note for note in cut(read, Cutting(window="3")).notes)


@pytest.mark.parametrize(
    ("text", "steps"), [("90s", 9), ("1.5min", 9), ("1h", 360), ("2day", 17280), ("7", 7)]
)
def test_lengths_are_steps_or_times(text, steps):
    """At a step every ten seconds."""
    assert cutting.steps_of(text, 0.1, "--window") == steps
    with pytest.raises(UserError, match="wanted steps"):
        cutting.steps_of("2 weeks", 0.1, "--window")
