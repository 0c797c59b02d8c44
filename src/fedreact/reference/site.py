"""Pages of the project for a generator of sites: the README, docs/, and each file they link to.

They keep their places, so that links between them stay as they are. What pages link to besides
(contracts, examples, tables of a kept run) becomes a page of its own below ``files/``, so that the
site can be read where the project is not.
"""

import contextlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from fedreact.benchmark.page import page
from fedreact.benchmark.sources import BenchmarkSource
from fedreact.errors import UserError
from fedreact.reading import read_typed, read_yaml
from fedreact.resolve.plan import Plan

LINK = re.compile(r"(?P<before>!?\[[^\]]*\]\(|<img src=\")(?P<to>[^)\"#:]+)(?=[)\"#])")
"""A link or a picture of this project: without the colon of an address."""
PICTURES = (".png", ".svg")
REGIMES = "quick"
"""The scale at which a run of all regimes of the benchmark is kept."""
LANGUAGES = {".py": "python", ".yaml": "yaml", ".cff": "yaml", ".json": "json"}
READ = (*LANGUAGES, ".md")
"""Files of a folder that become pages; of others the page of the folder has the names."""
ALONE = "---\norphan: true\nnosearch: true\n---\n\n"
"""Head of a page outside the contents: links lead to it, and the search leaves it out."""


def stage(project: Path, to: Path) -> None:
    """Write all pages into a folder.

    Parameters
    ----------
    project
        Folder of the project. The site begins with its ``README.md``, ``CONTRIBUTING.md``, the
        pages of ``docs/`` and its subfolders, and those of ``docs/site/`` that only a site has;
        ``docs/site/contents.md`` goes to the end of the first.

    Raises
    ------
    UserError
        A link leads to nothing, or this is no folder of the project.
    """
    project = project.resolve()
    begin = [project / "README.md", *pages(project), *project.glob("docs/site/*.rst")]
    todo = list(begin)
    done: set[Path] = set()
    while todo:
        path = todo.pop()
        if path in done:
            continue
        done.add(path)
        page = to / _page_of(path, project)
        page.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in PICTURES:
            shutil.copyfile(path, page)
            continue
        try:
            text = _text(path, project)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}; name the project's folder") from error
        if path.is_dir() or path.suffix == ".md":
            todo += [_target(link, path, project) for link in LINK.finditer(text)]
            text = _moved(text, path, project)
        page.write_text(text if path in begin else ALONE + text)
    with (to / "index.md").open("a") as index:
        index.write("\n" + (project / "docs/site/contents.md").read_text())


def benchmark_page(project: Path) -> str:
    """Write the benchmark's page of the kept run that has all regimes."""
    with contextlib.chdir(project):
        config = read_yaml(Path("config/config.yaml")) | {"scale": REGIMES, "benchmark_kept": True}
        _, sources = Plan(config).benchmark.job().words
        return page(read_typed(sources, "--sources", BenchmarkSource))


def pages(project: Path) -> list[Path]:
    """List the project's pages except its README: CONTRIBUTING and those of ``docs/``."""
    paths = [project / "CONTRIBUTING.md", *sorted(project.glob("docs/**/*.md"))]
    return [path for path in paths if path.is_file() and _is_page(path.relative_to(project))]


def _is_page(place: Path) -> bool:
    """Return whether a path of the project is a page that keeps its place."""
    of_docs = place.parts[0] == "docs" and place.parts[1] not in ("site", "templates")
    return place == Path("CONTRIBUTING.md") or (of_docs and place.suffix == ".md")


def _target(link: re.Match[str], path: Path, project: Path) -> Path:
    """Return the file or folder that a link of a page leads to."""
    target = ((path if path.is_dir() else path.parent) / link["to"]).resolve()
    if not (target.exists() and target.is_relative_to(project)):
        raise UserError(f"{path}: links to {link['to']}, which is not in the project")
    return target


def _moved(text: str, path: Path, project: Path) -> str:
    """Let the links of a page lead from page to page of the site."""
    folder = _page_of(path, project).parent

    def moved(link: re.Match[str]) -> str:
        """Return a link with its new target."""
        target = _page_of(_target(link, path, project), project)
        return link["before"] + os.path.relpath(target, folder)

    return LINK.sub(moved, text)


def _page_of(path: Path, project: Path) -> Path:
    """Return where a file or folder is in the site, before it is built."""
    place = path.relative_to(project)
    if place == Path("README.md"):
        return Path("index.md")
    if place.parent == Path("docs/site"):
        return Path("docs", place.name)
    if place.suffix in PICTURES or _is_page(place):
        return place
    place = Path("files", place)
    return place / "index.md" if path.is_dir() else place.with_name(f"{place.name}.md")


def _text(path: Path, project: Path) -> str:
    """Return the text of the page of a file or folder."""
    name = path.relative_to(project)
    if path.suffix in (".md", ".rst"):
        return path.read_text()
    if path.is_dir():
        files = (file for file in sorted(path.rglob("*")) if file.is_file())
        lines = [_entry(file, path) for file in files if "__pycache__" not in file.parts]
        return "\n".join([f"# `{name}/`\n", *lines, ""])
    if path.suffix == ".ipynb":
        return _notebook(json.loads(path.read_text()))
    return f"# `{name}`\n\n" + _code(path.read_text(), LANGUAGES.get(path.suffix, "text"))


def _entry(path: Path, folder: Path) -> str:
    """Return the line of a file on the page of its folder."""
    name = path.relative_to(folder)
    return f"- [`{name}`]({name})" if path.suffix in READ else f"- `{name}`"


def _notebook(content: dict[str, Any]) -> str:
    """Write the cells of a notebook, one after the other."""
    texts = [("".join(cell["source"]), cell["cell_type"]) for cell in content["cells"]]
    return "\n\n".join(_code(text, "python") if kind == "code" else text for text, kind in texts)


def _code(text: str, language: str) -> str:
    """Write a block of code with a fence that no line of the text closes."""
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", text))])
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
