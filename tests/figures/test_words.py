"""What the workflow tells the command that draws a figure, and the tables that figures ask for."""

import json

import pytest
from helpers import make_plan

from fedreact.errors import UserError
from fedreact.figures.looks import look
from fedreact.resolve.figure_inputs import FigureInputs


@pytest.fixture(scope="module")
def plan(unchanged):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(unchanged)
        yield make_plan(scale="quick")


def option(words, name):
    return json.loads(words[words.index(name) + 1])


def test_figures_of_a_paper_share_their_looks(plan):
    words, other = (
        plan.job("make_figure", figure=name).words for name in ("fig08", "people_labels")
    )
    looks = option(words, "--looks")
    assert looks == option(other, "--looks")
    labels = plan.settings.paper("fed_react").figures["fig08"].options.legend()
    assert set(labels) <= set(looks)
    assert option(words, "--names")["digits"] == "RTD"


def test_no_colour_stands_for_two_labels_in_a_figure(plan):
    for target, (paper, name) in plan.figures.items():
        labels = plan.settings.paper(paper).figures[name].options.legend()
        if not labels:
            continue  # nothing in it has a colour of its own
        placed = option(plan.job("make_figure", figure=target).words, "--looks")
        assert len({look(placed[label]).colour for label in labels}) == len(labels), target


def test_a_figure_of_tables_is_made_from_their_csv_files(plan):
    files = plan.job("make_figure", figure="published").inputs["files"]
    assert files[0].endswith("tables/table02.csv")
    assert plan.outputs.datasets_of("published") == plan.outputs.datasets_of("table02")


def test_a_table_that_is_not_in_the_paper_is_refused(plan):
    with pytest.raises(UserError, match="fed_react: table 'table99' is unknown"):
        FigureInputs(plan.experiments, "fed_react", None, None).table("table99")
