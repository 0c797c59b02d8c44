"""What the workflow tells the command that draws a figure, and the tables that figures ask for."""

import json

import pytest
from helpers import make_plan

from fedreact.errors import UserError
from fedreact.figures.looks import look
from fedreact.resolve.figure_inputs import Asked


@pytest.fixture(scope="module")
def plan(unchanged):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(unchanged)
        yield make_plan(scale="quick")


def option(words, name):
    return json.loads(words[words.index(name) + 1])


def test_figures_of_a_paper_share_their_looks(plan):
    words = {name: plan.outputs.figure_words(name) for name in ("fig08", "people_labels")}
    found = {name: option(of, "--looks") for name, of in words.items()}
    assert found["fig08"] == found["people_labels"]
    assert set(plan.settings.paper("fed_react").figures["fig08"].options.legend()) <= set(
        found["fig08"]
    )
    assert option(words["fig08"], "--names")["digits"] == "RTD"


def test_no_colour_stands_for_two_labels_in_a_figure(plan):
    for target, (paper, name) in plan.figures.items():
        labels = plan.settings.paper(paper).figures[name].options.legend()
        if not labels:
            continue  # nothing in it has a colour of its own
        placed = option(plan.outputs.figure_words(target), "--looks")
        assert len({look(placed[label]).colour for label in labels}) == len(labels), target


def test_a_figure_of_tables_is_made_from_their_csv_files(plan):
    files = plan.outputs.figure_files("published")
    assert files[0].endswith("tables/table02.csv")
    assert plan.outputs.datasets_of("published") == plan.outputs.datasets_of("table02")


def test_a_table_that_is_not_in_the_paper_is_refused(plan):
    with pytest.raises(UserError, match="fed_react: table 'table99' is unknown"):
        Asked(plan, "fed_react").table("table99")
