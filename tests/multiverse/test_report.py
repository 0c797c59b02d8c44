"""What universes say of claims."""

import numpy as np
import pandas as pd
import pytest

from fedreact.errors import UserError
from fedreact.multiverse import report
from fedreact.multiverse.curve import shares
from fedreact.multiverse.universe import draw

N = 64
CHOICES = [
    {"name": "methods.b.steps", "values": ["1", "100"], "taken": 1},
    {"name": "C", "values": ["0.1", "1", "10"], "taken": 1},
]
CLAIM = {"claim": "lead", "text": "A is ahead of B and C.", "setting": "ten", "sign": 1}
CLAIM |= {"pairs": [["a", "b"], ["a", "c"]], "published": 0.1, "margin": 0.025}
SHOWN = {"choices": CHOICES, "settings": {"ten": N}, "claims": [CLAIM], "metric": "accuracy"}
SHOWN |= {"seed": 3}


@pytest.fixture
def scores(tmp_path):
    """B is far behind with one step and level with A with 100, C always level."""
    places = draw(report.choices_of(CHOICES), N, 3)
    lines = []
    for number, (steps, _) in enumerate(places):
        values = {"a": 0.9, "b": 0.9 if steps else 0.7, "c": 0.9}
        lines += [[number, 0, name, value] for name, value in values.items()]
    table = pd.DataFrame(lines, columns=["universe", "seed", "method", "accuracy"])
    folder = tmp_path / "ten"
    folder.mkdir()
    half = table["universe"] < N // 2
    files = [folder / "part0.csv", folder / "part1.csv"]
    for file, part in zip(files, (table[half], table[~half])):
        part.to_csv(file, index=False)
    return report.read(files)


def test_effects_are_means_of_pairs(scores):
    found, places = report.of_claim(scores, SHOWN, CLAIM)
    assert found == pytest.approx(np.where(places[:, 0] == 0, 0.1, 0.0))
    turned = report.of_claim(scores, SHOWN, CLAIM | {"sign": -1})[0]
    assert turned == pytest.approx(-found)


def test_a_claim_holds_where_it_does_and_what_matters_is_found(scores):
    claims, matters = report.table(scores, SHOWN, 0)
    (line,) = claims.to_dict("records")
    assert (line["universes"], line["holds"], line["reversed"]) == (N, 0.5, 0.0)
    assert line["negligible"] == pytest.approx(0.5)
    total = matters.set_index("choice")["total"]
    assert total["methods.b.steps"] == pytest.approx(1, abs=0.1)
    assert total["C"] < 0.05
    text = report.markdown(claims, matters, SHOWN, "quick")
    assert "| A is ahead of B and C. | ten | 64 | " in text
    assert "| +0.100 | 50% | 50% | 0% | methods.b.steps " in text
    assert "| `C` | 0.1, **1**, 10 |" in text
    assert len(report.matrix(matters, "What matters").axes) == 1


def test_few_universes_have_no_indices(scores):
    few = scores[scores["universe"] < 8]
    claims, matters = report.table(few, SHOWN | {"settings": {"ten": 8}}, 0)
    assert matters.empty
    assert "too few universes" in report.markdown(claims, matters, SHOWN, "smoke")
    report.matrix(matters, "What matters")


def test_a_curve_is_of_a_claim_on_a_setting(scores):
    figure = report.curve_of(scores, SHOWN, "lead", "ten", "quick")
    above, below = figure.axes
    assert above.get_legend().get_texts()[0].get_text() == "holds: 50%"
    assert [label.get_text() for label in below.get_yticklabels()] == ["steps", "C"]
    with pytest.raises(UserError, match="lead compares nothing on hundred"):
        report.curve_of(scores, SHOWN, "lead", "hundred", "quick")


def test_shares_add_up():
    found = shares(np.array([0.3, 0.02, -0.02, -0.3, 0.05]), 0.02)
    assert found == pytest.approx({"holds": 0.4, "negligible": 0.4, "reversed": 0.2})
