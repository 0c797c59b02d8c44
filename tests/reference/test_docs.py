"""Pages that are made of kept runs: they agree with them, and no number is typed."""

import re

import pytest
from helpers import ROOT

from fedreact.errors import UserError
from fedreact.reference import docs
from fedreact.reference.docs import Reference, render

TEMPLATES = sorted((ROOT / "docs" / "templates").glob("*.md"))

# Decimals that are no results: section numbers, versions, addresses, options.
NO_RESULT = re.compile(
    r"`[^`]*`|\]\([^)]*\)|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|arXiv [\d.]+|\w/\d[\d.]+|Python [\d.]+"
    r"|(beta|r|q|C|w|gamma)( [<>]=?|=| =| at| of) ?[\d.]+|(appendix|section|ICLR) [A-Z]?[\d.]+"
    r"|eqs?\. [\d.]+\d( and [\d.]+\d)?"
    r"|95% (prediction )?intervals?",
    re.DOTALL,
)
TABLE = """table,row,column,metric,mean,ci_low,ci_high,published,gap,gap_low,gap_high,verdict
t,10 clients,A1,accuracy,0.98765,0.98,0.99,0.992,,,,not-comparable
t,10 clients,local,accuracy,0.9,0.85,0.95,,-0.08765,-0.1,-0.07,not-comparable
t,10 clients,local,rand,0.5,0.4,0.6,,,,,not-comparable
"""
CLAIMS = """claim,reading,at,right,metric,margin,outcome,difference,ci_low,ci_high
memory,,,,accuracy,0.005,holds,0.024,0.018,0.031
memory,elbow,,,accuracy,0.005,reversed,-0.1,-0.2,0.001
memory,,10 clients,local,accuracy,0.005,holds,0.03,0.02,0.04
equal,,,,rand,0.01,undecided,0,-1,1
lone,,,,rand,0.01,holds,0.5,,
silent,,,,rand,0.01,undecided,,,
"""


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_pages_agree_with_the_runs_that_are_kept(template):
    """After `make docs` they do; a page is edited in docs/templates/."""
    folder = ROOT if template.name == "README.md" else ROOT / "docs"
    page = render(template, ROOT / "reference")
    assert (folder / template.name).read_text() == page, "run: make docs"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_templates_have_no_typed_results(template):
    text = NO_RESULT.sub("", template.read_text())
    assert re.findall(r"(?<![\w.])\d*\.\d+|\d+ ?%", text) == []


def test_figures_that_pages_show_are_kept():
    for path in (ROOT / "reference").glob("*/*/run.json"):
        scale, paper, _ = path.relative_to(ROOT / "reference").parts
        for name in docs.shown(TEMPLATES, scale, paper):
            assert (path.parent / "figures" / f"{name}.png").is_file()


@pytest.fixture
def references(tmp_path):
    """A run that is kept, of one table and two claims."""
    folder = tmp_path / "quick" / "fed_react"
    for name, text in {"tables/t": TABLE, "claims/fed_react": CLAIMS}.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / f"{name}.csv").write_text(text)
    (folder / "run.json").write_text(
        '{"cpu_seconds": 5400.0, "steps": {"run clustered": {"jobs": 2, "cpu_seconds": 720.0}}}'
    )
    other = tmp_path / "quick" / "other"
    (other / "claims").mkdir(parents=True)
    (other / "claims/other.csv").write_text("claim,reading,at,outcome\nx,,,reversed\n")
    (other / "claims/other.md").write_text(
        "# Claims of Another\n\nJudged on sea.\n\nAt this scale: 3 seeds; a 4th. of x.\n"
    )
    (folder / "claims/fed_react.md").write_text("# Claims of it\n")
    (other / "run.json").write_text('{"data": {"sea": "0", "sky": "1"}}')
    (tmp_path / "speed").mkdir()
    (tmp_path / "speed" / "phase1.txt").write_text("21 steps/s\n")
    return tmp_path


def page(references, text):
    template = references / "page.md"
    template.write_text(text)
    return render(template, references).split("\n", 1)[1]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("quick.mean('t', '10 clients', 'A1')", "0.988"),
        ("quick.mean('t', '10 clients', 'local', 'rand', digits=1)", "0.5"),
        ("quick.interval('t', '10 clients', 'A1')", "0.988 (0.980 to 0.990)"),
        ("quick.gap('t', '10 clients', 'local')", "-0.088 (-0.100 to -0.070)"),
        ("quick.rows('t') | join", "10 clients"),
        ("quick.average('t', 'A1')", "0.98765"),
        ("quick.published('t', '10 clients', 'A1')", "0.992"),
        ("quick.claim('memory').outcome", "holds"),
        ("quick.claim('memory').text", "+0.024 (+0.018 to +0.031)"),
        ("quick.claim('memory', 'elbow').outcome", "reversed"),
        ("quick.claim('silent').outcome", "undecided"),
        ("quick.claim('memory', at='10 clients', right='local').text", "+0.030 (+0.020 to +0.040)"),
        ("quick.margins()", "0.005 in accuracy, 0.01 in rand"),
        ("quick.verdicts()['not-comparable']", "1"),
        ("quick.outcomes().holds", "2"),
        ("quick.outcomes().undecided", "2"),
        ("quick.hours()", "1.5"),
        ("quick.hours('run clustered')", "0.2"),
        ("quick.papers", "{'fed_react': 'it', 'other': 'Another'}"),
        ("quick.outcomes('other').reversed", "1"),
        ("quick.shorter('other')", "3 seeds; a 4th. of x"),
        ("quick.run_of('other').data | join(', ')", "sea, sky"),
        ("speed.phase1", "21 steps/s"),
    ],
)
def test_what_templates_may_ask_for(references, asked, text):
    assert page(references, f"It is {{{{ {asked} }}}}.\n") == f"It is {text}.\n"


def test_a_statement_that_the_numbers_contradict_is_refused(references):
    value = "quick.value('t', '10 clients', 'A1')"
    assert page(references, f"{{% do require({value} > 0.9, 'A1 is good') %}}\nx\n") == "x\n"
    with pytest.raises(UserError, match="no longer true: A1 is bad"):
        page(references, f"{{% do require({value} < 0.9, 'A1 is bad') %}}\n")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("quick.mean('t', '11 clients', 'A1')", "t.csv: has no line of row '11 clients', column"),
        ("quick.mean('u', '10 clients', 'A1')", "u.csv is not there; `make reference` keeps"),
        ("quick.claim('other').outcome", "has no line of claim 'other'"),
        ("quick.claim('silent').text", "has no attribute 'text'"),
        ("quick.claim('lone').text", "lone, rand: has no ci_low in the run"),
        ("quick.gap('t', '10 clients', 'A1')", "10 clients, A1, accuracy: has no gap in the run"),
        ("paper.mean('t', '10 clients', 'A1')", "'paper' is undefined"),
        ("speed.affect", "has no attribute 'affect'"),
        ("quick.shorter('fed_react')", "its claims do not say what is shorter"),
        ("1 +", "page.md, line 1"),
    ],
)
def test_what_is_not_kept_is_a_clear_error(references, asked, words):
    with pytest.raises(UserError, match=re.escape(words)):
        page(references, f"{{{{ {asked} }}}}")


def test_a_reference_names_its_scale(references):
    assert Reference(references / "quick").scale == "quick"
