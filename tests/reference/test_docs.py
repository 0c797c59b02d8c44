"""Pages that are made of kept runs: they agree with them, and no number is typed."""

import re
import shutil
from pathlib import Path

import pytest
from helpers import ROOT

from fedreact.errors import UserError
from fedreact.reference import docs, store
from fedreact.reference.docs import Reference, pages, render

FOLDER = ROOT / "docs" / "templates"
PAGES = pages(FOLDER)
TEXTS = sorted(FOLDER.rglob("*.md"))

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
tiny,,,,rand,0.01,undecided,-0.0001,-12.06,9.96
"""
SCALE = """differences: [a night]
differences_of: {waves: [short], pendigits: [10 people], eegmmidb: [1 person]}
unlike:
  a: &few {clustered: [120 samples], synchronous: [3 seeds]}
  b: *few
  c: {clustered: []}
"""
SEARCH = """method,variant,taken,mean,ten+validate=true,hundred+validate=true
ifca,ifca+rate=1.0+steps=1,False,0.75,0.747,0.759
ifca,ifca+rate=0.3+steps=100,True,0.87,0.861,0.872
flsc,flsc,True,0.5,0.5,
"""


def named(path):
    return str(path.relative_to(FOLDER))


@pytest.mark.parametrize("template", PAGES, ids=named)
def test_pages_agree_with_the_runs_that_are_kept(template):
    """After `make docs` they do; a page is edited in docs/templates/."""
    made = render(template, ROOT / "reference", FOLDER)
    assert (ROOT / PAGES[template]).read_text() == made, "run: make docs"


@pytest.mark.parametrize("template", TEXTS, ids=named)
def test_templates_have_no_typed_results(template):
    text = NO_RESULT.sub("", template.read_text())
    assert re.findall(r"(?<![\w.])\d*\.\d+|\d+ ?%", text) == []


@pytest.mark.parametrize("template", TEXTS, ids=named)
def test_expressions_of_templates_have_no_typed_results(template):
    """A decimal of two digits is a result; bounds of conditions and options have one."""
    text = re.sub(r"beta = [\d.]+", "", template.read_text())
    inside = re.findall(r"\{\{.*?\}\}|\{%.*?%\}", text, re.DOTALL)
    assert [text for text in inside if re.search(r"(?<![\w.])\d*\.\d*[1-9]\d*[1-9]", text)] == []


def test_the_readme_fits_one_screen_and_every_paper_has_a_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120
    papers = {path.parent.parent.name for path in ROOT.glob("reference/*/*/claims/*.csv")}
    with_page = {path.stem for path in PAGES.values() if path.parent.name == "results"}
    assert with_page == papers - {"grand"}
    assert ROOT.joinpath("docs/benchmark.md").is_file()


@pytest.mark.parametrize("page", PAGES.values(), ids=str)
def test_links_from_pages_to_kept_files_lead_there(page):
    """From subfolders, too; links to other pages are the site's to check."""
    links = re.findall(r"\]\(([^)#:]+)[)#]", (ROOT / page).read_text())
    paths = [(ROOT / page).parent.joinpath(link).resolve() for link in links]
    kept = [path for path in paths if path.is_relative_to(ROOT / "reference")]
    assert [path for path in kept if not path.exists()] == []


def test_figures_that_pages_show_are_kept():
    for path in (ROOT / "reference").glob("*/*/run.json"):
        scale, paper, _ = path.relative_to(ROOT / "reference").parts
        for name in docs.shown(TEXTS, scale, paper):
            assert (path.parent / "figures" / f"{name}.png").is_file()


