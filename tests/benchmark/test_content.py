"""The benchmark's page by hand: gains, sentences, the Pareto front, and what is downloaded."""

import io
from dataclasses import replace

import pandas as pd
import pytest

from fedreact.benchmark.content import answer, csv, mean_gain, read, sentences
from fedreact.benchmark.page import front, page, profile, sent, where_it_pays
from fedreact.benchmark.sources import BenchmarkSource, CardSource, RegimeSource
from fedreact.errors import UserError

HEADER = "table,row,column,metric,data,mean,ci_low,ci_high,n_seeds,gap,gap_low,gap_high"
LINES = [
    "x_labels,one,Alone,accuracy,toy,.5,.4,.6,3,,,",
    "x_labels,one,FedAvg,accuracy,toy,.7,.65,.75,3,.2,.1,.3",
    "x_labels,one,Ditto,accuracy,toy,.6,.5,.7,3,.1,-.1,.3",
    "x_labels,one,Constant,accuracy,toy,.9,.9,.9,3,.4,.3,.5",
    "x_labels,one,FedAvg,bytes,toy,12,12,12,3,,,",
    "x_labels,one,Ditto,bytes,toy,6,6,6,3,,,",
    "x_labels,all,Alone,accuracy,toy,.9,.8,1,3,,,",
    "x_labels,all,FedAvg,accuracy,toy,.8,.7,.9,3,-.1,-.2,-.05",
    "x_labels,all,Ditto,accuracy,toy,.85,.8,.9,3,-.05,-.06,-.04",
    "x_size,two,FedAvg,accuracy,toy,.1,.1,.1,3,-.4,-.5,-.3",
]


@pytest.fixture
def source(tmp_path):
    file = tmp_path / "tables.csv"
    file.write_text("\n".join([HEADER, *LINES]) + "\n")
    regimes = [
        RegimeSource("labels", "Few labels", [str(file)], "accuracy", notes=["A note."]),
        RegimeSource("size", "Size", [str(file)], "accuracy"),
        RegimeSource("later", "Later", [str(file)], "accuracy"),
    ]
    cards = {
        "FedAvg": CardSource(
            "fedavg.py", "synchronous", "Averages <models>.", "McMahan", "w = mean"
        )
    }
    return BenchmarkSource("toy", "Alone", regimes, cards, ["Constant"], [], ["one <seed>"])


def test_a_table_is_read_regime_by_regime(source):
    labels, size = read(source)  # nothing of Later is there
    assert labels.rows == ["one", "all"]
    assert [s.method for s in labels.of("one")] == ["Constant", "FedAvg", "Ditto", "Alone"]
    fedavg = labels.of("one")[1]
    assert (fedavg.gain, fedavg.pays, fedavg.more) == (0.2, True, {"bytes": 12.0})
    assert [s.method for s in size.scores] == ["FedAvg"]


def test_of_errors_lower_is_better(source, tmp_path):
    regime = RegimeSource("labels", "Few", source.regimes[0].csvs, "accuracy", better="lower")
    [labels, *_] = read(BenchmarkSource("toy", "Alone", [regime], {}))
    ditto = labels.of("all")[1]
    assert (ditto.method, ditto.gain, ditto.gain_low) == ("Ditto", 0.05, 0.04)


def test_a_constant_is_no_federation(source):
    labels, size = read(source)
    found = answer(labels, source)
    assert (found.pays, found.costs, found.best, found.best_rows) == (["one"], ["all"], "FedAvg", 1)
    assert (found.most.row, found.most.gain) == ("one", 0.2)
    assert answer(size, source).best is None
    assert sentences([labels, size], source) == [
        "Few labels: a federated method is significantly better than Alone in 1 of 2 rows, FedAvg "
        "most often (its largest gain is +0.200, 95% interval +0.100 to +0.300).",
        "Size: no federated method is significantly better than Alone in any row.",
    ]


def test_who_sends_nothing_is_no_federation(source, tmp_path):
    more = tmp_path / "more.csv"
    own = "x_labels,one,Own ridge,{},toy,{},.8,.9,3,{}"
    lines = [own.format("accuracy", ".85", ".35,.3,.4"), own.format("bytes", "0", ",,")]
    sends = "x_labels,one,Alone,bytes,toy,0,0,0,3,,,"
    more.write_text("\n".join([HEADER, *LINES[:6], sends, *lines]) + "\n")
    one = replace(source, regimes=[replace(source.regimes[0], csvs=[str(more)])])
    [labels] = read(one)
    assert answer(labels, one).best == "FedAvg"
    assert answer(labels, one).apart == {"one": "Own ridge"}
    assert sentences([labels], one) == [
        "Few labels: a federated method is significantly better than Alone in its row, FedAvg "
        "above all (its gain is +0.200, 95% interval +0.100 to +0.300). In its row, a method that "
        "sends nothing has the highest score (Own ridge)."
    ]


