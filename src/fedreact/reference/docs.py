"""Fill templates of pages with the numbers of kept runs (``make docs``).

A template has no number of a run in it: it asks for a cell of a table or a claim
by name, and states what it says in words as a condition (``require``), so a page that the
numbers contradict cannot be made. The template ``results/fedst.md`` makes the page
``docs/results/fedst.md``, and ``README.md`` that of the project. A file whose name begins with
``_`` has macros for others and makes no page.
"""

import csv
import io
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import jinja2
import pandas as pd

from fedreact.claims.contract import OWN
from fedreact.claims.contrasts import OUTCOMES
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError
from fedreact.reading import read_yaml
from fedreact.reference import store
from fedreact.reference.keep import DIFFERENCES, RUN
from fedreact.tables.trivial import flagged

MADE = "<!-- Made by `make docs` from docs/templates/{name} and reference/. Edit those. -->\n"
SHOWN = re.compile(r"reference/(\w+)/(\w+)/figures/([\w.-]+)\.png")

Row: TypeAlias = dict[str, Any]
"""A line of a kept csv by its columns: numbers where they can be read as such, else texts."""


class Reference:
    """Kept numbers of a scale, as texts for templates.

    Parameters
    ----------
    folder
        With a folder for each paper, as :func:`fedreact.reference.keep.keep` wrote it.
    main
        The paper whose claims and costs are meant where none is named.
    config
        With a folder for each paper.
    """

    def __init__(self, folder: Path, main: str = "fed_react", config: Path = Path("config/papers")):
        self.folder, self.main, self.config, self.scale = folder, main, config, folder.name
        self._files: dict[str, list[Row]] = {}

    @property
    def run(self) -> dict[str, Any]:
        """Costs and origins of the run of the main paper."""
        return self.run_of(self.main)

    def run_of(self, paper: str) -> dict[str, Any]:
        """Return costs and origins of the run of a paper; ``data`` are its datasets."""
        path = self.folder / paper / RUN
        if not path.exists():
            raise UserError(f"{path} is not there; `make reference` keeps a run")
        return json.loads(path.read_text())

    @property
    def papers(self) -> dict[str, str]:
        """Titles of the papers whose claims are kept, by their names; the main one first."""
        files = sorted(self.folder.glob("*/claims/*.md"), key=lambda p: (p.stem != self.main, p))
        titles = {path.stem: path.read_text().splitlines()[0] for path in files}
        return {name: title.removeprefix("# Claims of ") for name, title in titles.items()}

    @property
    def with_values(self) -> list[str]:
        """Papers that are kept with a value for each seed."""
        return [paper for paper in self.papers if (self.folder / paper / store.VALUES).is_file()]

    def line(self, table: str, row: str, column: str, metric: str = "") -> Row:
        """Return a cell's line in its csv; that of the first metric if none is named."""
        wanted = {"row": row, "column": column} | ({"metric": metric} if metric else {})
        return self._first(f"tables/{table}.csv", wanted)

    def rows(self, table: str) -> list[str]:
        """Return the rows of a table."""
        return list(dict.fromkeys(line["row"] for line in self._rows(f"tables/{table}.csv")))

    def columns(self, table: str, row: str) -> list[str]:
        """Return the columns in which a row has something."""
        lines = self._rows(f"tables/{table}.csv")
        return list(dict.fromkeys(line["column"] for line in lines if line["row"] == row))

    def best(self, table: str, row: str, columns: list[str], metric: str = "") -> str:
        """Return the column with the largest mean."""
        return max(columns, key=lambda column: self.value(table, row, column, metric))

    def value(self, table: str, row: str, column: str, metric: str = "") -> float:
        """Return a cell's mean over seeds, for conditions."""
        return _numbers(self.line(table, row, column, metric), "mean")[0]

    def average(
        self, table: str, column: str, without: tuple[str, ...] = (), every: bool = False
    ) -> float:
        """Return the mean over the rows of a table, for conditions.

        Parameters
        ----------
        without
            Rows that do not count, beside those that :meth:`counted` leaves out.
        every
            Whether all other rows count alike, whatever the paper's means count.
        """
        groups = [[row] for row in self.rows(table)] if every else self.counted(table)
        left = [[row for row in group if row not in without] for group in groups]
        means = [
            sum(self.value(table, row, column) for row in group) / len(group)
            for group in left
            if group
        ]
        return sum(means) / len(means)

    def counted(self, table: str) -> list[list[str]]:
        """Return the rows that means over the rows of a table count, by its first metric.

        By ``means_over`` of its ``paper.yaml``, each row is a group of its own, or rows of a
        dataset are a group and those in which a trivial predictor is ahead are left out.
        """
        if self._about(table).get("means_over") != "datasets":
            return [[row] for row in self.rows(table)]
        left_out, of_data = self.flagged(table), dict[str, list[str]]()
        data = {line["row"]: line["data"] for line in self._rows(f"tables/{table}.csv")}
        for row in self.rows(table):
            if row not in left_out:
                of_data.setdefault(data[row].split("+")[0], []).append(row)
        return list(of_data.values())

    def flagged(self, table: str, metric: str = "") -> list[str]:
        """Return the rows of a table in which a trivial predictor is ahead by a metric.

        See :mod:`fedreact.tables.trivial`. The metric is the first, if none is named.
        """
        lines = pd.DataFrame(self._rows(f"tables/{table}.csv"))
        metric = metric or str(lines["metric"].iloc[0])
        numbers = {key: pd.to_numeric(lines[key]) for key in ("mean", "ci_low", "ci_high")}
        reference = self._entry(table).get("reference")
        found = flagged(lines.assign(**numbers), self._about(table).get("trivial", ()), reference)
        return [row for row in self.rows(table) if (row, metric) in found]

    def _about(self, table: str) -> dict[str, Any]:
        """Return the ``paper.yaml`` of a table's paper; empty if it is missing."""
        pack = store.where(self.folder, f"tables/{table}.csv")
        path = self.config / (pack.parent.name if pack else self.main) / "paper.yaml"
        return read_yaml(path) | {"name": path.parent.name} if path.is_file() else {}

    def _entry(self, table: str) -> dict[str, Any]:
        """Return the entry of a table in its paper's ``tables.yaml``; empty if it is missing."""
        about = self._about(table)
        path = self.config / about.get("name", "") / "tables.yaml"
        entries = read_yaml(path) if path.is_file() else {}
        prefix = about.get("prefix", f"{about.get('name')}_")
        return entries.get(table.removeprefix(prefix), {})

    def mean(self, table: str, row: str, column: str, metric: str = "", digits: int = 3) -> str:
        """Write a cell's mean, e.g. ``0.988``."""
        return f"{self.value(table, row, column, metric):.{digits}f}"

    def interval(self, table: str, row: str, column: str, metric: str = "", digits: int = 3) -> str:
        """Write mean and 95% interval, e.g. ``0.988 (0.983 to 0.990)``."""
        cell = self.line(table, row, column, metric)
        mean, low, high = _numbers(cell, "mean", "ci_low", "ci_high")
        return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"

    def gap(self, table: str, row: str, column: str, metric: str = "", digits: int = 3) -> str:
        """Write a cell minus its row's reference by seed, e.g. ``-0.004 (-0.010 to +0.002)``."""
        cell = self.line(table, row, column, metric)
        gap, low, high = _numbers(cell, "gap", "gap_low", "gap_high")
        return f"{_signed(gap, digits)} ({_signed(low, digits)} to {_signed(high, digits)})"

    def cell(self, table: str, row: str, column: str, metric: str = "", digits: int = 3) -> str:
        """Write a cell as tables do: mean, half-width of the 95% interval, published value.

        An example is ``0.879 ± 0.014 [0.774]``.
        """
        cell = self.line(table, row, column, metric)
        mean, low, high = _numbers(cell, "mean", "ci_low", "ci_high")
        paper = f" [{cell['published']:.{digits}f}]" if cell["published"] != "" else ""
        return f"{mean:.{digits}f} ± {(high - low) / 2:.{digits}f}{paper}"

    def published(self, table: str, row: str, column: str, metric: str = "") -> str:
        """Write a cell's published value."""
        return f"{_numbers(self.line(table, row, column, metric), 'published')[0]:g}"

    def claim(
        self,
        name: str,
        reading: str = "",
        paper: str = "fed_react",
        at: str = "",
        right: str = "",
        digits: int = 3,
    ) -> Row:
        """Return the line of a judged claim, with ``text`` e.g. ``+0.024 (+0.018 to +0.031)``.

        With ``at`` or ``right``, it is the line of one of its contrasts. Without a difference for
        any seed, there is no text.
        """
        wanted = {"claim": name, "reading": reading, "at": at} | ({"right": right} if right else {})
        line = self._first(f"claims/{paper}.csv", wanted)
        if not isinstance(line["difference"], float):
            return line
        difference, low, high = _numbers(line, "difference", "ci_low", "ci_high")
        interval = f"({_signed(low, digits)} to {_signed(high, digits)})"
        return line | {"text": f"{_signed(difference, digits)} {interval}"}

    def judged(self, name: str, paper: str = "fed_react", digits: int = 3) -> Row:
        """Return the line of a judged claim, with ``text`` and ``printed`` for a table.

        ``text`` is the difference with its interval, and ``printed`` the published difference. If
        several comparisons must all hold, both are ranges, since their mean decides nothing.
        """
        line = self.claim(name, paper=paper, digits=digits)
        wanted = {"claim": name, "reading": ""}
        each = [
            row
            for row in self._rows(f"claims/{paper}.csv")
            if wanted.items() <= row.items() and (row["at"] or row["right"])
        ]
        published = [row["published"] for row in each if row["published"] != ""]
        if line["over"] != "every" or len(each) < 2:
            published = [line["published"]] if line["published"] != "" else []
        else:
            text = _range([row["difference"] for row in each if row["difference"] != ""], digits)
            line |= {"text": f"{text}, {len(each)} comparisons"}
        return line | {"printed": _range(published, digits) or "none"}

    def behind(
        self, claim: str, at: str, columns: list[str], paper: str = "fed_react"
    ) -> list[str]:
        """Return the columns that the left side of a claim is significantly better than."""
        return [
            column
            for column in columns
            if self.claim(claim, paper=paper, at=at, right=column)["ci_low"] > 0
        ]

    def universes(
        self, claim: str, setting: str, view: str = "drawn", paper: str = "fed_react"
    ) -> Row:
        """Return a claim's medians, shares and margin over the kept universes of a setting."""
        wanted = {"claim": claim, "setting": setting, "view": view}
        return self._first(f"{paper}/multiverse/claims.csv", wanted)

    def matters(self, claim: str, setting: str, paper: str = "fed_react") -> list[Row]:
        """Return choices with their indices for a claim, the largest total index first."""
        wanted = {"claim": claim, "setting": setting}
        lines = self._rows(f"{paper}/multiverse/matters.csv")
        same = [line for line in lines if wanted.items() <= line.items()]
        return sorted(same, key=lambda line: -line["total"])

    def nearness(self, table: str, paper: str = "fed_react") -> Row:
        """Return how near universes come to a table's published cells, and the permutation's p."""
        return self._first(f"{paper}/multiverse/near.csv", {"table": table})

    def searched(self, method: str, setting: str, search: str = "search", **options: Any) -> float:
        """Return a method's accuracy on a setting in a search of options.

        It is measured on held-out train samples.

        Parameters
        ----------
        search
            The file of the search that is kept, e.g. ``search`` or ``heads``.
        options
            All options of the variant, e.g. ``steps=1``; without any, the chosen variant.

        Raises
        ------
        UserError
            The search has no such variant or setting.
        """
        file, wanted = f"searches/{search}.csv", {f"{key}={options[key]}" for key in options}
        for line in self._rows(file):
            chosen = set(line["variant"].split("+")[1:]) == wanted if wanted else line["taken"]
            if line["method"] == method and chosen in (True, "True"):
                return _numbers(line, f"{setting}+validate=true")[0]
        which = f"with {', '.join(sorted(wanted))}" if wanted else "that was chosen"
        raise UserError(f"{self.folder / file}: has no {method} {which}")

    def note(self, file: str, pattern: str) -> re.Match[str]:
        """Match a pattern in a kept text, e.g. in a note below ``tables/table05.md``."""
        path = next(self.folder.glob(f"*/{file}"), self.folder / self.main / file)
        if not path.exists():
            raise UserError(f"{path} is not there; `make reference` keeps a run")
        if not (match := re.search(pattern, path.read_text())):
            raise UserError(f"{path}: has no text like {pattern}")
        return match

    def tables(self, paper: str) -> list[str]:
        """Name the tables that are kept of a paper."""
        return store.names(self.folder / paper)

    def verdicts(self, paper: str = "fed_react") -> Counter[str]:
        """Count a paper's cells with a published value by their verdict."""
        counts: Counter[str] = Counter()
        for name in self.tables(paper):
            lines = self._rows(f"tables/{name}.csv")
            counts.update(line["verdict"] for line in lines if line["published"] != "")
        return counts

    def outcomes(self, paper: str = "fed_react", own: bool = False) -> dict[str, int]:
        """Count the claims that a paper makes by outcome; ``own``: those that no paper makes."""
        entries = read_yaml(self.config / paper / "claims.yaml")
        counts: dict[str, int] = dict.fromkeys(OUTCOMES, 0)
        for line in self._rows(f"claims/{paper}.csv"):
            if not line["reading"] and not line["at"]:
                of_no_paper = bool(OWN.match(entries[line["claim"]]["source"]))
                counts[line["outcome"]] += of_no_paper == own
        return counts

    def sums(self, own: bool = False) -> dict[str, int]:
        """Count the claims of all papers by outcome, in the order of the outcomes.

        ``own`` counts those that no paper makes. An outcome that none of either has is left out.
        """
        both = [Counter[str](), Counter[str]()]
        for paper in self.papers:
            for i in (0, 1):
                both[i].update(self.outcomes(paper, bool(i)))
        return {name: both[own][name] for name in OUTCOMES if both[0][name] or both[1][name]}

    def margins(self, paper: str = "fed_react") -> str:
        """Write the smallest differences that matter where none is published, by the score."""
        metrics = {line["metric"] for line in self._rows(f"claims/{paper}.csv")}
        usual = read_yaml(self.config / paper / "paper.yaml")["margins"]
        by_metric = {metric: margin for metric, margin in usual.items() if metric in metrics}
        return ", ".join(f"{margin:g} in {metric}" for metric, margin in by_metric.items())

    def unlike(self, paper: str) -> dict[str, list[str]]:
        """Return what the scale does otherwise than a paper, by what it is about.

        Keys are ``everything``, kinds of data and of run, datasets as the paper calls them, and
        settings. Texts are those that were kept with the run, else those of the paper's scale file;
        a registered dataset that the kept run did not use is left out.
        """
        kept = self.folder / paper / DIFFERENCES
        file = self.config / paper / "scales" / f"{self.scale}.yaml"
        scale = json.loads(kept.read_text()) if kept.is_file() else read_yaml(file)
        names = read_yaml(self.config / paper / "paper.yaml").get("names_of_data", {})
        registered = load_registry(*registries(self.config.parent))
        used = {data.split("+")[0] for data in self.run_of(paper).get("data", ())}
        differences = {"everything": scale.get("differences", [])}
        for about, texts in scale.get("differences_of", {}).items():
            if about not in registered:
                differences[about] = texts
            elif about in used:
                differences[names.get(about, about)] = texts
        settings: dict[tuple[str, ...], list[str]] = {}
        for setting, kinds in scale.get("unlike", {}).items():
            of_setting = tuple(text for of_kind in kinds.values() for text in of_kind)
            settings.setdefault(of_setting, []).append(setting)
        for same, alike in settings.items():
            differences[f"settings {', '.join(alike)}"] = list(same)
        return {about: texts for about, texts in differences.items() if texts}

    def hours(self, *steps: str) -> str:
        """Write the core-hours of these steps, or of all."""
        run = self.run
        spent = [run["steps"][step]["cpu_seconds"] for step in steps] or [run["cpu_seconds"]]
        return f"{sum(spent) / 3600:.1f}"

    def _first(self, file: str, wanted: dict[str, str]) -> Row:
        """Return the first line of a kept csv whose columns have the wanted values."""
        for row in self._rows(file):
            if wanted.items() <= row.items():
                return row
        place = ", ".join(f"{key} {value!r}" for key, value in wanted.items() if value)
        raise UserError(f"{self.folder / file}: has no line of {place}")

    def _rows(self, file: str) -> list[Row]:
        """Return the lines of a kept csv, which is read once."""
        if file not in self._files:
            path = store.where(self.folder, file)
            if path is None:
                missing = self.folder / self.main / file
                raise UserError(f"{missing} is not there; `make reference` keeps a run")
            self._files[file] = self._read(path, file)
        return self._files[file]

    def _read(self, path: Path, file: str) -> list[Row]:
        """Read the lines of a csv from the file that has it."""
        lines = csv.DictReader(io.StringIO(store.text(path, file)))
        return [{column: _number(text) for column, text in line.items()} for line in lines]


