"""Readers of a user's files, each on a small file of its format."""

import gzip
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from recordings import write_edf

from fedreact import options
from fedreact.data import own
from fedreact.errors import UserError
from fedreact.io import contract, patterns
from fedreact.io.cutting import Cutting
from fedreact.io.importing import Finishing, import_data


def imported(source, cutting=None, finishing=None, format_=None, **given):
    """Import a file by its format."""
    reader = contract.load(format_ or contract.recognise(str(source)))
    made = options.check(reader, given, "options")
    return import_data(str(source), "m", made, cutting or Cutting(), finishing or Finishing())


def table(people=("bob", "ann"), n=8):
    """A long table: of each person two trials of n steps, one a label."""
    rows = []
    for who in people:
        for trial, label in ((1, "walk"), (2, "sit")):
            x = np.arange(n) + 100.0 * trial
            rows.append(
                pd.DataFrame(
                    {"who": who, "t": x, "n": trial, "act": label, "x": x, "y": -x, "note": "hm"}
                )
            )
    return pd.concat(rows)


@pytest.mark.parametrize("name", contract.formats())
def test_every_reader_keeps_its_contract(name):
    reader = contract.load(name)
    assert issubclass(reader, contract.Reader)
    assert reader.TITLE
    assert options.defaults(reader).keys() == set(options.names(reader))  # all are optional
    assert all(options.help_of(reader)[option] for option in options.names(reader))


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "tsv"])
def test_a_long_table(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    if ending == "parquet":
        table().to_parquet(file)
    else:
        table().to_csv(file, index=False, sep="\t" if ending == "tsv" else ",")
    made = imported(file, client="who", trial="n", label="act", time="t")
    data = made.data
    assert data.X.shape == (4, 2, 8)
    assert data.owner_names.tolist() == ["ann", "bob"]
    assert data.label_names.tolist() == ["sit", "walk"]
    assert data.channel_names.tolist() == ["x", "y"]
    assert [data.owner_name(k) for k in data.owner] == ["bob", "bob", "ann", "ann"]
    assert data.X[0, 0].tolist() == [100, 101, 102, 103, 104, 105, 106, 107]
    assert data.time.tolist() == [107, 207, 107, 207]
    assert len(np.unique(data.trial)) == 4
    assert "columns of text are no channels: note" in made.notes


EUROPEAN = """\
wer;zeit;art;kraft;zahl
jörg;0;geht;1,25;1
jörg;1;geht;2,5;2
anna;0;sitzt;-3,125;3
anna;1;sitzt;4;4
"""


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_semicolons_and_decimal_commas_are_recognised_and_said(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    content = EUROPEAN.encode()
    file.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    made = imported(file, client="wer", label="art", time="zeit")
    assert made.data.X.tolist() == [[[1.25, 2.5], [1, 2]], [[-3.125, 4], [3, 4]]]
    assert made.data.owner_names.tolist() == ["anna", "jörg"]
    assert "semicolons stand between columns (--separator)" in made.notes
    assert "numbers have decimal commas (--decimal)" in made.notes


def test_commas_of_thousands_and_those_between_columns_are_no_decimal_signs(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(EUROPEAN.replace("1,25", "1,250").replace("2,5", "2,500"))
    said = r"channel kraft holds texts, e\.g\. '1,250' \(--decimal , reads decimal commas\)"
    with pytest.raises(UserError, match=said):
        # -3,125 has three digits, too, so that all may be thousands.
        imported(file, client="wer", label="art", channels=["kraft"])
    made = imported(file, client="wer", label="art", channels=["kraft"], decimal=",")
    assert made.data.X[0].tolist() == [[1.25, 2.5]]
    file.write_text("who,act,x\na,b,1\na,b,2\nc,d,3\nc,d,4\n")
    assert imported(file, client="who", label="act").data.X.tolist() == [[[1, 2]], [[3, 4]]]


@pytest.mark.parametrize("number", ["0,125", "-0,125", "1234,125", "1,25"])
def test_a_comma_that_groups_no_thousands_is_a_decimal_sign(tmp_path, number):
    folder = tmp_path / "all"
    folder.mkdir()
    for name, values in (("a", [number, "2,125"]), ("b", ["3,125", "4,125"])):  # b alone is unsure
        rows = [f"{name};{value}" for value in values]
        (folder / f"{name}.csv").write_text("\n".join(["wer;kraft", *rows, ""]))
    made = imported(folder, client="wer", pattern="{label}.csv")
    first = float(number.replace(",", "."))
    assert made.data.X.tolist() == [[[first, 2.125]], [[3.125, 4.125]]]


def test_a_file_without_a_header_tells_its_separator_by_its_number_of_columns(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("\n".join(EUROPEAN.splitlines()[1:]))
    made = imported(
        file, client="w", label="a", time="z", columns=["w", "z", "a", "k", "n"], channels=["k"]
    )
    assert made.data.X.tolist() == [[[1.25, 2.5]], [[-3.125, 4]]]


def test_another_encoding_is_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(EUROPEAN.encode("cp1252"))
    with pytest.raises(UserError, match=r"a\.csv: its characters are not utf-8 .*--encoding"):
        imported(file, client="wer", label="art")
    with pytest.raises(UserError, match="--encoding 'cp125' is no encoding"):
        imported(file, client="wer", label="art", encoding="cp125")
    made = imported(file, client="wer", label="art", encoding="cp1252")
    assert made.data.owner_names.tolist() == ["anna", "jörg"]


def test_columns_that_are_not_there_or_hold_texts(tmp_path):
    file = tmp_path / "a.csv"
    table().to_csv(file, index=False)
    with pytest.raises(
        UserError, match=r"a\.csv: no column 'whom'; there are .*did you mean who\?"
    ):
        imported(file, client="whom", label="act")
    with pytest.raises(UserError, match=r"channel note holds texts, e\.g\. 'hm'"):
        imported(file, client="who", label="act", channels=["x", "note"])
    with pytest.raises(UserError, match="its label changes"):
        imported(file, client="who", label="act")
    with pytest.raises(UserError, match="nothing says what is predicted"):
        imported(file, client="who", trial="n")
    with pytest.raises(UserError, match="column note holds no times"):
        imported(file, client="who", trial="n", label="act", time="note")
    (tmp_path / "b.csv").write_bytes(b"\x00\xff\xfe" * 50)
    with pytest.raises(UserError, match=r"b\.csv: "):
        imported(tmp_path / "b.csv", label="act")


def test_dates_and_units_of_time(tmp_path):
    rows = pd.DataFrame({"x": range(4), "l": ["a", "a", "b", "b"], "g": [1, 1, 2, 2]})
    rows["day"] = pd.date_range("2026-01-01", periods=4, freq="h").astype(str)
    rows["ms"] = np.arange(4) * 1000
    rows.to_csv(tmp_path / "a.csv", index=False)
    by_date = imported(tmp_path / "a.csv", label="l", trial="g", time="day", channels=["x"]).data
    assert np.diff(by_date.time).tolist() == [7200]
    by_ms = imported(
        tmp_path / "a.csv", label="l", trial="g", time="ms", time_unit="ms", channels=["x"]
    ).data
    assert by_ms.time.tolist() == [1, 3]


DATES = {
    "iso": ["2026-01-12", "2026-01-12 01:00", "2026-01-13T00:30"],
    "month first": ["1/12/2026 11:00 PM", "1/13/2026 12:00 AM", "1/13/2026 1:00 AM"],
    "day first, by --time-format": ["12/01/2026", "13/01/2026", "14/01/2026"],
    "digits, by --time-format": [2026011223, 2026011300, 2026011301],
}
SECONDS = {
    "iso": [0, 3600, 88200],
    "month first": [82800, 86400, 90000],
    "day first, by --time-format": [0, 86400, 172800],
    "digits, by --time-format": [82800, 86400, 90000],
}
FORMATS = {
    "day first, by --time-format": "%d/%m/%Y",
    "digits, by --time-format": "%Y%m%d%H",
}


@pytest.mark.parametrize("dates", DATES)
def test_formats_of_dates(tmp_path, dates):
    """The seconds after 12 January 2026 are counted by hand."""
    rows = pd.DataFrame({"d": DATES[dates], "l": list("abc"), "n": [1, 2, 3], "x": 0.5})
    rows.to_csv(tmp_path / "a.csv", index=False)
    given = {"time_format": FORMATS[dates]} if dates in FORMATS else {}
    made = imported(tmp_path / "a.csv", label="l", trial="n", time="d", channels=["x"], **given)
    midnight = pd.Timestamp("2026-01-12", tz="UTC").timestamp()
    assert (made.data.time - midnight).tolist() == SECONDS[dates]


def test_days_are_never_taken_for_months_in_some_rows(tmp_path):
    """The first date has two readings, and the second only one: the other person's have two."""
    days = ["12/01/2026", "13/01/2026", "11/01/2026", "12/01/2026"]
    rows = pd.DataFrame({"d": days, "who": [1, 1, 2, 2], "l": "a", "x": 0.5})
    rows.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(UserError, match=r"format fits all: --time-format '%d/%m/%Y'"):
        imported(tmp_path / "a.csv", client="who", label="l", time="d", channels=["x"])
    rows.assign(d=[*days[:3], "01/14/2026"]).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(UserError, match=r"dates of several .* by --time-format"):
        imported(tmp_path / "a.csv", client="who", label="l", time="d", channels=["x"])


def test_numbers_that_look_like_dates_are_no_seconds(tmp_path):
    rows = pd.DataFrame({"d": [2026011223, 2026011300], "l": ["a", "b"], "n": [1, 2], "x": 0.5})
    rows.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(UserError, match=r"like 2026011223, which look like dates.*'%Y%m%d%H'"):
        imported(tmp_path / "a.csv", label="l", trial="n", time="d", channels=["x"])
    rows.assign(d=[1767312000, 1767312001]).to_csv(tmp_path / "a.csv", index=False)  # seconds
    made = imported(tmp_path / "a.csv", label="l", trial="n", time="d", channels=["x"])
    assert made.data.time.tolist() == [1767312000, 1767312001]


def test_a_wide_table_has_a_column_for_each_client(tmp_path):
    hours = pd.date_range("2026-01-01", periods=8, freq="h").astype(str)
    wide = pd.DataFrame({"hour": hours, "north": range(8), "south": range(10, 18), "note": "hm"})
    wide.loc[7, "south"] = np.nan
    wide.to_csv(tmp_path / "farms.csv", index=False)
    how = Cutting(window="3", forecast=("value",), ahead="2")
    data = imported(tmp_path / "farms.csv", how, time="hour", layout="wide").data
    assert data.channel_names.tolist() == ["value"]
    series = zip(map(data.owner_name, data.owner), np.asarray(data.X[:])[..., 0].tolist(), data.y)
    assert list(series) == [
        ("north", [0, 1, 2], 4),
        ("north", [1, 2, 3], 5),
        ("north", [2, 3, 4], 6),
        ("north", [3, 4, 5], 7),
        ("south", [10, 11, 12], 14),
        ("south", [11, 12, 13], 15),
        ("south", [12, 13, 14], 16),
    ]
    only = imported(tmp_path / "farms.csv", how, time="hour", layout="wide", channels=["south"])
    assert only.about()["clients"] == {"south": 3}
    named = wide.rename(columns={"north": "value", "south": "client"})
    named.to_csv(tmp_path / "names.csv", index=False)
    made = imported(tmp_path / "names.csv", how, time="hour", layout="wide")
    assert made.about()["clients"] == {"value": 4, "client": 3}
    assert any("columns of text are no clients: note" in note for note in made.notes)
    wide.rename(columns={"hour": "value"}).to_csv(tmp_path / "time.csv", index=False)
    with pytest.raises(UserError, match="makes a column value, so give the column"):
        imported(tmp_path / "time.csv", how, time="value", layout="wide")
    with pytest.raises(UserError, match="each column is a client, so there can be no --client"):
        imported(tmp_path / "farms.csv", how, client="note", layout="wide")


def test_a_folder_of_files_whose_names_say_whose_they_are(tmp_path):
    for who in ("bob", "ann"):
        for label in ("walk", "sit"):
            for trial in (1, 2):
                file = tmp_path / f"data/{who}/{label}_{trial}.csv"
                file.parent.mkdir(parents=True, exist_ok=True)
                pd.DataFrame({"x": np.arange(5) + trial, "y": 1.5}).to_csv(file, index=False)
    (tmp_path / "data/readme.csv").write_text("a\n1\n")
    made = imported(tmp_path / "data", pattern="{client}/{label}_{trial}.csv")
    assert made.data.X.shape == (8, 2, 5)
    assert made.data.owner_names.tolist() == ["ann", "bob"]
    assert np.bincount(made.data.y).tolist() == [4, 4]
    assert made.notes[:2] == [
        "by the pattern, ann/sit_1.csv is of client ann, label sit, trial 1",
        "files that the pattern does not fit, e.g. readme.csv, are left out: "
        "1 in the folder itself",
    ]
    with pytest.raises(UserError, match="'clint' is unknown; known: client"):
        patterns.compiled("{clint}/a.csv")
    with pytest.raises(UserError, match=r"fits no file, e\.g\. not ann/sit_1\.csv"):
        imported(tmp_path / "data", pattern="{client}/{trial}/x.csv")
    with pytest.raises(
        UserError, match=r"readme\.csv: it lacks the column x.*leave it out by --pat"
    ):
        imported(tmp_path / "data")


def test_channels_that_look_like_times_or_names_are_named(tmp_path):
    file = tmp_path / "a.csv"
    rows = table().assign(sign=lambda rows: (-1) ** np.arange(len(rows)))
    rows.assign(person=(rows["who"] == "bob").astype(int)).to_csv(file, index=False)
    words = {"client": "who", "trial": "n", "label": "act"}
    made = imported(file, **words)
    assert made.data.channel_names.tolist() == ["t", "x", "y", "sign", "person"]
    assert made.notes[1:] == [
        "channels that rise at each step of every recording, as a time does: t, x; name it by "
        "--time, or leave it out by --channels",
        "channels that are the same at all steps of a recording, as the number of a person or a "
        "label is: person; name it by --client, --label or --trial, or leave it out by --channels",
    ]
    chosen = imported(file, **words, channels=["x", "person"])  # whoever names them knows them
    assert not chosen.notes


def test_files_without_a_header(tmp_path):
    for who in "ab":
        np.savetxt(tmp_path / f"{who}.txt", np.column_stack([np.arange(6), np.arange(6) // 3]))
    made = imported(
        tmp_path, Cutting(window="3"), pattern="{client}.txt", columns=["x", "l"], label="l"
    )
    assert made.data.X.shape == (4, 1, 3)
    assert made.data.y.tolist() == [0, 1, 0, 1]


def test_targets_and_test_marks(tmp_path):
    rows = table()
    rows["split"] = np.where(rows["n"] == 1, "train", "test")
    rows.to_csv(tmp_path / "a.csv", index=False)
    made = imported(tmp_path / "a.csv", client="who", trial="n", target=["y"], tested="split")
    assert made.data.task.kind == "regression"
    assert made.data.y.tolist() == [-107, -207, -107, -207]
    assert made.data.channel_names.tolist() == ["t", "x"]
    assert made.data.label_names.tolist() == ["y"]
    assert made.data.tested.tolist() == [False, True, False, True]


def test_rows_whose_channels_are_lists_are_series(tmp_path):
    rows = pd.DataFrame({"who": ["a", "b"], "l": ["u", "v"], "x": [[1.0, 2, 3], [4.0, 5]]})
    rows["y"] = rows["x"]
    rows.to_parquet(tmp_path / "a.parquet")
    data = imported(tmp_path / "a.parquet", client="who", label="l").data
    assert data.lengths.tolist() == [3, 2]
    assert data.X[1].tolist() == [[4, 5, 0]] * 2


TS = """# a comment
@problemName Toy
@timestamps false
@univariate false
@dimensions 2
@classLabel true up down
@data
1,2,3:7,7,7:up
4,5,?:8,8,8:down
"""


def test_ts_files(tmp_path):
    file = tmp_path / "toy_TRAIN.ts"
    file.write_text(TS)
    made = imported(file, Cutting(nan="fill"))
    assert made.data.X.tolist() == [[[1, 2, 3], [7, 7, 7]], [[4, 5, 5], [8, 8, 8]]]
    assert made.data.label_names.tolist() == ["down", "up"]
    assert made.data.owner is None
    by_dimension = imported(file, Cutting(nan="fill"), dimension=2)
    assert by_dimension.data.owner_names.tolist() == ["7", "8"]
    assert by_dimension.data.channel_names.tolist() == ["dimension 1"]
    (tmp_path / "who.txt").write_text("ann\nbob\nann\nbob\n")
    (tmp_path / "toy_TEST.ts").write_text(TS)
    both = imported(
        file,
        Cutting(nan="fill"),
        clients=str(tmp_path / "who.txt"),
        test=str(tmp_path / "toy_TEST.ts"),
    )
    assert both.data.tested.tolist() == [False, False, True, True]
    assert both.data.owner_names.tolist() == ["ann", "bob"]
    with pytest.raises(UserError, match="it names 4 clients for 2 series"):
        imported(file, clients=str(tmp_path / "who.txt"))
    with pytest.raises(UserError, match="dimension 1 has several values"):
        imported(file, dimension=1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("@data\n", "", "no line @data"),
        ("@timestamps false", "@timestamps true", "timestamps"),
        ("1,2,3", "1,b,3", "line 8: could not convert"),
        ("7,7,7", "7,7", "different numbers of steps"),
    ],
)
def test_wrong_ts_files_are_one_line(tmp_path, old, new, words):
    file = tmp_path / "toy.ts"
    file.write_text(TS.replace(old, new))
    with pytest.raises(UserError, match=words):
        imported(file)


def test_a_ts_file_of_targets(tmp_path):
    file = tmp_path / "toy.ts"
    file.write_text("@classLabel false\n@targetLabel true\n@data\n1,2:0.5\n3,4:1.5\n")
    data = imported(file).data
    assert data.y.tolist() == [0.5, 1.5]


ARFF = """@relation toy
@attribute a numeric
@attribute b numeric
@attribute who {ann, bob}
@attribute class {up, down}
@data
1,2,ann,up
3,?,bob,down
"""


RELATIONAL = """@relation toy
@attribute dimensions relational
@attribute a numeric
@attribute b numeric
@end dimensions
@attribute class {up, down}
@data
"1,2\\n3,4",up
"5,6\\n7,8",down
"""


def test_arff_files(tmp_path):
    file = tmp_path / "toy.arff"
    file.write_text(ARFF)
    data = imported(file, client="who").data
    assert data.X[0].tolist() == [[1, 2]]
    assert data.lengths.tolist() == [2, 1]
    assert data.owner_names.tolist() == ["ann", "bob"]
    assert data.label_names.tolist() == ["down", "up"]
    with pytest.raises(UserError, match="no attribute 'whom'"):
        imported(file, client="whom")
    file.write_text(RELATIONAL)
    data = imported(file).data
    assert data.X.tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    assert data.label_names.tolist() == ["down", "up"]
    file.write_text("@relation x\n")
    with pytest.raises(UserError, match=r"toy\.arff: "):
        imported(file)


def test_npz_files_are_taken_as_they_are(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, 2, 5))
    X[1, 0, 2] = np.nan
    np.savez(tmp_path / "a.npz", X=X, y=np.arange(6) % 2, client=np.array(list("aabbcc")))
    made = imported(tmp_path / "a.npz")
    assert made.data.X.shape == (5, 2, 5)
    assert made.dropped == {"with missing values (--nan fill keeps them)": 1}
    assert "values are missing in channel 0 (1 of 30 steps)" in made.notes[0]
    assert imported(tmp_path / "a.npz", Cutting(nan="fill")).data.X.shape == (6, 2, 5)
    with pytest.raises(UserError, match="--window: series of this file are cut already"):
        imported(tmp_path / "a.npz", Cutting(window="3"))


def test_edf_files(tmp_path):
    pytest.importorskip("mne")
    signal = 100 * np.random.default_rng(0).normal(size=(3, 50 * 6)).round()
    marks = [(0.0, 2.0, "T0"), (2.0, 2.6, "T1")]
    for who in ("ann", "bob"):
        write_edf(tmp_path / f"{who}/rest.edf", signal, ["C3", "C4", "Cz"], marks, 50)
    made = imported(tmp_path, Cutting(window="1s"), pattern="{client}/*.edf", channels=["C4", "Cz"])
    assert made.data.owner_names.tolist() == ["ann", "bob"]
    assert [made.data.label_name(y) for y in made.data.y[:5]] == ["T0", "T0", "T1", "T1", "T1"]
    assert made.dropped == {"without a label": 2}
    assert np.allclose(made.data.X[0], signal[1:, :50], atol=0.6)  # microvolts
    whole = imported(tmp_path / "ann/rest.edf", Cutting(window="2s"), annotations=["T0", "T1"])
    assert whole.data.channel_names.tolist() == ["C3", "C4", "Cz"]
    with pytest.raises(UserError, match="no channel 'Pz'"):
        imported(tmp_path, Cutting(window="1s"), pattern="{client}/*.edf", channels=["Pz"])


class Split:
    """What a split of the package datasets has, as far as it is used."""

    def __init__(self, rows):
        self.rows = rows
        self.features = {"l": SimpleNamespace(names=["down", "up"]), "x": None}

    def to_pandas(self):
        return self.rows.copy()


def test_a_dataset_of_hugging_face(monkeypatch):
    rows = pd.DataFrame({"who": ["a", "b"], "l": [0, 1], "x": [[1.0, 2], [3.0, 4]]})
    library = ModuleType("datasets")
    library.load_dataset = lambda name, subset=None: {"train": Split(rows), "test": Split(rows)}
    monkeypatch.setitem(sys.modules, "datasets", library)
    made = imported("some/name", format_="hugging-face", client="who", label="l")
    assert made.data.tested.tolist() == [False, False, True, True]
    assert made.data.label_names.tolist() == ["down", "up"]
    with pytest.raises(UserError, match="no split 'val'; there are train, test"):
        imported("some/name", format_="hugging-face", label="l", splits=["val"])
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"need the package datasets: pip install 'fedreact\[hf\]'"):
        imported("some/name", format_="hugging-face", label="l")


def test_a_format_is_recognised_or_the_known_ones_are_named(tmp_path):
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(UserError, match=r"a\.xlsx: its format is unknown; known are \.arff, \.csv"):
        contract.recognise(str(tmp_path / "a.xlsx"))
    with pytest.raises(UserError, match="no such file or folder"):
        contract.recognise(str(tmp_path / "none"))
    with pytest.raises(UserError, match=r"no file in this folder ends in \.csv"):
        contract.recognise(str(tmp_path))


WAVE = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from fedreact.io.contract import Reader, Recording, Recordings

@dataclass(frozen=True)
class Wave(Reader):
    SUFFIXES: ClassVar = (".wave",)
    TITLE: ClassVar = "waves"

    def read(self, source):
        parts = [Recording(np.ones((4, 1)), source, client=c, label=c) for c in "ab"]
        return Recordings(("x",), parts)

READER = Wave
"""


def test_a_reader_of_ones_own_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "own/io/readers/wave.py"
    file.parent.mkdir(parents=True)
    file.write_text(WAVE)
    (tmp_path / "a.wave").write_text("")
    data = imported("a.wave").data
    assert data.owner_names.tolist() == ["a", "b"]
    own.check_name("a", [])
