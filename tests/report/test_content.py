"""What the report knows of papers."""

import pandas as pd
import pytest
from report_of_papers import paper

from fedreact.report import content
from fedreact.report.sources import EffectsSource


def test_counts_of_cells_and_claims(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    assert found.n_cells == 8
    assert found.n_seeds == "3"
    assert found.verdicts == {"reproduced": 2, "differs": 2, "undecided": 0, "not-comparable": 0}
    assert found.outcomes == {"holds": 1, "negligible": 0, "reversed": 1, "undecided": 0}
    assert found.not_judged == ["IFCA is worst."]


def test_claims_know_their_cells_and_readings(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    better, worse = found.all_claims
    assert better.id == "first-claim-a1-is-better"
    assert better.whole.text == "+0.2000 (+0.2000 to +0.2000)"
    assert better.whole.published_text == "+0.1500"
    assert [line.cells for line in better.contrasts] == [
        ("first_table05-0", "first_table05-1"),
        ("first_table05-2", "first_table05-3"),
    ]
    assert better.scope == "weakest of 2: RTD - 10 clients"
    assert better.moved_by == [("linkage: average", "reversed")]
    assert worse.moved_by == []


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("fewer rounds", ("", "fewer rounds", "")),
        ("clustered: 20 rounds (paper: 60 to 200)", ("clustered", "20 rounds", "60 to 200")),
        ("full_10, full50: as a, b: c", ("full 10, full50", "as a, b: c", "")),
        ("3 seeds (paper: 5) of ten", ("", "3 seeds (paper: 5) of ten", "")),
        ("of each client: 20 rows", ("", "of each client: 20 rows", "")),
    ],
)
def test_what_is_unlike_the_paper_has_parts(line, parts):
    found = content.Unlike.read(line)
    assert (found.of, found.here, found.paper) == parts


def test_the_ledger_begins_with_what_moves_claims(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    first, second = found.ledger
    assert (first.name, second.name) == ("linkage", "rounds")
    ((claim, reading, outcome),) = first.moves
    assert (claim.name, reading, outcome) == ("a1-is-better", "average", "reversed")
    assert second.moves == []


def test_measured_effects_sort_the_ledger(tmp_path):
    line = {"assumption": "rounds", "taken": 60, "alternative": 5, "setting": "s10", "method": "a1"}
    line |= {"metric": "accuracy", "difference": -0.1, "ci_low": -0.12, "ci_high": -0.08}
    unclear = line | {"difference": -0.9, "ci_low": -2.0, "ci_high": 0.2}
    file = tmp_path / "effects.csv"
    pd.DataFrame([unclear, line]).to_csv(file, index=False)
    (found,) = content.read([paper(tmp_path, effects=EffectsSource(str(file), ""), claims=None)])
    assert [entry.name for entry in found.ledger] == ["rounds", "linkage"]
    assert found.ledger[0].effect == "−0.100 (−0.120 to −0.080) accuracy with 5 (s10, a1)"
    assert found.ledger[1].effect == ""


def test_figures_say_what_is_on_them(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    (figure,) = found.figures
    assert figure.heading == "Figure 1. What happens"
    assert figure.alt == "Plot: What happens. Panels: (a) RTD. Shown in each: A1, SC."
    assert figure.size == (3, 2)


def test_methods_are_told_by_their_files(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    (method,) = found.methods
    assert method.about.startswith("IFCA")
    assert method.options == "learning_rate: 0.3"
