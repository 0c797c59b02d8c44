"""The page as it is written; tests/report/test_browser.py has it in a browser."""

import html
import json
import re
from argparse import Namespace
from html.parser import HTMLParser

import make_report
import pytest
from report_of_papers import paper, report

from fedreact.reading import as_json
from fedreact.report import content, page


class Elements(HTMLParser):
    """All elements, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def values(self, name, *tags):
        return [of[name] for tag, of in self.found if name in of and (not tags or tag in tags)]


def made(*papers):
    given = report(*papers)
    return page.page(content.read(given.papers), given)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    place = tmp_path_factory.mktemp("two")
    second = paper(place, "toy", "Second paper", "pendigits", ledger=None, claims=None)
    return made(paper(place), second)


def text(page):
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


def test_the_first_screen_counts_what_was_rebuilt(two):
    first = text(two.split('id="overview"')[1].split('id="first"')[0])
    assert "First paper: and more" in first
    assert "Scale quick. All of it, shorter." in first
    assert "16 cells rebuilt, in 2 tables, beside 2 figures" in first
    assert "= 2 reproduced ≠ 2 differs ? 0 undecided – 4 not comparable" in first
    assert "1 hold 0 negligible 1 reversed 0 undecided 2 claims judged on these runs" in first
    assert "8 published values beside rebuilt ones" in first
    assert (
        "1 of 2 claims holds, 1 is reversed. "
        "Holds most clearly: A1 beats SC & others (at least +0.2000). "
        "Reversed most clearly: SC is better than A1 (RTD - 10 clients: -0.2000)."
    ) in html.unescape(first)
    assert "RTD: rtd" in first
    assert "RTD: pendigits" in first
    assert "commit 0123456789ab" in first


def test_what_is_unlike_the_paper_is_a_table(tmp_path):
    differences = ["fewer rounds", "sync_run: 20 rounds (paper: 60 to 200)"]
    page = made(paper(tmp_path, differences=differences, claims=None))
    unlike = page.split('<details class="unlike" open>')[1].split("</details>")[0]
    rows = [text(row) for row in re.findall(r"<tr>(.*?)</tr>", unlike, re.DOTALL)]
    assert rows == ["What Here Paper", "all fewer rounds", "sync run 20 rounds 60 to 200"]


def test_it_needs_no_other_file_and_no_network(two):
    elements = Elements(two)
    assert {src[:15] for src in elements.values("src")} == {"data:image/png;"}
    assert not {"link", "iframe", "object"} & {tag for tag, _ in elements.found}
    assert not re.search(r"@import|url\(|fetch\(|XMLHttp", two)
    outside = [href for href in elements.values("href") if href.startswith("http")]
    assert outside == ["https://example.org/digits"]  # a link to follow, not to load


def test_each_link_leads_somewhere_and_names_are_unique(two):
    elements = Elements(two)
    ids = elements.values("id")
    assert len(ids) == len(set(ids))
    links = [href[1:] for href in elements.values("href") if href.startswith("#")]
    assert set(links) <= set(ids)
    assert {"first_table05", "toy_fig01", "first-claim-a1-is-better"} <= set(ids)
    beside = {href for href in elements.values("href") if not href.startswith(("#", "http"))}
    assert {"tables/first_table05.csv", "tables/first_table05.tex"} < beside


def test_headings_are_titles(two):
    headings = re.findall(r"<h3[^>]*>(.*?)</h3>", two, re.DOTALL)
    shown = [text(heading) for heading in headings]
    assert "Table 5. Accuracy" in shown
    assert "Figure 1. What happens" in shown
    assert not [heading for heading in shown if "table05" in heading]


def test_texts_are_escaped(two):
    assert "RTD &amp; more" in two
    assert "It reads &lt;so&gt;." in two
    assert "A second one, 5 &lt; 6." in two
    details = two.split('id="details">')[1].split("</script>")[0]
    assert "<" not in details
    files = json.loads(details)["files"]
    assert files["toy_table05.tex"] == "\\begin{table} 5 < 6 \\end{table}\n"


def test_verdicts_are_told_without_colour(two):
    cell = re.search(r'<td id="first_table05-0".*?</td>', two, re.DOTALL)[0]
    assert 'class="reproduced"' in cell
    assert text(cell) == "= 0.900 0.875–0.925 published 0.900 reproduced"
    cell = re.search(r'<td id="toy_table05-0".*?</td>', two, re.DOTALL)[0]
    assert text(cell) == "0.900 0.875–0.925 published 0.900"


def test_the_same_inputs_give_the_same_bytes(tmp_path, two):
    place = tmp_path
    second = paper(place, "toy", "Second paper", "pendigits", ledger=None, claims=None)
    again = made(paper(place), second)
    moved = again.replace(str(place), "")
    assert len(moved) == len(re.sub(r"/[^\"]*two0", "", two))


def test_the_command_writes_page_and_document(tmp_path):
    args = Namespace(sources=as_json(report(paper(tmp_path))), output=tmp_path / "report.html")
    make_report.main(args)
    written = args.output.read_text(), args.output.with_suffix(".pdf").read_bytes()
    assert "Which linkage?" in written[0]
    assert written[1].startswith(b"%PDF-")
    make_report.main(args)
    assert args.output.read_text() == written[0]
    assert args.output.with_suffix(".pdf").read_bytes() == written[1]


def test_a_report_on_a_users_own_data_speaks_of_no_paper(tmp_path):
    own = paper(
        tmp_path,
        cite="nobody",
        claims=None,
        ledger=None,
        own=True,
        page="first.html",
        title="Walks",
    )
    shown = made(own)
    outside = [part for part in ("overview", "data") if f'id="{part}"' in shown]
    assert outside == ["overview", "data"]
    first = text(shown.split('id="overview"')[1].split('id="first"')[0])
    body = text(shown.split('id="first"')[1].split('id="first-tables"')[0])
    assert "Results on your data, scale quick" in shown
    assert 'href="first.html"' in shown
    assert "At this scale: fewer rounds" in body
    for words in ("rebuilt", "reproduced", "published", "nobody", "the paper", "papers"):
        assert words not in (first + body).lower(), words