def test_a_row_in_which_a_constant_is_ahead_counts_in_no_mean(source, tmp_path):
    flagged = tmp_path / "flagged.csv"
    lines = [f"{line},{'trivial' if ',all,' in line else ''}" for line in LINES]
    flagged.write_text("\n".join([f"{HEADER},flag", *lines]) + "\n")
    regime = RegimeSource("labels", "Few labels", [str(flagged)], "accuracy")
    one = BenchmarkSource("toy", "Alone", [regime], {}, ["Constant"])
    [labels] = read(one)
    assert labels.counted == ["one"]
    assert sentences([labels], one) == [
        "Few labels: a federated method is significantly better than Alone in its row, FedAvg "
        "above all (its gain is +0.200, 95% interval +0.100 to +0.300)."
    ]
    assert profile("FedAvg", [labels]) == {"labels": 0.2}
    assert "counts in no mean" in page(one)


def test_with_one_seed_nothing_is_judged(tmp_path):
    file = tmp_path / "tables.csv"
    file.write_text(f"{HEADER}\nx_all,one,FedAvg,accuracy,toy,.7,,,1,.2,,\n")
    source = BenchmarkSource(
        "toy", "Alone", [RegimeSource("all", "All", [str(file)], "accuracy")], {}
    )
    assert sentences(read(source), source) == [
        "All: there is one seed, so no difference is judged."
    ]


def test_profile_and_where_it_pays(source):
    regimes = read(source)
    assert profile("FedAvg", regimes) == {"labels": pytest.approx(0.05), "size": -0.4}
    assert profile("Ditto", regimes)["size"] is None
    assert where_it_pays("FedAvg", regimes) == ["Few labels: one"]


def test_rows_of_one_dataset_count_once(source):
    labels, _ = read(source)
    one = labels.of("one")[1]
    gains = [replace(one, data=data, gain=gain) for data, gain in zip("aab", (0.1, 0.3, 0.0))]
    assert mean_gain(gains) == pytest.approx((0.2 + 0) / 2)


def test_what_is_sent_is_the_range_over_rows(source):
    (labels,) = read(replace(source, regimes=source.regimes[:1]))
    in_all = "between a client and the server in all rounds, by row"
    assert sent("FedAvg", [labels]) == f"12 MB {in_all}"
    scores = [replace(s, more={"bytes": 0.25}) if s.row == "all" else s for s in labels.scores]
    assert sent("FedAvg", [replace(labels, scores=scores)]) == f"250 kB to 12 MB {in_all}"
    scores = [replace(s, more={"bytes": 0.0}) for s in labels.scores]
    assert sent("FedAvg", [replace(labels, scores=scores)]) == "nothing"
    assert sent("Constant", read(source)) == ""


def test_the_front_holds_what_nothing_beats():
    points = [(1, 0.5, "cheap"), (2, 0.7, "good"), (3, 0.6, "dear"), (2, 0.7, "as good")]
    assert front(points) == ["cheap", "good", "as good"]


def test_what_is_downloaded_has_all_numbers(source):
    table = pd.read_csv(io.StringIO(csv(read(source))))
    assert len(table) == len(LINES)
    line = table.query("method == 'Ditto' and row == 'all'").iloc[0]
    assert (line["mean"], line["gain"], line["gain_high"]) == (0.85, -0.05, -0.04)


def test_the_page_needs_nothing_else_and_escapes_what_it_shows(source):
    text = page(source)
    assert "http" not in text.replace("http://www.w3.org", "")
    assert "Averages &lt;models&gt;." in text
    assert "one &lt;seed&gt;" in text
    assert text.count("<section") == 4
    for word in ("Few labels", "+0.200", "reference", "A note."):
        assert word in text


def test_a_file_that_is_no_table_is_named(source, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    for file, words in ((bad, "it lacks table"), (tmp_path / "none.csv", "no table")):
        regime = RegimeSource("labels", "Few", [str(file)], "accuracy")
        with pytest.raises(UserError, match=words):
            read(BenchmarkSource("toy", "Alone", [regime], {}))
