"""The report: one page of one paper, or of several."""

import base64
import json
import re
from argparse import Namespace

import make_report
import pytest
from small_table import LAYOUT, METRICS, PUBLISHED, scores

from fedreact.tables import cells, origins, report

PNG = b"\x89PNG\r\n\x1a\n and what a picture holds"
LEDGER = {
    "linkage": {"question": "Which linkage?", "taken": "ward", "why": "It reads <so>."},
    "rounds": {"question": "How many rounds?", "taken": 60, "why": "As in Table 2."},
}


def paper(folder, prefix="", title="First paper", differences=("fewer rounds",), ledger=LEDGER):
    """A table and a figure, as the workflow leaves them."""
    folder.mkdir(exist_ok=True)
    csv, png = folder / f"{prefix}table05.csv", folder / f"{prefix}fig01.png"
    found = cells.build("table05", LAYOUT, cells.About(METRICS), PUBLISHED, scores(), [])
    found.to_csv(csv, index=False, float_format="%.6f")
    told = {"caption": f"Caption of {title}.", "notes": ["A first note.", "A second one."]}
    told |= {"reference": None}
    csv.with_suffix(origins.SUFFIX).write_text(json.dumps(told))
    png.write_bytes(PNG)
    return {
        "title": title,
        "tables": [str(csv)],
        "figures": {str(png): f"Figure of {title}"},
        "differences": list(differences),
        "ledger": ledger,
    }


@pytest.fixture
def one(tmp_path):
    return report.page([paper(tmp_path)], "smoke", "pendigits, eeg-sim")


@pytest.fixture
def two(tmp_path):
    first = paper(tmp_path)
    other = {"data": {"question": "Which data?", "taken": "digits", "why": "None is named."}}
    second = paper(tmp_path, "toy_", "Second paper", (), other)
    return report.page([first, second], "smoke", "pendigits")


def texts(page, tag):
    return [" ".join(x.split()) for x in re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, re.S)]


def test_a_page_of_one_paper(one):
    assert texts(one, "h1") == ["First paper: rebuilt"]
    assert "Scale <b>smoke</b>, data: <b>pendigits, eeg-sim</b>" in one
    assert "Unlike the paper: fewer rounds." in one
    assert texts(one, "h2") == ["table05", "fig01", "What the papers leave open"]
    assert "<p>Caption of First paper.</p>" in one
    assert '<p class="note">A first note.</p>' in one
    assert '<p class="note">A second one.</p>' in one


def test_tables_have_all_lines_and_verdicts_their_colour(one):
    rows = [texts(row, "td") for row in texts(one, "tr")]
    assert ["RTD - 10 clients", "published", "0.900", "0.750"] in rows
    assert ["RTD &amp; more", "published", "0.500", "0.600"] in rows
    assert ["", "verdict", "differs", "differs"] in rows
    assert one.count('<td class="reproduced">reproduced</td>') == 2
    assert one.count('<td class="differs">differs</td>') == 2
    assert 'class="metric" colspan="4">Accuracy</th>' in one


def test_figures_are_in_the_page(one):
    (tag,) = re.findall("<img[^>]*>", one)
    given = dict(re.findall(r'(\w+)="([^"]*)"', tag))
    assert given["alt"] == "Figure of First paper"
    kind, data = given["src"].split(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == PNG


def test_the_page_needs_no_other_file(two):
    assert {src[:5] for src in re.findall(r'src="([^"]*)"', two)} == {"data:"}
    assert all(href.startswith("#") for href in re.findall(r'href="([^"]*)"', two))
    assert not re.search(r"<link|<script|@import|url\(", two)


def test_each_link_leads_somewhere(two):
    links, places = re.findall(r'href="#([^"]*)"', two), re.findall(r'id="([^"]*)"', two)
    names = ["table05", "fig01", "toy_table05", "toy_fig01", "assumptions"]
    assert links == names
    assert sorted(places) == sorted(names)


def test_the_ledger_is_told_and_escaped(one):
    rows = [texts(row, "td") for row in texts(one, "tr")]
    assert ["Which linkage?", "ward", "It reads &lt;so&gt;."] in rows
    assert ["How many rounds?", "60", "As in Table 2."] in rows


def test_a_page_of_two_papers_has_a_heading_for_each(two):
    assert texts(two, "h1") == ["First paper; Second paper: rebuilt", "First paper", "Second paper"]
    first, second = two.split("<h1>Second paper</h1>")
    assert "Caption of First paper." in first
    assert "Caption of Second paper." in second
    assert "Unlike the paper: fewer rounds." in first
    assert "The paper's protocol." not in first
    assert "The paper's protocol." in second
    assert two.count("<img") == 2
    # The ledgers of both stand in one table below.
    (ledger,) = re.findall(r'<table class="ledger">(.*?)</table>', two, re.S)
    questions = [texts(row, "td")[0] for row in texts(ledger, "tr")[1:]]
    assert questions == ["Which linkage?", "How many rounds?", "Which data?"]


def test_the_command_reads_the_ledgers(tmp_path):
    (tmp_path / "ledger.yaml").write_text("seed: {question: Which seed?, taken: 0, why: Any.}")
    papers = [
        paper(tmp_path, ledger=str(tmp_path / "ledger.yaml")),
        paper(tmp_path, "toy_", "Second paper", ledger=None),
    ]
    args = Namespace(papers=json.dumps(papers), scale="smoke", data="d")
    args.output = tmp_path / "report.html"
    make_report.main(args)
    page = args.output.read_text()
    assert "<td>Which seed?</td><td>0</td><td>Any.</td>" in page
    assert page.count("<figure") == 2