def pages(templates: Path) -> dict[Path, Path]:
    """Return the templates of a folder and its subfolders, with the paths of their pages."""
    paths = [path for path in sorted(templates.rglob("*.md")) if not path.name.startswith("_")]
    return {path: _page(path.relative_to(templates)) for path in paths}


def render(template: Path, references: Path, templates: Path | None = None) -> str:
    """Fill a template.

    It may ask for the runs kept below ``references`` by their scales, e.g. ``quick.mean(...)``; for
    what benchmarks printed (``make benchmarks``), e.g. ``speed.phase1``; for the minutes that a
    command of the main job took (``reference/speed/main_job.txt``), e.g. ``minutes("make test")``,
    which is None before any were kept; and for the way from its page to a file of the project,
    e.g. ``link("config/datasets.yaml")``.

    Parameters
    ----------
    templates
        The folder of all templates, whose macros it may import; its own, if none is named.

    Raises
    ------
    UserError
        It asks for what was not kept, or says what the numbers contradict.
    """
    folder = templates or template.parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        extensions=["jinja2.ext.do"],
    )
    scales = {path.parents[1] for path in references.glob(f"*/*/{RUN}")}
    config = references.parent / "config" / "papers"
    runs = {path.name: Reference(path, config=config) for path in scales}
    speed = {p.stem: p.read_text().strip() for p in sorted(references.glob("speed/*.txt"))}
    name = template.relative_to(folder)

    def require(holds: object, statement: str) -> None:
        """Refuse to write a statement that does not hold."""
        if not holds:
            raise UserError(f"{template}: no longer true: {statement}")

    def link(target: str) -> str:
        """Return the path from the page to a file of the project."""
        return Path(os.path.relpath(target, _page(name).parent)).as_posix()

    def minutes(command: str) -> float | None:
        """Return the minutes of a command of the main job, or None if none are kept."""
        if "main_job" not in speed:
            return None
        pattern = rf"^{re.escape(command)}: ([\d.]+) min$"
        times = re.findall(pattern, speed["main_job"], re.MULTILINE)
        require(times, f"main_job.txt has the minutes of {command}")
        return float(times[0])

    environment.tests["match"] = lambda text, pattern: re.match(pattern, text) is not None
    environment.globals |= {"require": require, "link": link, "minutes": minutes}

    try:
        text = environment.from_string(template.read_text()).render(**runs, speed=speed)
    except jinja2.TemplateError as error:
        line = getattr(error, "lineno", None)
        place = template if line is None else f"{template}, line {line}"
        raise UserError(f"{place}: {error}") from error
    return MADE.format(name=name.as_posix()) + text


