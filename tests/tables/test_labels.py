"""Rows, columns and datasets are named by the data that is in them."""

from types import SimpleNamespace

import pandas as pd
import pytest

from fedreact.tables.labels import Names, display

OF_ROLES = {"digits": "RTD", "eeg": "EEG", "sumo": "SUMO EV", "bonn": "Epilepsy", "har": "HAR"}


@pytest.mark.parametrize(
    ("label", "data", "shown"),
    [
        ("RTD - 10 clients", "pendigits", "Digits (pendigits; paper: RTD), 10 clients"),
        ("RTD 50 clients (acc)", "pendigits", "Digits (pendigits; paper: RTD), 50 clients (acc)"),
        ("RTD", "pendigits", "Digits (pendigits; paper: RTD)"),
        ("RTD - 10 clients", "rtd", "RTD, 10 clients"),
        ("RTD 50 clients", "rtd", "RTD 50 clients"),
        ("EEG - 10 clients", "eegmmidb", "EEG (eegmmidb), 10 clients"),
        ("SUMO EV (RMSE)", "sumo-ev", "SUMO EV (RMSE)"),
        ("Epilepsy 100", "bonn", "Epilepsy (bonn), 100"),
        ("HAR 30", "har", "HAR 30"),
        ("HHAR 9", "hhar", "HHAR 9"),  # no part of a longer name
        ("HAR, in time", "har+split=time", "HAR, in time"),
        ("10 clients (Stationary)", "pendigits", "10 clients (Stationary)"),
        ("gestures - 10 clients", "gestures", "gestures, 10 clients"),
        ("LSTM - FedAvg", "pendigits", "LSTM - FedAvg"),
    ],
)
def test_labels_name_the_data_that_stands_in(label, data, shown):
    assert display(label, data, OF_ROLES) == shown


def test_a_label_without_its_data_names_it_where_rows_hold_several():
    def names(*lines):
        cells = pd.DataFrame(lines, columns=["row", "column", "data", "n_seeds"])
        return Names(OF_ROLES).labels(cells, "row")

    rtd, others = ("RTD", "A", "pendigits", 3), ("Others", "A", "har", 3)
    assert names(("Others", "A", "har", 3)) == {"Others": "Others"}
    assert names(rtd, others) == {
        "RTD": "Digits (pendigits; paper: RTD)",
        "Others": "Others (har)",
    }
    assert names(rtd, ("HAR 30", "A", "har", 3))["HAR 30"] == "HAR 30"
    assert names(rtd, ("Lost", "A", "har", 0))["Lost"] == "Lost"  # nothing was rebuilt there
    assert names(others, ("Others", "B", "rtd", 3))["Others"] == "Others (har, rtd)"


def test_a_column_of_several_datasets_is_named_by_none():
    lines = [("a", "RTD", "pendigits", 3), ("b", "RTD", "har", 3)]
    cells = pd.DataFrame(lines, columns=["row", "column", "data", "n_seeds"])
    assert Names(OF_ROLES).labels(cells, "column") == {"RTD": "RTD"}


def test_datasets_have_their_registered_titles():
    registry = {
        "har": SimpleNamespace(title="UCI HAR, six activities"),
        "watch": SimpleNamespace(title="Watch, seven exercises"),
        "fitrec": SimpleNamespace(title="FitRec"),
    }
    names = Names.registered(OF_ROLES, registry)
    assert names.datasets(["har"]) == "UCI HAR, six activities (har)"
    assert names.datasets(["watch"]) == "Watch, seven exercises"
    assert names.datasets(["har", "watch"]) == "UCI HAR (har) and Watch"
    assert names.datasets(["har", "fitrec", "mine"]) == "UCI HAR (har), FitRec and mine"