@pytest.fixture
def references(tmp_path):
    """Runs that are kept, of one table and some claims, and the configuration of one of them."""
    config = tmp_path / "config" / "papers" / "other"
    (config / "scales").mkdir(parents=True)
    (config / "paper.yaml").write_text("names_of_data: {pendigits: Digits}\n")
    (config / "claims.yaml").write_text("x: {source: section 4}\n")
    main = config.parent / "fed_react"
    main.mkdir()
    (main / "paper.yaml").write_text("margins: {accuracy: 0.005, rand: 0.01, rmse: 0.5}\n")
    sources = {"lone": "in no paper"}
    names = ("memory", "equal", "lone", "silent", "tiny")
    entries = [f"{name}: {{source: {sources.get(name, 'section 3')}}}" for name in names]
    (main / "claims.yaml").write_text("\n".join(entries))
    (config / "scales/quick.yaml").write_text(SCALE)
    shutil.copy(ROOT / "config/datasets.yaml", tmp_path / "config")
    for path in (ROOT / "config").glob("*.sha256"):
        shutil.copy(path, tmp_path / "config")
    tmp_path = tmp_path / "reference"
    folder = tmp_path / "quick" / "fed_react"
    for part in ("claims", "searches", "tables"):
        (folder / part).mkdir(parents=True)
    store.write(folder / store.TABLES, TABLE)
    (folder / "claims/fed_react.csv").write_text(CLAIMS)
    (folder / "searches/search.csv").write_text(SEARCH)
    (folder / "tables/t.md").write_text("Beware, t: 10 clients hold 8 train sets.\n")
    (folder / "run.json").write_text(
        '{"cpu_seconds": 5400.0, "steps": {"run clustered": {"jobs": 2, "cpu_seconds": 720.0}}}'
    )
    other = tmp_path / "quick" / "other"
    (other / "claims").mkdir(parents=True)
    (other / "claims/other.csv").write_text("claim,reading,at,outcome\nx,,,reversed\n")
    (other / "claims/other.md").write_text("# Claims of Another\n\nJudged on sea.\n")
    (folder / "claims/fed_react.md").write_text("# Claims of it\n")
    (other / "run.json").write_text('{"data": {"sea": "0", "pendigits+x=1": "1"}}')
    (tmp_path / "speed").mkdir()
    (tmp_path / "speed" / "phase1.txt").write_text("21 steps/s\n")
    return tmp_path


def page(references, text, name="page.md"):
    template = references / "templates" / name
    template.parent.mkdir(parents=True, exist_ok=True)
    template.write_text(text)
    return render(template, references, references / "templates").split("\n", 1)[1]


MEANS = """table,row,column,metric,data,mean,ci_low,ci_high
o_all,"digits, drawn",Ours,accuracy,pendigits,0.9,0.88,0.92
o_all,"digits, drawn",Constant,accuracy,pendigits,0.1,0.1,0.1
o_all,"digits, writers",Ours,accuracy,pendigits+owners=8,0.7,0.68,0.72
o_all,"digits, writers",Constant,accuracy,pendigits+owners=8,0.1,0.1,0.1
o_all,har,Ours,accuracy,har,0.6,0.58,0.62
o_all,har,Constant,accuracy,har,0.2,0.2,0.2
o_all,eeg,Ours,accuracy,eegmmidb,0.803,0.7,0.9
o_all,eeg,Constant,accuracy,eegmmidb,0.812,0.8,0.82
o_all,eeg,Ours,gflops,eegmmidb,9,,
"""