def shown(templates: list[Path], scale: str, paper: str) -> list[str]:
    """Return the names of the figures of a kept paper that templates show."""
    texts = "\n".join(template.read_text() for template in templates)
    return sorted({figure[2] for figure in SHOWN.findall(texts) if figure[:2] == (scale, paper)})


def _page(name: Path) -> Path:
    """Return where the page of a template lies in the project."""
    return name if name == Path("README.md") else "docs" / name


def _numbers(line: Row, *keys: str) -> list[float]:
    """Return the numbers of a line under these keys.

    Raises
    ------
    UserError
        One of them is no number.
    """
    for key in keys:
        if not isinstance(line[key], float):
            labels = ("claim", "row", "column", "metric", "variant")
            place = ", ".join(str(line[label]) for label in labels if label in line)
            raise UserError(f"{place}: has no {key} in the run that is kept")
    return [line[key] for key in keys]


def _range(values: list[float], digits: int) -> str:
    """Write the smallest and the largest number, once if they are equal, or nothing without any."""
    if not values:
        return ""
    low, high = _signed(min(values), digits), _signed(max(values), digits)
    return low if low == high else f"{low} to {high}"


def _signed(number: float, digits: int) -> str:
    """Write a number with its sign; one that is rounded to zero is not negative."""
    return f"{round(number, digits) + 0.0:+.{digits}f}"


def _number(text: str) -> float | str:
    """Read a number; return other texts as they are."""
    try:
        return float(text)
    except ValueError:
        return text
