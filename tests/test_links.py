"""Every link of a page leads to a file of the project, and every anchor to a heading."""

import re
from functools import cache

import pytest
from helpers import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config/README.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parts[-2] != "site"),
    *sorted((ROOT / "reference").glob("*/*/*/*.md")),
]
PAGES = [path for path in PAGES if "templates" not in path.parts]
CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def links(text):
    """Targets of a page's links, without addresses of the web."""
    found = [first or second for first, second in LINK.findall(CODE.sub("", text))]
    return [link for link in found if not re.match(r"\w+:", link)]


@cache
def anchors(path):
    """Anchors of a page's headings, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    made: list[str] = []
    for heading in re.findall(r"^#{1,6} (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower().strip()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        n = sum(bool(re.fullmatch(rf"{re.escape(slug)}(-\d+)?", one)) for one in made)
        made.append(f"{slug}-{n}" if n else slug)
    return made


def broken(page, root=ROOT):
    """Links of a page that lead nowhere."""
    for link in links(page.read_text()):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        there = target.exists() and target.is_relative_to(root)
        if there and anchor:
            there = target.suffix == ".md" and anchor in anchors(target)
        if not there:
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_anchors_lead_somewhere(page):
    assert list(broken(page)) == []


def test_every_page_is_reached_from_the_readme():
    """By links between pages, so that none is lost."""
    todo, reached = [ROOT / "README.md"], set()
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        todo += [
            (page.parent / link.partition("#")[0]).resolve() for link in links(page.read_text())
        ]
    wanted = {page for page in PAGES if "reference" not in page.relative_to(ROOT).parts[:1]}
    assert wanted <= reached, sorted(str(page.relative_to(ROOT)) for page in wanted - reached)


def test_what_leads_nowhere_is_noticed(tmp_path):
    (tmp_path / "there.md").write_text(
        "# A `b`: c, d\n\n## Again\n\n## Again\n\n```text\n# none\n```\n"
    )
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#a-b-c-d) [c](there.md#again-1) [d](#here) `[x](no.md)`\n"
        '[e](no.md) [f](there.md#none) <img src="no.png"> [g](https://example.org)\n'
        "```yaml\n[y](no.md)\n```\n## Here\n[h](../outside.md)\n"
    )
    (tmp_path.parent / "outside.md").touch()
    assert list(broken(page, tmp_path)) == ["no.md", "there.md#none", "no.png", "../outside.md"]
