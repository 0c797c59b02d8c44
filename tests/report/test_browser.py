"""The page in a browser: what is shown, links, cells, search, files, errors, requests, sizes.

Headless Chromium by its driver (tests/browser.py).
"""

import shutil
import time
from itertools import pairwise
from pathlib import Path

import pytest
from browser import NARROW, WIDE, Page
from report_of_papers import paper, report

from fedreact.report import content, page

pytestmark = pytest.mark.campaign


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the report of two papers."""
    place = tmp_path_factory.mktemp("report")
    second = paper(place, "toy", "Second paper", "pendigits", ledger=None, claims=None)
    given = report(paper(place), second)
    (place / "report.html").write_text(page.page(content.read(given.papers), given))
    return place


@pytest.fixture
def shown(driver, place):
    return Page(driver, place / "report.html")


def test_it_opens_quietly_and_asks_for_nothing_else(shown):
    assert shown.driver.title.endswith("rebuilt")
    assert [found.get_attribute("id") for found in shown.seen(".page")] == ["overview"]
    assert shown.complaints() == []
    assert shown.requests() == [shown.address]


def test_links_lead_to_pages_and_tables(shown):
    shown.one("nav.papers a[href='#toy']").click()
    assert [found.get_attribute("id") for found in shown.seen(".page")] == ["toy"]
    assert shown.one("nav.papers [aria-current]").text == "Second paper"
    shown.one(".contents a[href='#toy_table05']").click()
    place = shown.run("return document.getElementById('toy_table05').getBoundingClientRect().top")
    assert 0 <= place < WIDE[1]
    shown.run("history.back(); history.back()")
    time.sleep(0.3)
    assert [found.get_attribute("id") for found in shown.seen(".page")] == ["overview"]


def test_an_address_with_a_table_opens_its_paper(driver, place):
    shown = Page(driver, place / "report.html", anchor="#toy_table05")
    assert [found.get_attribute("id") for found in shown.seen(".page")] == ["toy"]


def test_a_cell_says_where_it_came_from(driver, place):
    shown = Page(driver, place / "report.html", anchor="#first_table05")
    shown.one("#first_table05-1 button").click()
    told = shown.one("dialog").text
    assert "RTD - 10 clients: SC" in told
    assert "Rebuilt\n0.7000, 95% interval 0.6752–0.7248" in told
    assert "seed 2\n0.71" in told
    assert "snakemake results/quick/tables/first_table05.csv" in told
    assert "sha256 " + "beef" * 16 in told
    assert "commit 0123456789ab" in told
    assert 'methods {"sc":{"memory":"none"}}' in told
    assert "read digits.csv" in told
    shown.one("dialog .close").click()
    assert not shown.seen("dialog")
    assert shown.complaints() == []


def test_cells_are_reached_by_keyboard(driver, place):
    from selenium.webdriver import Keys

    shown = Page(driver, place / "report.html", anchor="#first_table05")
    shown.run("document.querySelector('#first_table05-0 button').focus()")
    shown.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER)
    assert "RTD & more: SC" in shown.one("dialog").text
    shown.press(Keys.ESCAPE)
    assert not shown.seen("dialog")
    focused = shown.run("return document.activeElement.closest('td').id")
    assert focused == "first_table05-3"


def test_a_claim_leads_to_the_cells_behind_it(driver, place):
    shown = Page(driver, place / "report.html", anchor="#first-claim-a1-is-better")
    shown.one("#first-claim-a1-is-better summary").click()
    shown.one("#first-claim-a1-is-better td a").click()
    time.sleep(0.3)
    assert "RTD - 10 clients: A1" in shown.one("dialog").text


def test_the_search_finds_tables_claims_and_the_ledger(shown):
    box = shown.one("#search")
    box.send_keys("a1 beats")
    (first, *_) = shown.seen("#found li")
    assert first.text == "A1 beats SC & others. Claim, First paper"
    box.clear()
    box.send_keys("linkage")
    kinds = [found.text.split(", ")[0].split()[-1] for found in shown.seen("#found li")]
    assert "Ledger" in kinds
    box.clear()
    box.send_keys("accuracy", "\n")
    assert not shown.seen("#found")
    assert shown.seen("#first_table05") or shown.seen("#toy_table05")
    box.clear()
    box.send_keys("nothing like this")
    assert shown.one("#found").text == "0 found"
    assert shown.complaints() == []


def test_differences_to_the_reference_take_the_place_of_scores(driver, place):
    shown = Page(driver, place / "report.html", anchor="#first_table05")
    cell = shown.one("#first_table05-1 button")
    assert cell.text.startswith("≠ 0.700") or cell.text.startswith("=")
    shown.one("#first_table05 .gaps").click()
    assert cell.text == "−0.200 (−0.200 to −0.200)"


def test_files_are_kept_from_the_page_itself(driver, place, tmp_path):
    given = {"behavior": "allow", "downloadPath": str(tmp_path)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", given)
    alone = tmp_path / "alone.html"  # no folder of tables is beside it
    shutil.copy(place / "report.html", alone)
    shown = Page(driver, alone, anchor="#first_table05")
    for selector in ("#first_table05 .tools a[href$=csv]", "#first_table05 .tools a[href$=tex]"):
        shown.one(selector).click()
    shown.one("#first_fig01 .tools a[href$=png]").click()
    pairs = {f"first_{name}": place / f"first_{name}" for name in ("table05.csv", "fig01.png")}
    pairs["first_table05.tex"] = place / "first_table05.tex"
    deadline = time.monotonic() + 10
    while not all((tmp_path / name).is_file() for name in pairs):
        assert time.monotonic() < deadline, list(tmp_path.iterdir())
        time.sleep(0.05)
    time.sleep(0.2)
    for name, file in pairs.items():
        assert (tmp_path / name).read_bytes() == file.read_bytes(), name


def test_light_and_dark(shown):
    def back():
        return shown.run("return getComputedStyle(document.body).backgroundColor")

    first = back()
    shown.one("#theme").click()
    second = back()
    shown.one("#theme").click()
    assert back() == first != second


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("anchor", ["#overview", "#first", "#toy", "#data"])
def test_no_page_is_wider_than_the_screen(driver, place, size, anchor):
    shown = Page(driver, place / "report.html", size, anchor)
    assert shown.run("return document.documentElement.scrollWidth <= innerWidth")


def test_who_hears_the_page_is_told_all(shown):
    assert shown.run("return document.documentElement.lang") == "en"
    assert all(image.get_attribute("alt") for image in shown.all("img"))
    nameless = shown.run(
        "return [...document.querySelectorAll('a, button, input')].filter(e => "
        "!(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length"
        " || e.title || e.querySelector('[aria-label], title'))).length"
    )
    assert nameless == 0
    heads = shown.run("return document.querySelectorAll('thead th:not([scope])').length")
    assert heads == 0
    levels = shown.run(
        "return [...document.querySelectorAll('#first :is(h1,h2,h3,h4)')].map(e => +e.tagName[1])"
    )
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_all_of_it_is_printed(driver, shown):
    import base64

    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    pages = [found.get_attribute("id") for found in shown.seen(".page")]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert pages == ["overview", "first", "toy", "data"]
    assert base64.b64decode(driver.print_page()).startswith(b"%PDF")


def test_without_scripts_all_of_it_can_be_read(driver, place):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        shown = Page(driver, place / "report.html")
        pages = [found.get_attribute("id") for found in shown.seen(".page")]
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert pages == ["overview", "first", "toy", "data"]


@pytest.mark.workflow
def test_that_of_a_whole_paper_opens_in_a_second(driver, built):
    file = Path(built, "results/smoke/report.html")
    assert file.stat().st_size < 20e6
    took = []
    for _ in range(5):
        shown = Page(driver, file)
        timing = "const t = performance.timing; return t.loadEventEnd - t.navigationStart"
        took.append(shown.run(timing))
        assert shown.complaints() == []
        assert shown.requests() == [shown.address]
    assert min(took) < 1000
    for size in (WIDE, NARROW):
        shown = Page(driver, file, size, "#fed_react")
        assert shown.run("return document.documentElement.scrollWidth <= innerWidth")
