"""What models cost: Table 12's parameters, and FLOPs and bytes."""

import pandas as pd
import pytest
from helpers import ROOT
from small_studies import ARCHITECTURES, by_labels

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.studies import costs
from fedreact.tables import cells
from fedreact.tables import published as values

WEIGHTS, FLOPS = "Number of Parameters (K)", "FLOPs (M)"
BYTES = "Sent and received by a client in a round (MB)"


@pytest.fixture(scope="module")
def found():
    return by_labels(costs.Costs(ARCHITECTURES))


def test_parameters_are_those_of_table_12(found):
    assert list(found[WEIGHTS].values()) == pytest.approx([156.59, 398.346, 131.05, 89.13])


def test_a_table_of_them_reproduces_the_published_numbers(found):
    published = ROOT / "config/papers/fed_react/published/table12.yaml"
    lines = [[row, column, value] for row in found for column, value in found[row].items()]
    table = cells.computed(
        "table12",
        pd.DataFrame(lines, columns=costs.Costs.COLUMNS),
        values.read(published),
    ).set_index(["row", "column"])
    # The other sizes were found from their counts, so that these say nothing.
    assert table.loc[WEIGHTS, "verdict"].to_dict() == {
        "Causal CNN": "not-comparable",
        "LSTM": "reproduced",
        "Patch TST": "not-comparable",
        "Times Net": "not-comparable",
    }
    assert (table.loc[WEIGHTS, "difference"].abs() < 0.005).all()
    assert (
        table.loc[FLOPS, "verdict"] == "differs"
    ).all()  # src/fedreact/studies/costs.py says why
    assert table["published"].notna().groupby("row").all().to_dict() == {
        WEIGHTS: True,
        FLOPS: True,
        BYTES: False,
    }


def test_flops_are_twice_the_multiply_adds(found):
    assert list(found[FLOPS].values()) == pytest.approx([20.2368, 78.72512, 8.726016, 14.3968])


def test_a_client_gets_and_sends_all_weights_once_a_round(found):
    assert found[BYTES]["LSTM"] == pytest.approx(2 * 398_346 * 4 / 1e6)


def test_bytes_of_a_round_go_both_ways():
    assert costs.bytes_per_round(156_590, n_clients=10) == 2 * 10 * 4 * 156_590
    assert costs.bytes_per_round(1000, n_clients=3, bytes_per_weight=2) == 12_000


def test_lines_come_row_by_row_in_the_order_of_the_labels(found):
    assert list(found) == [WEIGHTS, FLOPS, BYTES]
    assert all(list(of_row) == list(ARCHITECTURES) for of_row in found.values())


def test_series_and_task_are_options():
    found = by_labels(costs.Costs({"L": "lstm"}, channels=1, steps=7, outputs=2))
    lstm = plugins.load("models/architectures", "lstm", "ARCHITECTURE")(
        in_channels=1, length=7, n_out=2
    )
    assert found[WEIGHTS]["L"] == lstm.n_parameters / 1e3
    assert found[FLOPS]["L"] == 2 * lstm.multiply_adds() / 1e6


def test_its_code_is_that_of_the_architectures():
    files = list(plugins.named(costs.Costs(ARCHITECTURES)))
    assert [name for _, name, _ in files] == list(ARCHITECTURES.values())
    assert all(plugins.find(*of).is_file() for of in files)


def test_options_are_checked():
    given = {"kind": "costs", "architectures": ARCHITECTURES}
    made = plugins.make("studies", given | {"channels": 2}, "STUDY", "here")
    assert made == costs.Costs(ARCHITECTURES, channels=2)
    unknown = {"architectures": {"R": "resnet"}}
    for wrong in ({"channels": 0}, {"steps": "many"}, {"stepss": 3}, unknown):
        with pytest.raises(UserError, match="here"):
            plugins.make("studies", given | wrong, "STUDY", "here")


def test_nothing_depends_on_seeds(found):
    assert by_labels(costs.Costs(ARCHITECTURES), seeds=[3, 4]) == found
