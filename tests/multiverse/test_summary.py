"""What universes say of claims."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fedreact.errors import UserError
from fedreact.multiverse import figures, report, summary
from fedreact.multiverse.summary import Design
from fedreact.multiverse.universe import draw

N = 64
CHOICES = [
    {"name": "methods.b.steps", "values": ["1", "100"], "default": 1},
    {"name": "C", "values": ["0.1", "1", "10"], "default": 1},
]
CLAIM = {"claim": "lead", "text": "A is ahead of B and C.", "setting": "ten", "sign": 1}
CLAIM |= {"pairs": [["a", "b"], ["a", "c"]], "published": 0.1, "margin": 0.025}
CELLS = [
    {"table": table, "setting": "ten", "method": method, "value": value}
    for table, values in {"one": (0.9, 0.7), "two": (0.9, 0.7), "three": (0.9, 0.9)}.items()
    for method, value in zip("ab", values)
]
CONTENT = {"choices": CHOICES, "settings": {"ten": N}, "claims": [CLAIM], "metric": "accuracy"}
CONTENT |= {"seed": 3, "cells": CELLS, "over": "methods.b.steps", "nearest": "one"}
DESIGN = Design.read(CONTENT)
(LEAD,) = DESIGN.claims


def values(steps):
    """B is far behind with one step and level with A with 100; C is always level."""
    return {"a": 0.9, "b": 0.9 if steps else 0.7, "c": 0.9}


@pytest.fixture
def universes(tmp_path):
    """Drawn universes, and tuned ones in which B takes 100 steps."""
    steps = draw(DESIGN.choices, N, 3)[:, 0]
    files = []
    for view, choices in (("drawn", steps), ("tuned", np.ones(8, int))):
        lines = [
            [number, 0, name, '{"steps": 100}' if view == "tuned" else "", value]
            for number, step in enumerate(choices)
            for name, value in values(step).items()
        ]
        table = pd.DataFrame(lines, columns=["universe", "seed", "method", "options", "accuracy"])
        folder = tmp_path / view / "ten"
        folder.mkdir(parents=True)
        half = table["universe"] < len(choices) // 2
        for i, part in enumerate((table[half], table[~half])):
            files.append(folder / f"part{i}.csv")
            part.to_csv(files[-1], index=False)
    return summary.read(files, DESIGN)


def test_universes_are_lines_with_their_choices_and_scores(universes):
    first = universes.iloc[0]
    place = draw(DESIGN.choices, N, 3)[0]
    assert first["methods.b.steps"] == DESIGN.choices[0].values[place[0]]
    assert first["accuracy.b"] == (0.9 if place[0] else 0.7)
    assert universes.groupby("view").size().to_dict() == {"drawn": N, "tuned": 8}
    assert universes.iloc[-1]["options.b"] == '{"steps": 100}'
    assert np.isnan(first["options.b"])


def test_what_is_kept_reads_as_it_was(universes):
    again = summary.read_kept(universes.to_csv(index=False), DESIGN)
    for view in ("drawn", "tuned"):
        before, now = (summary.effects(table, DESIGN, LEAD, view) for table in (universes, again))
        assert now[0] == pytest.approx(before[0])
        assert (now[1] == before[1]).all()


def test_effects_are_means_of_pairs(universes):
    effect, places = summary.effects(universes, DESIGN, LEAD, "drawn")
    assert effect == pytest.approx(np.where(places[:, 0] == 0, 0.1, 0.0))
    turned, _ = summary.effects(universes, DESIGN, replace(LEAD, sign=-1), "drawn")
    assert turned == pytest.approx(-effect)


@pytest.mark.campaign
def test_a_claim_holds_in_half_of_the_universes_and_in_no_tuned_one(universes):
    drawn, tuned = summary.of_claims(universes, DESIGN).to_dict("records")
    assert (drawn["universes"], drawn["holds"], drawn["reversed"]) == (N, 0.5, 0.0)
    assert drawn["negligible"] == pytest.approx(0.5)
    assert drawn["holds_low"] < 0.5 < drawn["holds_high"]
    assert (tuned["universes"], tuned["negligible"], tuned["median"]) == (8, 1.0, 0.0)
    made = report.summarise(universes, DESIGN)
    text = report.markdown(made, DESIGN, "quick")
    assert "| A is ahead of B and C. | ten | all universes | 64 | 0 | " in text
    assert report.TUNED in text
    alone = report.summarise(universes[universes["view"] == "drawn"], DESIGN)
    assert report.TUNED not in report.markdown(alone, DESIGN, "quick")
    assert "| +0.100 | 50% | 50% | 0% |" in text
    assert "| C | `C` | 0.1, **1**, 10 |" in text


def test_what_matters_is_found(universes):
    matters, pairs = summary.what_matters(universes, DESIGN)
    total = matters.set_index("choice")["total"]
    assert total["methods.b.steps"] == pytest.approx(1, abs=0.1)
    assert total["C"] < 0.05
    (pair,) = pairs.to_dict("records")
    assert (pair["choice"], pair["other"]) == ("methods.b.steps", "C")
    assert pair["both"] == pytest.approx(0, abs=0.05)
    assert len(figures.matrix(matters, pairs, DESIGN, "What matters").axes) == 2


def test_effects_are_shown_over_one_choice(universes):
    table = summary.over_choice(universes, DESIGN)
    assert table["value"].tolist() == ["1", "100"]
    assert table["median"].tolist() == pytest.approx([0.1, 0.0])
    assert table["universes"].sum() == N
    figures.over(table, DESIGN, "Claims over steps")


def test_nearest_universes_share_what_brings_them_near(universes):
    near, choices = summary.near_tables(universes, DESIGN)
    near = near.set_index("table")
    assert near["cells"].tolist() == [2, 2, 2]
    assert near.loc["one", "own_nearest"] == pytest.approx(0)
    assert near.loc["two", "nearest"] == pytest.approx(0)
    assert near.loc["two", "p"] < 0.01  # the same cells
    assert near.loc["three", "p"] > 0.99  # the other universes
    assert np.isnan(near.loc["one", "p"])
    steps = choices.set_index("choice").loc["methods.b.steps"]
    assert (steps["value"], steps["among_nearest"]) == ("1", 1.0)
    assert steps["among_all"] == pytest.approx(0.5)


def test_settings_with_few_universes_do_not_count_in_distances(universes, monkeypatch):
    """A cell on a setting that 4 universes run leaves a table its other cells, of all universes."""
    few = universes[universes["universe"] < 4].assign(setting="hundred")
    both = pd.concat([universes, few], ignore_index=True)
    more = {"table": "one", "setting": "hundred", "method": "a", "value": 0.9}
    design = Design.read(CONTENT | {"cells": [*CELLS, more]})
    for many, shown in ((N, [2, N]), (N + 1, [3, 4])):
        monkeypatch.setattr(summary, "MANY", many)
        near, _ = summary.near_tables(both, design)
        assert near.set_index("table").loc["one", ["cells", "universes"]].tolist() == shown


def test_choices_are_named_by_their_option_unless_two_have_the_same():
    one, two = CHOICES[0] | {"name": "methods.a.steps"}, CHOICES[0]
    labels = Design.read(CONTENT | {"choices": [one, *CHOICES]}).labels
    assert labels == {one["name"]: one["name"], two["name"]: two["name"], "C": "C"}
    assert DESIGN.labels == {"methods.b.steps": "steps", "C": "C"}


def test_few_universes_have_no_indices(universes):
    few = universes[universes["universe"] < 8]
    design = Design.read(CONTENT | {"settings": {"ten": 8}})
    made = report.summarise(few, design)
    assert made.matters.empty
    assert "Too few universes" in report.markdown(made, design, "smoke")
    figures.matrix(made.matters, made.pairs, design, "What matters")


def test_without_published_cells_nothing_is_near(universes):
    design = Design.read(CONTENT | {"cells": [], "over": "", "nearest": ""})
    made = report.summarise(universes, design)
    assert made.near.empty
    assert made.over.empty
    assert "nearest" not in report.markdown(made, design, "quick").lower()
    figures.over(made.over, design, "Claims over nothing")


def test_a_curve_is_of_a_claim_on_a_setting(universes):
    figure = figures.curve(universes, DESIGN, "lead", "ten", "quick")
    above, below = figure.axes
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert labels[0] == "holds: 50%"
    assert "each method at its best (8 universes)" in labels
    assert [label.get_text() for label in below.get_yticklabels()] == ["steps", "C"]
    with pytest.raises(UserError, match="lead compares nothing on hundred"):
        figures.curve(universes, DESIGN, "lead", "hundred", "quick")


def test_shares_add_up():
    shares = summary.shares(np.array([0.3, 0.02, -0.02, -0.3, 0.05]), 0.02)
    assert shares == pytest.approx({"holds": 0.4, "negligible": 0.4, "reversed": 0.2})