@pytest.mark.parametrize(
    ("means_over", "expression", "text"),
    [
        # By hand: pendigits has (0.9 + 0.7) / 2 = 0.8, and (0.8 + 0.6) / 2 = 0.7.
        ("datasets", "quick.average('o_all', 'Ours') | round(4)", "0.7"),
        ("datasets", "quick.counted('o_all')", "[['digits, drawn', 'digits, writers'], ['har']]"),
        ("datasets", "quick.flagged('o_all')", "['eeg']"),
        ("datasets", "quick.flagged('o_all', 'gflops')", "[]"),
        # (0.9 + 0.7) / 2, without HAR, and (0.9 + 0.6) / 2, without writers.
        ("datasets", "quick.average('o_all', 'Ours', ('har',)) | round(4)", "0.8"),
        ("datasets", "quick.average('o_all', 'Ours', ('digits, writers',)) | round(4)", "0.75"),
        # (0.9 + 0.7 + 0.6 + 0.803) / 4.
        ("datasets", "quick.average('o_all', 'Ours', every=true) | round(5)", "0.75075"),
        ("rows", "quick.average('o_all', 'Ours') | round(5)", "0.75075"),
        ("rows", "quick.flagged('o_all')", "['eeg']"),
    ],
)
def test_means_over_rows_count_what_their_paper_says(references, means_over, expression, text):
    config = references.parent / "config/papers/other"
    about = f"prefix: o_\ntrivial: [Constant]\nmeans_over: {means_over}\n"
    (config / "paper.yaml").write_text(about)
    (config / "tables.yaml").write_text("all: {reference: Ours}\n")
    store.write(references / "quick/other" / store.TABLES, MEANS)
    assert page(references, f"{{{{ {expression} }}}}") == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("quick.mean('t', '10 clients', 'A1')", "0.988"),
        ("quick.mean('t', '10 clients', 'local', 'rand', digits=1)", "0.5"),
        ("quick.interval('t', '10 clients', 'A1')", "0.988 (0.980 to 0.990)"),
        ("quick.gap('t', '10 clients', 'local')", "-0.088 (-0.100 to -0.070)"),
        ("quick.rows('t') | join", "10 clients"),
        ("quick.average('t', 'A1')", "0.98765"),
        ("quick.cell('t', '10 clients', 'A1')", "0.988 ± 0.005 [0.992]"),
        ("quick.cell('t', '10 clients', 'local', digits=2)", "0.90 ± 0.05"),
        ("quick.claim('tiny', digits=1).text", "+0.0 (-12.1 to +10.0)"),
        ("quick.searched('ifca', 'ten')", "0.861"),
        ("quick.searched('ifca', 'hundred', rate=1.0, steps=1)", "0.759"),
        ("quick.searched('flsc', 'ten', search='search')", "0.5"),
        ("quick.note('tables/t.md', 'clients hold ([0-9]+)')[1]", "8"),
        ("minutes('make tables')", "None"),
        ("quick.sums().holds, quick.sums().values() | sum", "(1, 5)"),
        ("quick.sums(own=True).holds, quick.sums(own=True).values() | sum", "(1, 1)"),
        ("quick.sums().values() | min", "1"),
        ("quick.published('t', '10 clients', 'A1')", "0.992"),
        ("quick.claim('memory').outcome", "holds"),
        ("quick.claim('memory').text", "+0.024 (+0.018 to +0.031)"),
        ("quick.claim('memory', 'elbow').outcome", "reversed"),
        ("quick.claim('silent').outcome", "undecided"),
        ("quick.claim('memory', at='10 clients', right='local').text", "+0.030 (+0.020 to +0.040)"),
        ("quick.margins()", "0.005 in accuracy, 0.01 in rand"),
        ("quick.verdicts()['not-comparable']", "1"),
        ("quick.outcomes().holds, quick.outcomes(own=True).holds", "(1, 1)"),
        ("quick.outcomes().undecided", "3"),
        ("quick.hours()", "1.5"),
        ("quick.hours('run clustered')", "0.2"),
        ("quick.papers", "{'fed_react': 'it', 'other': 'Another'}"),
        ("quick.outcomes('other').reversed", "1"),
        ("quick.unlike('other') | list", "['everything', 'waves', 'Digits', 'settings a, b']"),
        ("quick.unlike('other').Digits", "['10 people']"),
        ("quick.unlike('other')['settings a, b'] | join('; ')", "120 samples; 3 seeds"),
        ("quick.run_of('other').data | join(', ')", "sea, pendigits+x=1"),
        ("speed.phase1", "21 steps/s"),
    ],
)
def test_what_templates_may_ask_for(references, expression, text):
    assert page(references, f"It is {{{{ {expression} }}}}.\n") == f"It is {text}.\n"


MANY = """claim,reading,at,right,difference,ci_low,ci_high,published,over,outcome
two,,,,0.02,0.01,0.03,0.1,every,reversed
two,,ten,IFCA,-0.01,-0.02,0,0.05,,reversed
two,,hundred,IFCA,0.05,0.04,0.06,0.15,,holds
two,other,ten,IFCA,-0.5,-0.6,-0.4,0.05,,reversed
mean,,,,0.02,0.01,0.03,0.1,average,holds
mean,,ten,IFCA,-0.01,-0.02,0,0.05,,reversed
mean,,hundred,IFCA,0.05,0.04,0.06,0.15,,holds
one,,,,0.02,0.01,0.03,,every,holds
one,,ten,IFCA,0.02,0.01,0.03,,,holds
"""


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        # All must hold: their range, without that of another reading. Else the mean decides.
        ("two", "-0.010 to +0.050, 2 comparisons; +0.050 to +0.150"),
        ("mean", "+0.020 (+0.010 to +0.030); +0.100"),
        ("one", "+0.020 (+0.010 to +0.030); none"),
    ],
)
def test_a_mean_that_decides_nothing_is_not_shown(references, claim, text):
    (references / "quick/fed_react/claims/fed_react.csv").write_text(MANY)
    shown = page(
        references,
        f"{{% set c = quick.judged('{claim}') %}}\n{{{{ c.text }}}}; {{{{ c.printed }}}}\n",
    )
    assert shown.strip() == text


