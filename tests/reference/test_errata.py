"""The arithmetic of docs/errata.md: what it says of published values follows from them."""

import re
from statistics import NormalDist

import numpy as np
import pytest
import yaml
from helpers import ROOT

from fedreact.clients.drifts.detection import statistic

PAGE = " ".join((ROOT / "docs/errata.md").read_text().split())


def published(paper, table):
    return yaml.safe_load((ROOT / f"config/papers/{paper}/published/{table}.yaml").read_text())


def row(table, label, paper="fed_react"):
    content = published(paper, table)
    return dict(zip(content["columns"], content["rows"][label], strict=True))


def entry(where):
    """The line of a table of the page, by how it begins."""
    lines = re.findall(rf"\| ({re.escape(where)}.*?) \| \|", PAGE)
    assert len(lines) == 1, where
    return lines[0]


def test_the_shifted_row():
    ours = row("table05", "RTD - 100 clients (Stationary)")
    shifted = row("iclr_table02", "100 clients")
    assert [ours[name] for name in ("IFCA", "FLSC", "FLACC")] == [
        shifted[name] for name in ("Fed-REACT w/ A3", "IFCA", "FLSC")
    ]
    for name in ("IFCA", "FLSC", "FLACC"):
        assert f"{name} {ours[name]:.3f}" in entry("arXiv Table 5")


def test_what_contradicts_that_fed_react_is_ahead_of_all():
    content = published("fed_react", "table09")
    lines = [dict(zip(content["columns"], values, strict=True)) for values in content["unlabelled"]]
    assert lines[4]["IFCA"] > lines[4]["Fed-REACT w/ A1"]
    assert lines[-1]["FLSC"] == lines[-1]["Fed-REACT w/ A1"]
    two = row("table08", "2 clusters")
    assert two["IFCA"] > max(two["Fed-REACT w/ A1"], two["Fed-REACT w/ A2"])
    assert min(two["SC + MMA"], two["EC + MMA"]) > two["IFCA"]
    for name in ("IFCA", "Fed-REACT w/ A1", "Fed-REACT w/ A2", "SC + MMA", "EC + MMA"):
        assert f"{two[name]:.4f}" in entry("arXiv Table 8")
    quarter = row("table07", "beta = 0.25")
    assert quarter["IFCA"] == quarter["Fed-REACT w/ A1"] > quarter["Fed-REACT w/ A2"]
    assert f"{quarter['IFCA']:.3f}" in entry("arXiv Table 7")


def test_eeg_baselines_are_below_a_constant():
    constant = 0.6 * 1 + 0.4 * 0.5
    first, second = row("table01", "EEG 10 clients (acc)"), row("table02", "EEG - 10 clients")
    baselines = [value for name, value in first.items() if name != "Fed-REACT"]
    assert max(baselines) < constant
    assert f"{min(baselines):.3f} to {max(baselines):.3f}" in PAGE
    assert max(second[name] for name in ("IFCA", "FLSC", "FLACC")) < constant
    assert first["Fed-REACT"] < constant


def test_the_versions_of_table_1_agree_for_10_clients_and_differ_for_50():
    versions = [("FedAvg", "FedAvg"), ("Fedprox", "FedProx"), ("Ditto", "Ditto"), ("APFL", "APFL")]
    for iclr, arxiv in versions:
        old = row("iclr_table01", f"LSTM - {iclr}")
        assert old["10"] == row("table01", "RTD 10 clients (acc)")[f"LSTM {arxiv}"]
        assert old["50"] != row("table01", "RTD 50 clients (acc)")[f"LSTM {arxiv}"]
        assert f"{old['50']:.3f}" in entry("ICLR Table 1")


@pytest.mark.parametrize(
    ("recall", "precision", "printed", "shown"),
    [
        (0.63, 0.83, 0.63, "0.72"),
        (0.27, 0.32, 0.32, "0.29"),
        (0.45, 0.49, 0.53, "0.47"),
        (0.67, 0.39, 0.47, "0.49"),
    ],
)
def test_f1_does_not_follow_even_if_all_are_rounded(recall, precision, printed, shown):
    f1 = [2 * p * r / (p + r) for p in _around(precision) for r in _around(recall)]
    assert not min(f1) - 0.005 <= printed <= max(f1) + 0.005
    assert f"{2 * precision * recall / (precision + recall):.2f}" == shown
    assert shown in entry("Table 3.2, F1")


def test_a_balanced_accuracy_is_impossible_even_if_rounded():
    assert 2 * 0.985 - 0.965 > 1


def _around(value):
    return np.array([value - 0.005, value + 0.005])


def test_improvements_are_swapped():
    assert f"{(0.44 - 0.42) / 0.44:.1%}" == "4.5%"
    assert f"{(0.43 - 0.42) / 0.43:.1%}" == "2.3%"
    table = row("table5_1_smape", "Air Quality", "aso_fed")
    assert (table["FedAvg"], table["FedAsync"], table["ASO-Fed"]) == (0.44, 0.43, 0.42)


def test_the_test_for_drift_as_printed_hardly_fires():
    gamma = statistic(0.9, 0.3, (20 * 0.9 + 0.3) / 21, 1 / 20 + 1)
    assert f"{1 - NormalDist().cdf(gamma):.1f}" == "0.4"
    assert "p = 0.4" in entry("eq. 6.4 | one new")


def test_global_is_not_behind_aso_fed_on_contexts():
    f1 = row("table5_1_f1", "ExtraSensory", "aso_fed")
    precision = row("table5_1_precision", "ExtraSensory", "aso_fed")
    assert f1["Global"] == f1["ASO-Fed"] == 0.77
    assert (precision["Global"], precision["ASO-Fed"]) == (0.92, 0.88)
