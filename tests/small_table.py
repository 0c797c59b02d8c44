"""A small table that several test modules build: two settings, two methods, published values."""

import pandas as pd

from fedreact.tables.sources import CellSource

RESULTS = "results/quick"
TITLE = "Accuracy"
METRICS = ["accuracy", "rand"]
ROWS = {"RTD - 10 clients": "s10", "RTD & more": "s100"}
COLUMNS = {"A1": "a1", "SC": "sc"}
PUBLISHED = {
    "source": "Paper, Table 5",
    "data": "rtd",
    "metric": "accuracy",
    "columns": ["A1", "SC", "IFCA"],
    "rows": {"RTD - 10 clients": [0.9, 0.75, 0.701], "RTD & more": [0.50, 0.60, 0.7]},
    "unstated": {},
}
LOST = PUBLISHED | {"rows": {}, "unlabelled": [[0.9, 0.75, 0.701]]}
"""The same where the label of its row is lost."""


def folder(setting):
    """Folder of a setting's scores."""
    return f"{RESULTS}/runs/clustered/p/d/{setting}/all"


LAYOUT = [
    CellSource(row, column, folder(setting), method)
    for row, setting in ROWS.items()
    for column, method in COLUMNS.items()
]


def scores(data="rtd", seeds=(0, 1, 2)):
    """What would be read from the files of scores of all cells."""
    lines = []
    for setting in ROWS.values():
        for method, level in (("a1", 0.9), ("sc", 0.7)):
            for seed in seeds:
                of = [folder(setting), f"{folder(setting)}/seed{seed}.csv"]
                # Two rounds, 0.02 apart around the seed's mean.
                for t, shift in ((1, -0.01), (2, 0.01)):
                    accuracy = level + 0.01 * (seed - 1) + shift
                    lines.append([setting, data, seed, method, t, accuracy, 1.0, *of])
    columns = ["setting", "data", "seed", "method", "round", "accuracy", "rand", "folder", "file"]
    return pd.DataFrame(lines, columns=columns)
