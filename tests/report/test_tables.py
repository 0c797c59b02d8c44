"""Tables as the report shows them."""

import pandas as pd
from report_of_papers import table

from fedreact.report import tables


def cell(block, row, column):
    labels = [label for label, _ in block.rows]
    return block.rows[labels.index(row)][1][block.columns.index(column)]


def test_a_block_a_metric_and_a_cell_with_all_in_it(tmp_path):
    found = tables.read(table(tmp_path, "table05"))
    assert found.heading == "Table 5. Accuracy"
    assert found.caption == "Rebuilt on rtd."
    accuracy, rand = found.blocks
    assert (accuracy.title, accuracy.better) == ("Accuracy", "higher")
    assert rand.columns == accuracy.columns == ["A1", "SC"]
    one = cell(accuracy, "RTD - 10 clients", "A1")
    assert (one.at, one.mean, one.published) == (0, "0.900", "0.900")
    assert one.ci == "0.875–0.925"
    assert (one.verdict, one.mark, one.best) == ("reproduced", "=", True)
    other = cell(accuracy, "RTD & more", "SC")
    assert (other.verdict, other.mark, other.best) == ("differs", "≠", False)
    assert other.gap == "−0.200 (−0.200 to −0.200)"
    assert found.gaps


def test_what_cannot_be_compared_has_no_sign(tmp_path):
    found = tables.read(table(tmp_path, "table05", data="pendigits"))
    one = cell(found.blocks[0], "RTD - 10 clients", "A1")
    assert (one.verdict, one.mark, one.published) == ("not-comparable", "", "0.900")


UNNAMED = {"row": {}, "column": {}}


def lines(rows, columns):
    return [
        {"row": r, "column": c, "metric": "accuracy", "data": "d", "mean": 0.5 + i / 100}
        | dict.fromkeys(["ci_low", "ci_high", "published", "verdict", "gap", "gap_low", "gap_high"])
        | {"n_seeds": 1}
        for i, (r, c) in enumerate((r, c) for r in rows for c in columns)
    ]


def test_columns_that_would_not_fit_are_rows():
    methods = [f"m{i}" for i in range(9)]
    (block,) = tables._blocks(lines(["a", "b"], methods), "column", UNNAMED)
    assert [label for label, _ in block.rows] == methods
    assert block.columns == ["a", "b"]
    assert block.corner == "Method"
    assert [row[0].best for _, row in block.rows] == [False] * 8 + [True]
    (block,) = tables._blocks(lines(["a", "b"], methods[:5]), "column", UNNAMED)
    assert [label for label, _ in block.rows] == ["a", "b"]
    assert block.corner == "Setting"


def test_labels_that_are_numbers_stay_texts(tmp_path):
    given = table(tmp_path, "table05")
    found = pd.read_csv(given.csv)
    found["row"] = found["row"].replace({"RTD - 10 clients": "10", "RTD & more": "NA"})
    found.to_csv(given.csv, index=False)
    block = tables.read(given).blocks[0]
    assert [label for label, _ in block.rows] == ["10", "NA"]
