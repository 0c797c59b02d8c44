"""The pages for a browser: all are there, links lead somewhere, nothing is asked of others."""

import fnmatch
import html
import re
import sys
from html.parser import HTMLParser
from itertools import product
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest
from bad_input import call
from browser import NARROW, WIDE, Page
from helpers import ROOT, command

import fedreact
from fedreact.errors import UserError
from fedreact.reference import store
from fedreact.reference.site import pages as pages_of
from fedreact.reference.site import stage

PAGES = [str(path.relative_to(ROOT).with_suffix("")) for path in pages_of(ROOT)]


# ---- What is laid out ---------------------------------------------------------------------------


def written(folder, **files):
    """A project of a few files; names have dashes for slashes."""
    for name, text in {"docs--site--contents.md": "", "README.md": "", **files}.items():
        path = folder / "project" / name.replace("--", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    stage(folder / "project", folder / "pages")
    return {
        str(path.relative_to(folder / "pages")): path.read_bytes().decode()
        for path in (folder / "pages").rglob("*")
        if path.is_file()
    }


def test_links_between_pages_stay_and_those_to_files_become_pages(tmp_path):
    pages = written(tmp_path, **{
        "README.md": "[A](docs/a.md#x) [B](docs/deep/b.md) [C](CONTRIBUTING.md) [L](LICENSE) "
        "[o](https://example.org/b.md) [h](#here)",
        "docs--a.md": "[C](../code) ![P](p.png) <img src=\"../q.png\"> [back](../README.md#top)",
        "docs--deep--b.md": "[up](../a.md#y) [R](../../README.md) [T](../templates/t.md)",
        "docs--templates--t.md": "{{ 1 }}",
        "CONTRIBUTING.md": "[B](docs/deep/b.md)",
        "docs--site--contents.md": "all of it",
        "docs--site--api.rst": "API",
        "docs--p.png": "p",
        "q.png": "q",
        "code--c.py": "x = [0](1)\n",
        "code--deeper--numbers.csv": "1,2",
        "code--deeper--notes.md": "[C](../c.py)",
        "LICENSE": "```\nfree\n",
        "unseen.py": "",
    })  # fmt: skip
    assert pages.keys() == {
        *("index.md", "docs/a.md", "docs/api.rst", "docs/p.png", "q.png", "files/LICENSE.md"),
        *("docs/deep/b.md", "CONTRIBUTING.md", "files/docs/templates/t.md.md"),
        *("files/code/index.md", "files/code/c.py.md", "files/code/deeper/notes.md.md"),
    }
    assert pages["index.md"] == (
        "[A](docs/a.md#x) [B](docs/deep/b.md) [C](CONTRIBUTING.md) [L](files/LICENSE.md) "
        "[o](https://example.org/b.md) [h](#here)\nall of it"
    )
    assert pages["docs/deep/b.md"] == (
        "[up](../a.md#y) [R](../../index.md) [T](../../files/docs/templates/t.md.md)"
    )
    assert pages["docs/a.md"] == (
        '[C](../files/code/index.md) ![P](p.png) <img src="../q.png"> [back](../index.md#top)'
    )
    assert pages["files/code/c.py.md"].endswith("# `code/c.py`\n\n```python\nx = [0](1)\n```\n")
    assert pages["files/LICENSE.md"].endswith("````text\n```\nfree\n````\n")
    folder = pages["files/code/index.md"]
    assert "- [`c.py`](c.py.md)\n- [`deeper/notes.md`](deeper/notes.md.md)\n" in folder
    assert "- `deeper/numbers.csv`\n" in folder
    assert pages["files/code/deeper/notes.md.md"].endswith("[C](../c.py.md)")
    assert all(
        text.startswith("---\norphan") == name.startswith("files") for name, text in pages.items()
    )


@pytest.mark.parametrize("link", ["nowhere.md", "../outside", "src"])
def test_a_link_to_nothing_is_one_clear_line(tmp_path, link):
    (tmp_path / "outside").touch()
    with pytest.raises(UserError, match=rf"a\.md: links to {link}, which is not in the project"):
        written(tmp_path, **{"docs--a.md": f"[x]({link})"})


def test_every_link_of_the_project_leads_to_a_file(tmp_path):
    stage(ROOT, tmp_path)
    laid = [path.relative_to(tmp_path).with_suffix("") for path in tmp_path.glob("docs/**/*.md")]
    assert {*map(str, laid), "CONTRIBUTING"} == set(PAGES)
    contents = (tmp_path / "index.md").read_text().split("```{toctree}", 1)[1]
    listed = re.findall(r"^((?:docs/|CONTRIBUTING)\S*)$", contents, re.MULTILINE)
    there = [*PAGES, "docs/api", "docs/benchmark_page"]
    assert all(name in there or "*" in name for name in listed)
    assert sorted(name for name in listed for name in fnmatch.filter(there, name)) == sorted(there)


def test_the_api_names_every_part():
    text = (ROOT / "docs/site/api.rst").read_text()
    named = re.findall(r"^\.\. auto\w+:: fedreact\.(\w+)(?:\(\))?$", text, re.MULTILINE)
    assert sorted(named) == sorted(fedreact.PARTS)


def test_a_folder_that_is_no_site_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years")
    status, printed = call("make_site.py", tmp_path, "--project", ROOT)
    assert (status, printed) == (2, f"error: {tmp_path}: is not a site; name another folder\n")
    assert (tmp_path / "thesis.tex").read_text() == "years"


def test_without_sphinx_it_is_said_what_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sphinx.cmd.build", None)
    status, printed = call("make_site.py", tmp_path / "site", "--project", ROOT)
    assert status == 2
    assert printed == "error: Sphinx is not installed; `make docs-site` installs it\n"
    assert list(tmp_path.iterdir()) == []


# ---- What is built ------------------------------------------------------------------------------


class Html(HTMLParser):
    """What a page links to, loads, and has names for."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.names, self.text = [], [], [""], path.read_text()
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "href" in attrs:
            is_link = tag != "link" or attrs["rel"] in ("index", "search", "next", "prev")
            (self.links if is_link else self.loads).append(attrs["href"])
        self.loads += [attrs[name] for name in ("src", "srcset", "data", "poster") if name in attrs]
        self.names += [attrs[name] for name in ("id", "name") if name in attrs]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors."""
    pytest.importorskip("sphinx", reason="make docs-site installs Sphinx")
    folder = tmp_path_factory.mktemp("site") / "made"
    folder.mkdir()
    for name in (".buildinfo", "of_a_former_site.html"):
        (folder / name).touch()
    printed, status = command("python", "scripts/make_site.py", str(folder), cwd=ROOT)
    assert status == 0, printed
    assert printed == f"open {folder / 'index.html'}\n"
    assert [path.name for path in folder.parent.iterdir()] == ["made"]
    assert not (folder / "of_a_former_site.html").exists()
    return folder


@pytest.fixture(scope="module")
def pages(site):
    own = site / "benchmark.html"  # tests/benchmark/ has its links
    return {path: Html(path) for path in site.rglob("*.html") if path != own}


@pytest.mark.campaign
def test_each_page_is_there_and_in_the_contents_of_each(site, pages):
    wanted = [site / f"{name}.html" for name in [*PAGES, "docs/api", "docs/benchmark_page"]]
    assert len(wanted) > 20
    for path in [site / "index.html", *wanted]:
        linked = {(path.parent / link.split("#")[0]).resolve() for link in pages[path].links}
        assert {*wanted, site / "index.html"} - {path} <= linked, path


@pytest.mark.campaign
def test_every_link_and_anchor_leads_somewhere(site, pages):
    n = 0
    for path, page in pages.items():
        for link in page.links:
            to = urlsplit(link)
            if to.scheme in ("http", "https"):
                continue
            assert not to.scheme, link
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            assert target.is_file(), (path, link)
            assert target.is_relative_to(site)
            if target in pages:
                assert unquote(to.fragment) in pages[target].names, (path, link)
                n += bool(to.fragment)
    assert n > 500


@pytest.mark.campaign
def test_nothing_is_loaded_from_elsewhere(site, pages):
    for path, page in pages.items():
        for link in page.loads:
            assert not urlsplit(link).scheme, (path, link)
            assert not urlsplit(link).netloc, (path, link)
            file = path.parent / unquote(urlsplit(link).path)
            assert file.is_file(), (path, link)
    for path in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", path.read_text()), path


@pytest.mark.campaign
def test_the_api_has_every_part_with_what_its_docstring_says(site, pages):
    api = pages[site / "docs/api.html"]
    assert {f"fedreact.{name}" for name in fedreact.PARTS} <= set(api.names)
    for words in ("Parameters", "Returns", "Raises", "Attributes"):
        assert f">{words}<" in api.text
    sources = [link for link in api.links if "_modules/fedreact/" in link]
    assert len(sources) >= len(fedreact.PARTS)


@pytest.mark.campaign
def test_it_has_the_benchmark_of_the_kept_run(site, pages):
    rows = set(pd.read_csv(store.table(ROOT / "reference/quick/grand", "grand_labels"))["row"])
    text = (site / "benchmark.html").read_text()
    assert rows
    assert all(html.escape(row) in text for row in rows)
    assert "../benchmark.html" in pages[site / "docs/benchmark_page.html"].links


SHOWN = [
    "index",
    "docs/howto/own_data",
    "docs/reference/contracts",
    "docs/errata",
    "docs/results",
    "docs/speed",
    "docs/api",
    "files/config/papers/fedst/index",
]


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "size"), [*product(SHOWN, (WIDE, NARROW))])
def test_pages_open_quietly_fit_the_screen_and_ask_for_nothing(driver, site, name, size):
    assert (site / f"{name}.html").is_file()
    shown = Page(driver, site / f"{name}.html", size)
    assert shown.run("return document.documentElement.scrollWidth <= innerWidth")
    assert shown.complaints() == []
    assert all(url.startswith(site.as_uri()) for url in shown.requests())
    assert bool(shown.seen(".sidebar-tree")) == (size == WIDE)


@pytest.mark.campaign
def test_the_search_finds_a_page_without_a_server(driver, site):
    shown = Page(driver, site / "search.html", anchor="?q=KalmanSmoothing")
    shown.driver.implicitly_wait(10)
    shown.one("#search-results li a[href^='docs/api.html']")
    assert shown.complaints() == []