def test_a_statement_that_the_numbers_contradict_is_refused(references):
    value = "quick.value('t', '10 clients', 'A1')"
    assert page(references, f"{{% do require({value} > 0.9, 'A1 is good') %}}\nx\n") == "x\n"
    with pytest.raises(UserError, match="no longer true: A1 is bad"):
        page(references, f"{{% do require({value} < 0.9, 'A1 is bad') %}}\n")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("quick.mean('t', '11 clients', 'A1')", "t.csv: has no line of row '11 clients', column"),
        ("quick.mean('u', '10 clients', 'A1')", "u.csv is not there; `make reference` keeps"),
        ("quick.claim('other').outcome", "has no line of claim 'other'"),
        ("quick.claim('silent').text", "has no attribute 'text'"),
        ("quick.claim('lone').text", "lone, rand: has no ci_low in the run"),
        ("quick.gap('t', '10 clients', 'A1')", "10 clients, A1, accuracy: has no gap in the run"),
        ("paper.mean('t', '10 clients', 'A1')", "'paper' is undefined"),
        ("speed.affect", "has no attribute 'affect'"),
        ("quick.searched('ifca', 'ten', steps=1)", "search.csv: has no ifca with steps=1"),
        ("quick.searched('fedavg', 'ten')", "search.csv: has no fedavg that was chosen"),
        ("quick.searched('flsc', 'hundred')", "has no hundred+validate=true in the run"),
        ("quick.note('tables/t.md', 'nine')", "t.md: has no text like nine"),
        ("quick.note('tables/u.md', 'nine')", "u.md is not there; `make reference` keeps"),
        ("quick.unlike('fed_react')", "scales/quick.yaml: no such file"),
        ("1 +", "page.md, line 1"),
    ],
)
def test_what_is_not_kept_is_a_clear_error(references, expression, words):
    with pytest.raises(UserError, match=re.escape(words)):
        page(references, f"{{{{ {expression} }}}}")


def test_a_reference_names_its_scale(references):
    assert Reference(references / "quick").scale == "quick"


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("README.md", "reference/quick/t.csv docs/results/x.md"),
        ("findings.md", "../reference/quick/t.csv results/x.md"),
        ("results/x.md", "../../reference/quick/t.csv x.md"),
    ],
)
def test_a_page_finds_files_from_where_it_lies(references, name, way):
    text = '{{ link("reference/quick/t.csv") }} {{ link("docs/results/x.md") }}'
    assert page(references, text, name) == way


def test_a_template_of_a_subfolder_may_use_macros_of_all(references):
    page(
        references, '{% macro to(x) %}[{{ x }}]({{ link("docs/" ~ x) }}){% endmacro %}', "_parts.md"
    )
    text = '{% from "_parts.md" import to %}{{ to("a.md") }}'
    assert page(references, text, "results/x.md") == "[a.md](../a.md)"
    assert page(references, text, "x.md") == "[a.md](a.md)"
    templates = references / "templates"
    assert pages(templates) == {
        templates / "results/x.md": Path("docs/results/x.md"),
        templates / "x.md": Path("docs/x.md"),
    }


def test_minutes_of_the_main_job_are_those_of_its_command(references):
    speed = references / "speed" / "main_job.txt"
    speed.write_text("make tables: 13.4 min\nmake test: 5.8 min\non a machine\n")
    assert page(references, "{{ minutes('make test') }}") == "5.8"
    with pytest.raises(UserError, match=r"main_job\.txt has the minutes of make"):
        page(references, "{{ minutes('make') }}")
