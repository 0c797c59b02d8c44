"""Streams of people and stations: ExtraSensory, FitRec, Beijing's air, and how windows are cut."""

import csv
import gzip
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT, of_mirror

from fedreact import options, plugins
from fedreact.data import streams
from fedreact.data.registry import DataFile, load_registry
from fedreact.data.sources import beijing_air, extrasensory, fitrec, kdd_air
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "papers" / "aso_fed" / "datasets.yaml")


def write(path, header, rows):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return path


def rewrite(path, change):
    """Change the text of a file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        text = file.read()
    changed = change(text)
    assert changed != text
    with opened(path, "wt") as file:
        file.write(changed)


def unlike_after(changed, given, row):
    """Whether windows that end before a row are the same, and some later one is another."""
    last = given.X.starts + given.X.length - 1
    every = np.arange(len(given.X))
    same = (changed.X[every] == given.X[every]).all((1, 2))
    return same[last < row].all() and not same[last >= row].all()


# --- Windows of streams


def a_stream(n=8, **changes):
    values = np.arange(n, dtype=np.float32)
    given = {
        "inputs": values[:, None],
        "targets": 10 * values[:, None],
        "time": 60.0 * np.arange(n),
        "wanted": np.ones(n, bool),
    }
    return streams.Stream(**given | changes)


def test_a_window_has_the_targets_of_a_later_row():
    data = streams.assemble("x", {4: a_stream(), 7: a_stream(5)}, 3, 2)
    assert data.X[np.arange(2)][:, :, 0].tolist() == [[0, 1, 2], [1, 2, 3]]
    assert data.y[:, 0].tolist() == [40, 50, 60, 70, 40]
    assert data.previous[:, 0].tolist() == [20, 30, 40, 50, 20]  # of a window's last row
    assert data.owner.tolist() == [4, 4, 4, 4, 7]
    assert data.time.tolist() == [120, 180, 240, 300, 120]  # of a window's last row
    assert data.X[4][:, 0].tolist() == [0, 1, 2]  # of the second stream, and no row of the first


def test_no_window_crosses_pieces_or_predicts_what_is_not_wanted():
    pieces = np.array([5, 5, 5, 5, 2, 2, 5, 5])
    data = streams.assemble("x", {0: a_stream(piece=pieces)}, 2, 1)
    assert data.X.starts.tolist() == [0, 1]
    wanted = np.array([1, 1, 1, 0, 1, 1, 0, 1], bool)
    assert streams.assemble("x", {0: a_stream(wanted=wanted)}, 2).y[:, 0].tolist() == [
        20,
        40,
        50,
        70,
    ]
    with pytest.raises(UserError, match="the 8 rows of 0 hold no window of 8 rows"):
        streams.assemble("x", {0: a_stream()}, 8)


def test_previous_targets_that_are_not_known_are_zero():
    targets = np.array([[np.nan, 1], [np.nan, 2], [5, 3], [6, 4]], np.float32)
    wanted = ~np.isnan(targets).any(axis=1)
    data = streams.assemble("x", {0: a_stream(4, targets=targets, wanted=wanted)}, 2)
    assert data.y.tolist() == [[5, 3], [6, 4]]
    assert data.previous.tolist() == [[0, 2], [5, 3]]


def test_nothing_is_filled_from_later_rows():
    given = np.array([[np.nan, 1], [2, np.nan], [np.nan, np.nan], [4, 5]])
    wanted = np.array([[np.nan, 1], [2, 1], [2, 1], [4, 5]])
    np.testing.assert_array_equal(streams.filled(given), wanted)


def test_scaled_by_the_first_rows_alone():
    given = np.array([[1, 7, np.nan, 0], [3, 7, np.nan, np.nan], [5, 8, 6, 1], [-1, 9, 7, 2.0]])
    wanted = [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [-1, 0, 0, 0]]
    assert streams.scaled(given, 0.5).tolist() == wanted
    assert streams.scaled(given, 1.0)[:, 0].tolist() == pytest.approx([1 / 3, 2 / 3, 1, 0])


# --- ExtraSensory

FEATURES = [f"f{i}" for i in range(225)]
LABELS = [f"label:l{i}" for i in range(51)]
HEADER = ["timestamp", *FEATURES, *LABELS, "label_source"]


def person(path, n=8, seed=0):
    """A row a minute: the first feature is the minute, the first label true from minute 4 on."""
    rng, rows = np.random.default_rng(seed), []
    for i in range(n):
        features = [i, "" if i in (0, 3) else i * i, *rng.normal(size=223).round(3)]
        labels = [float(i >= 4), 1.0 if i == 2 else "", *[0.0] * 49]
        rows.append([60 * i, *features, *labels, 2])
    return write(path, HEADER, rows)


@pytest.fixture
def people(tmp_path):
    return [person(tmp_path / f"{who}.csv.gz", seed=who) for who in range(2)]


def test_minutes_predict_the_labels_of_the_next(people):
    data = extrasensory.ExtraSensory(length=3, train_share=0.5).windows(people)
    assert data.X.shape == (10, 3, 276)
    assert data.y.shape == (10, 51)
    assert data.task.kind == "multi-label"
    assert data.owner.tolist() == [0] * 5 + [1] * 5
    assert data.time.tolist() == [120, 180, 240, 300, 360] * 2
    assert data.y[:5, 0].tolist() == [False, True, True, True, True]  # of the minutes 3 to 7
    assert data.y[:5, 1].tolist() == [True] * 5  # last known in minute 2
    assert data.previous[:5, 0].tolist() == [False, False, True, True, True]  # of 2 to 6
    assert data.previous.dtype == bool
    window = data.X[np.array([1])][0]  # minutes 1 to 3
    assert window[:, 0].tolist() == pytest.approx([1 / 3, 2 / 3, 1])  # of the minutes 0 to 3
    # 1, 4 and, in minute 3, the 4 of minute 2: all that is known of the first half.
    assert window[:, 1].tolist() == [0, 1, 1]
    assert window[:, 226].tolist() == [0, 1, 1]  # a label that is not yet known is not true
    others = extrasensory.ExtraSensory(length=3, unknown="false", horizon=2).windows(people)
    assert others.y[:4, 0].tolist() == [True] * 4
    assert others.previous[:4, 0].tolist() == [False, False, True, True]  # of 2 to 5
    assert not others.y[:, 1].any()
    without = extrasensory.ExtraSensory(length=3, past_labels=False, rows=5).windows(people)
    assert without.X.shape == (4, 3, 225)


def test_later_minutes_change_no_earlier_input(people):
    source = extrasensory.ExtraSensory(length=3, train_share=0.5)
    before = source.windows(people[:1])
    rewrite(people[0], lambda text: text.replace("\n300,5,25,", "\n300,-5000,,"))
    assert unlike_after(source.windows(people[:1]), before, 5)


def test_rows_are_in_the_order_of_time_and_unlabelled_ones_are_not_predicted(people):
    source = extrasensory.ExtraSensory(length=3)
    before = source.windows(people)

    def shuffled(text):
        header, *rows = text.split("\n")[:-1]
        return "\n".join([header, *rows[::-1], ""])

    rewrite(people[0], shuffled)
    after = source.windows(people)
    assert (after.X.values == before.X.values).all()
    assert (after.y == before.y).all()

    def unlabelled(text):
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("240,"))
        cells = lines[at].split(",")
        lines[at] = ",".join([*cells[:226], *[""] * 51, cells[-1]])
        return "\n".join(lines)

    rewrite(people[0], unlabelled)
    assert source.windows(people).time.tolist()[:4] == [120, 240, 300, 360]  # not 180


def damage(path, kind):
    content = path.read_bytes()
    if kind == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif kind == "other":
        path.write_bytes(b"no archive")
    else:
        path.write_bytes(gzip.compress(b""))


@pytest.mark.parametrize("kind", ["cut", "other", "empty"])
def test_damaged_files_are_refused(people, kind):
    damage(people[1], kind)
    with pytest.raises(UserError, match=r"1\.csv\.gz: .*download it again$"):
        extrasensory.ExtraSensory(length=3).windows(people)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("f7,", "", "line 2: 278 cells, where the header has 277"),
        ("label:l3", "table:l3", "holds 226 features and 50 labels, not 225 and 51"),
        ("timestamp", "time", "holds 226 features and 51 labels"),
        ("f7,", "g7,", "has other columns than the file before it"),
        ("\n60,1,", "\n60,one,", r"f0 is not a number in row 2 \('one'\)"),
        ("\n60,1,", "\n60,inf,", r"f0 is not a number in row 2 \('inf'\)"),
        ("\n60,", "\n,", "a row has no timestamp"),
        (",0.0,2\n", ",0.5,2\n", "labels must be 0 or 1"),
    ],
)
def test_other_tables_are_refused(people, good, bad, words):
    rewrite(people[1], lambda text: text.replace(good, bad, 1))
    with pytest.raises(UserError, match=words) as caught:
        extrasensory.ExtraSensory(length=3).windows(people)
    assert str(people[1]) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [extrasensory.ExtraSensory, fitrec.FitRec])
def test_people_are_numbered_as_they_are_listed(source):
    entry = REGISTRY[extrasensory.NAME if source is extrasensory.ExtraSensory else fitrec.NAME]
    listed = sorted(entry.listed.sha256)
    assert list(source().wanted(entry).files) == listed
    assert list(source(people=(5, 2, 5)).wanted(entry).files) == [listed[2], listed[5]]
    with pytest.raises(UserError, match=f"there is no person 99; they are 0 to {len(listed) - 1}"):
        source(people=(99,)).wanted(entry)


def test_numbers_of_people_are_kept(people, tmp_path):
    files = {path.name: path for path in people}
    entry = replace(
        REGISTRY["extrasensory"], files={n: DataFile((n,), None) for n in files}, listed=None
    )
    data = extrasensory.ExtraSensory(people=(8, 3), length=3).read(files, entry)
    assert np.unique(data.owner).tolist() == [3, 8]


def test_extrasensory_of_the_mirror():
    source = extrasensory.ExtraSensory(people=(3, 27), rows=400)
    data = of_mirror(source, REGISTRY["extrasensory"])
    assert data.task == REGISTRY["extrasensory"].task
    assert len(data.y) == 2 * 380
    assert np.unique(data.owner).tolist() == [3, 27]
    train = data.X.values[:240]
    assert train.min() == 0
    assert train.max() == 1
    assert set(np.unique(data.X.values[:, 225:])) == {0, 1}
    assert 0.02 < data.y.mean() < 0.3
    # The labels of a window's row are those that the window before it was to predict.
    assert (data.X[np.arange(1, 380), 19][:, 225:] == data.y[:379]).all()
    every = np.arange(len(data.y))
    assert (data.X[every, 19][:, 225:] == data.previous).all()


# --- FitRec

FITREC = ["altitude", "derived_speed", "distance", "gender", "heart_rate", "id", "latitude"]
FITREC += ["longitude", "since_begin", "since_last", "sport", "time_elapsed", "timestamp", "userId"]
FITREC += ["tar_derived_speed", "tar_heart_rate"]
WHERE = (777.125, -888.25)
"""Latitude and longitude in the files that the tests write; no place on earth."""


def athlete(path, workouts=2, n=6):
    """Workouts of some rows, the later ones first in the file."""
    rows = []
    for workout in range(workouts):
        for i in range(n):
            t = 1000 * workout + 10 * i
            rows.append(
                [i / 2, 0.1 * i, 0.2, "male" if workout else "female", 0.3 * i, 50 - workout]
                + [*WHERE, workout, -workout, "run" if workout == 0 else "bike", i, t, 123456789]
                + [10 + i, 100 + 10 * workout + i]
            )
    return write(path, FITREC, rows[::-1])


@pytest.fixture
def athletes(tmp_path):
    return [athlete(tmp_path / f"user{who}.csv", workouts=2 + who) for who in range(2)]


def test_rows_predict_the_next_speed_and_heart_rate(athletes):
    data = fitrec.FitRec(length=3, train_share=0.5).windows(athletes)
    assert data.X.shape == (3 * 2 + 3 * 3, 3, 12)
    assert data.task == replace(REGISTRY["fitrec"].task, steps=3)
    assert data.owner.tolist() == [0] * 6 + [1] * 9
    assert data.y[:6].tolist() == [[13, 103], [14, 104], [15, 105], [13, 113], [14, 114], [15, 115]]
    assert data.previous[:4].tolist() == [[12, 102], [13, 103], [14, 104], [12, 112]]
    assert data.time[:6].tolist() == [20, 30, 40, 1020, 1030, 1040]
    first = data.X[np.array([0])][0]
    assert first[:, 0].tolist() == pytest.approx([0, 0.2, 0.4])  # altitude
    assert first[:, 1].tolist() == [0, 0, 0]  # a distance that never changes
    assert first[:, 9].tolist() == pytest.approx([0, 0.2, 0.4])  # heart rate, 100 to 105 at first
    assert first[:, 10].tolist() == [1, 1, 1]  # gender
    sports = {round(float(v), 6) for v in np.unique(data.X.values[:, 11])}
    assert sports == {0, fitrec.SPORTS.index("run") / len(fitrec.SPORTS)}


def test_windows_may_cross_workouts(athletes):
    across = fitrec.FitRec(length=3, across=True).windows(athletes)
    assert len(across.y) == (12 - 3) + (18 - 3)
    few = fitrec.FitRec(length=3, across=True, times=False, past_targets=False, rows=5)
    assert few.windows(athletes).X.shape == (2 * 2, 3, 7)


def test_nobody_can_be_found_in_it(athletes, tmp_path):
    for changes in ({}, {"times": False}, {"across": True}, {"train_share": 1.0}):
        data = fitrec.FitRec(length=3, **changes).windows(athletes)
        data.save(tmp_path / "x.npz")
        given = np.load(tmp_path / "x.npz")
        for name in given.files:
            assert not np.isin(given[name], (*WHERE, 123456789)).any()
    before = fitrec.FitRec(length=3).windows(athletes).X.values
    rows = iter(range(100))
    rewrite(athletes[0], lambda t: "".join(_moved(line, next(rows)) for line in t.splitlines(True)))
    assert f"{WHERE[0]}" not in athletes[0].read_text()
    assert (fitrec.FitRec(length=3).windows(athletes).X.values == before).all()
    held = streams.read_columns(athletes[1], ["altitude", "id"])
    assert list(held) == ["altitude", "id"]


def _moved(line, row):
    """The line with another place in it."""
    return line.replace(f"{WHERE[0]},{WHERE[1]}", f"{row},{row * row}")


def test_later_rows_change_no_earlier_input(athletes):
    source = fitrec.FitRec(length=3, train_share=0.5)
    before = source.windows(athletes[:1])
    rewrite(athletes[0], lambda text: text.replace("2.0,0.4,0.2,male", "999,0.4,0.2,male"))
    after = source.windows(athletes[:1])
    assert unlike_after(after, before, 10)  # the fifth row of the second workout
    assert (after.y == before.y).all()


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("tar_heart_rate", "heart", "has no column tar_heart_rate"),
        (",10,100\n", ",10,none\n", "tar_heart_rate is not a number in row"),
        (",10,100\n", "\n", "14 cells, where the header has 16"),
    ],
)
def test_other_tables_of_workouts_are_refused(athletes, good, bad, words):
    rewrite(athletes[1], lambda text: text.replace(good, bad, 1))
    with pytest.raises(UserError, match=words) as caught:
        fitrec.FitRec(length=3).windows(athletes)
    assert str(WHERE[0]) not in str(caught.value)


def test_fitrec_of_the_mirror():
    data = of_mirror(fitrec.FitRec(people=(0, 6), rows=600), REGISTRY["fitrec"])
    assert data.task == REGISTRY["fitrec"].task
    assert len(data.y) == 2 * 2 * 290


# --- Beijing's air

HOURS = ["No", *beijing_air.CLOCK, *beijing_air.POLLUTANTS]
HOURS += ["TEMP", "PRES", "DEWP", "RAIN", "wd", "WSPM", "station"]


def station(path, name, n=30):
    """From 10 p.m. on; pollutants are 1 to 6 times the hour, and CO is not known in hour 5."""
    rows = []
    for i in range(n):
        day, hour = 28 + (22 + i) // 24, (22 + i) % 24
        date = [2013, 2, day, hour] if day <= 28 else [2013, 3, day - 28, hour]
        pollutants = [k * i for k in range(1, 7)]
        if i == 5:
            pollutants[4] = "NA"
        wind = beijing_air.COMPASS[i % 16] if i else "NA"
        rows.append([i + 1, *date, *pollutants, i - 5, 1000, -i, 0, wind, 1.5, name])
    return write(path, HOURS, rows)


@pytest.fixture
def stations(tmp_path):
    return {name: station(tmp_path / f"{name}.csv", name) for name in ("Changping", "Shunyi")}


def test_hours_predict_the_pollutants_of_the_next(stations):
    data = beijing_air.BeijingAir(length=4, train_share=0.5).windows(stations)
    assert data.X.shape == (2 * 26, 4, 12)
    assert data.task == replace(REGISTRY["beijing-air"].task, steps=4)
    assert np.unique(data.owner).tolist() == [1, 8]
    assert data.y[0].tolist() == [4, 8, 12, 16, 20, 24]
    assert data.y[1].tolist() == [5, 10, 15, 20, 20, 30]  # CO as in the hour before
    assert data.previous[0].tolist() == [3, 6, 9, 12, 15, 18]
    assert (data.previous[1:26] == data.y[:25]).all()
    assert np.diff(data.time[:26]).tolist() == [3600] * 25
    first = data.X[np.array([0])][0]
    assert first[:, 0].tolist() == pytest.approx([0, 1 / 14, 2 / 14, 3 / 14])
    assert first[:, 7].tolist() == [0, 0, 0, 0]  # pressure, the same all the time
    assert first[:, 11].tolist() == [0, 1 / 16, 2 / 16, 3 / 16]  # wind, not known at first
    assert data.X.values[:15].min() == 0
    assert data.X.values[:15].max() == 1
    assert data.X.values[29, 0] == pytest.approx(29 / 14)


def test_options_of_the_air(stations):
    circle = beijing_air.BeijingAir(length=4, wind="circle", hours=20).windows(stations)
    assert circle.X.shape == (2 * 16, 4, 13)
    assert circle.X.values[4, 11:].tolist() == pytest.approx([1, 0.5])  # from the east
    measured = beijing_air.BeijingAir(length=4, targets="measured").windows(stations)
    assert len(measured.y) == 2 * 25
    assert 30 not in measured.y[:26, 5]  # hour 5
    wanted = beijing_air.BeijingAir().wanted(REGISTRY["beijing-air"])
    assert len(wanted.files) == 9
    given = {"stations": ["Shunyi", "Changping"]}
    some = options.check(beijing_air.BeijingAir, given, "x").wanted(REGISTRY["beijing-air"])
    assert [name.split("_")[2] for name in some.files] == ["Changping", "Shunyi"]
    for bad in (["Peking"], []):
        with pytest.raises(UserError, match="stations"):
            options.check(beijing_air.BeijingAir, {"stations": bad}, "x")


def test_later_hours_change_no_earlier_input(stations):
    one = {"Shunyi": stations["Shunyi"]}
    source = beijing_air.BeijingAir(length=4, train_share=0.5)
    before = source.windows(one)
    rewrite(
        one["Shunyi"],
        lambda text: text.replace("\n21,2013,3,1,18,20,40", "\n21,2013,3,1,18,NA,-7000"),
    )
    assert unlike_after(source.windows(one), before, 20)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("DEWP", "DEW", "has no column DEWP"),
        ("2,2013,2,28,23,", "2,2013,2,30,23,", "a row has no date"),
        ("2,2013,2,28,23,", "2,2013,2,NA,23,", "a row has no date"),
        ("2,2013,2,28,23,", "2,2013,2,28,21,", "row 2 is not an hour after"),
        ("NNE", "UP", "'UP' is not a wind direction"),
        ("Shunyi", "Dongsi", "is not of the station Shunyi"),
        (",1000,", ",high,", "PRES is not a number in row 1"),
    ],
)
def test_other_tables_of_stations_are_refused(stations, good, bad, words):
    rewrite(stations["Shunyi"], lambda text: text.replace(good, bad, 1))
    with pytest.raises(UserError, match=words) as caught:
        beijing_air.BeijingAir(length=4).windows(stations)
    assert str(stations["Shunyi"]) in str(caught.value)


def test_air_of_the_mirror():
    source = beijing_air.BeijingAir(stations=("Tiantan", "Shunyi"), hours=500)
    data = of_mirror(source, REGISTRY["beijing-air"])
    assert data.task == REGISTRY["beijing-air"].task
    assert np.unique(data.owner).tolist() == [8, 9]
    assert len(data.y) == 2 * 480
    assert data.X.values[:300].max() == 1
    assert 500 < data.y[:, 4].mean() < 3000  # CO in micrograms


# --- The air of KDD Cup 2018


@pytest.fixture
def fresh(tmp_path):
    """Two regions; pollutants from 10 o'clock on, without 17 o'clock and the weather from 12 on."""
    air, sky = [], []
    for name in ("pinggu", "shunyi"):
        for hour in range(10, 24):
            when = f"2017-01-01 {hour}:00:00"
            if hour != 17:
                air += [[f"{name}_aq", when, *(k * hour for k in range(1, 7))]] * 2
            if hour >= 12:
                wind = 999017 if hour == 13 else 90
                values = [hour, 1000, 50, wind, 999999 if hour == 14 else 0.1 * hour]
                sky.append([f"{name}_meo", *WHERE, when, *values, "Haze" if hour < 20 else "Hot"])
    header = ["stationId", "utc_time", "PM2.5", "PM10", "NO2", "CO", "O3", "SO2"]
    weather = ["station_id", "longitude", "latitude", "utc_time", "temperature", "pressure"]
    weather += ["humidity", "wind_direction", "wind_speed", "weather"]
    aq = write(tmp_path / "beijing_17_18_aq.csv", header, air)
    return {"aq": aq, "meo": write(tmp_path / "beijing_17_18_meo.csv", weather, sky[::-1])}


def read_fresh(files, **changes):
    given = {"regions": ("shunyi", "pinggu"), "length": 4} | changes
    return kdd_air.KDDAir(**given).read(files, REGISTRY["kdd-air"])


def test_regions_have_the_hours_that_both_files_have(fresh):
    data = read_fresh(fresh)
    assert data.X.shape == (2 * 8, 4, 12)
    assert data.task == replace(REGISTRY["kdd-air"].task, steps=4)
    assert np.unique(data.owner).tolist() == [6, 7]
    # Hours 16, 16 again for 17, 18, ...: PM2.5, PM10, SO2, NO2, CO, O3.
    assert data.y[0].tolist() == [16, 32, 96, 48, 64, 80]
    assert data.y[:3, 0].tolist() == [16, 16, 18]
    assert data.previous[:3, 0].tolist() == [15, 16, 16]
    assert np.diff(data.time[:8]).tolist() == [3600] * 7
    values = data.X.values[:12]
    assert values[:, 9].tolist()[1:3] == [values[1, 9]] * 2  # the wind's speed at 14 is that at 13
    assert values[:, 10].tolist() == [0.25] * 12  # no direction at 13: as before
    assert np.unique(values[:, 11]).tolist() == pytest.approx([0.7, 1])
    assert not np.isin(data.X.values, WHERE).any()
    assert read_fresh(fresh, wind="circle", hours=6).X.shape == (2 * 2, 4, 13)
    assert len(read_fresh(fresh, targets="measured").y) == 2 * 7


@pytest.mark.parametrize(
    ("file", "good", "bad", "words"),
    [
        ("aq", "PM10", "PM11", "has no column PM10"),
        ("aq", "pinggu_aq", "pinggu", "has no station pinggu_aq"),
        ("aq", "2017-01-01 ", "yesterday ", "a row has no utc_time"),
        ("meo", "2017-01-01 ", "2016-01-01 ", "no hour of pinggu is in both files"),
        ("meo", ",1000,", ",high,", "pressure is not a number"),
    ],
)
def test_other_files_of_the_cup_are_refused(fresh, file, good, bad, words):
    rewrite(fresh[file], lambda text: text.replace(good, bad))
    with pytest.raises(UserError, match=words) as caught:
        read_fresh(fresh)
    assert "\n" not in str(caught.value)


# --- What the registry says


@pytest.mark.parametrize("name", REGISTRY)
def test_what_is_taken_at_each_scale_are_options_of_the_reader(name):
    cls = plugins.load("data/sources", name, "SOURCE")
    assert {"smoke", "quick"} <= set(REGISTRY[name].scales)
    for scale, given in REGISTRY[name].scales.items():
        options.check(cls, given, f"{name} at {scale}").wanted(REGISTRY[name])  # raises
