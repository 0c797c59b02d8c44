"""Write the pages of ``docs/reference/`` from configuration, code and kept runs (``make docs``).

Nothing on these pages is typed twice: targets, scales and datasets are read from ``config/``,
options and contracts from docstrings, costs from the ``run.json`` of kept runs.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from fedreact import options, plugins
from fedreact.catalogue import everything
from fedreact.data.registry import DatasetEntry, load_registry, registries
from fedreact.metrics import grammar
from fedreact.metrics.grammar import load_metric
from fedreact.metrics.subsets.contract import Subset
from fedreact.options import text_of
from fedreact.reference.keep import RUN
from fedreact.resolve.config import SCALES, load_scale
from fedreact.resolve.papers import Paper, load_paper, paper_names
from fedreact.tables import published

MADE = "<!-- Made by `make docs` from {source}. Edit those. -->\n"
CODE = "../../src/fedreact"
FULL = "paper"
"""The scale that a paper's own settings are: what is listed does not depend on it."""

ALSO = ("data/own.py", "io/exporting.py", "models/encoder.py")
"""Files with a contract that are not named ``contract.py``."""

PARITY = Path("tests/kinds/algorithms/parity/table.yaml")
"""What each algorithm was compared with; a test runs and bounds it."""

GENERAL = {
    "all": "all tables, figures, claims and the report",
    "all_tables": "all tables",
    "all_figures": "all figures",
    "claims": "the papers' statements, judged on these tables",
    "report": "all of it on one page, `report.html`, and as `report.pdf`",
    "assumptions": "what the open choices of the ledgers change; takes hours",
}

REFERENCE = re.compile(r":(?P<role>\w+):`~?(?P<to>[^`<]+?)(?: <[^>]+>)?`")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def pages(references: Path) -> dict[str, str]:
    """Write all pages of the reference.

    Parameters
    ----------
    references
        Folder of the kept runs, for costs.

    Returns
    -------
    dict
        Markdown by the name of the file in ``docs/reference/``.

    Raises
    ------
    UserError
        The configuration is wrong.
    """
    makers: dict[str, tuple[str, Callable[[], Iterable[str]]]] = {
        "targets.md": ("config/papers/", targets),
        "printed.md": ("config/papers/*/printed.yaml", printed),
        "scales.md": ("config/ and reference/", lambda: scales(references)),
        "options.md": ("docstrings in src/fedreact/", all_options),
        "datasets.md": ("config/**/datasets.yaml", datasets),
        "contracts.md": ("docstrings in src/fedreact/", contracts),
        "parity.md": (str(PARITY), parity),
    }
    return {
        name: MADE.format(source=source) + "\n".join(lines()).rstrip() + "\n"
        for name, (source, lines) in makers.items()
    }


# ---- Targets ------------------------------------------------------------------------------------


def targets() -> Iterator[str]:
    """Yield the lines of the page of targets: general ones, then those of each paper."""
    yield "# Targets\n"
    yield (
        "Build one with `snakemake --cores all table05`, several by naming several. A table lands "
        "in `results/<scale>/tables/`, a figure in `results/<scale>/figures/`. [Build "
        "tables](../howto/run.md) has more commands.\n"
    )
    yield "## For any paper\n"
    yield (
        "These build what `papers` in `config/config.yaml` names (`fed_react` by default). For all "
        "papers add `--config papers=all`.\n"
    )
    yield from _table(("target", "what it builds"), GENERAL.items(), code=1)
    roles = {entry.role for entry in load_registry(*registries()).values() if entry.role}
    yield (
        f"\n{_listed(f'`{role}_tables`' for role in sorted(roles))} build the tables that need one "
        "kind of data alone.\n"
    )
    for name in paper_names():
        paper = load_paper(name, FULL)
        yield f"## {_short(paper)}: `{name}`\n"
        yield f"*{paper.about.title}* ({paper.about.cite}).\n"
        yield f"All of it: `snakemake --cores all {name}`.\n"
        for what, entries in (("table", paper.tables), ("figure", paper.figures)):
            if entries:
                lines = [
                    (f"{paper.prefix}{key}", _cell(entry.title)) for key, entry in entries.items()
                ]
                yield from _table((what, "what it shows"), lines, code=1)
                yield ""
        if paper.searches:
            lines = [
                (paper.prefix + key, _cell(search.title)) for key, search in paper.searches.items()
            ]
            yield from _table(("search of options", "what it searches"), lines, code=1)
            yield ""


# ---- Parity -------------------------------------------------------------------------------------


def parity() -> Iterator[str]:
    """Yield the lines of the page of other code that algorithms were compared with."""
    yield "# Beside other code\n"
    yield (
        "Every synchronous algorithm computes what its authors' code, PFLlib's, or a plain program "
        "written from its equations computes, up to rounding. The comparison covers two rounds of "
        "three clients of unequal size. [A test](../../tests/kinds/algorithms/test_rounds.py) runs "
        "it and fails if a weight differs by more than this page says. Where the authors' "
        "code differs from ours by intent, the last column says how.\n"
    )
    entries = yaml.safe_load(PARITY.read_text()) if PARITY.exists() else {}
    lines = []
    for name, entry in sorted(entries.items()):
        source = f"`{entry['source']}`" if "source" in entry else "its equations"
        largest = f"{entry['largest']:.0e}".replace("e-0", "e-") if entry["largest"] else "0"
        lines.append(
            (name, source, _cell(entry["compared"]), largest, _cell(entry.get("otherwise", "")))
        )
    heads = (
        "algorithm",
        "other code",
        "what is compared",
        "largest difference",
        "what their code does otherwise",
    )
    yield from _table(heads, lines, code=1)


# ---- What the papers print ----------------------------------------------------------------------


def printed() -> Iterator[str]:
    """Yield the lines of the page of what the papers print: with its target, or why it has none."""
    yield "# What the papers print\n"
    yield (
        "Every table and figure of the papers, with the [targets](targets.md) that rebuild it, or "
        "the reason why nothing does.\n"
    )
    papers = [load_paper(name, FULL) for name in paper_names()]
    papers = [paper for paper in papers if paper.printed]
    counts = [(_short(paper), *map(str, _rebuilt(paper))) for paper in papers]
    yield from _table(("paper", "printed", "rebuilt", "in part", "not rebuilt"), counts)
    for paper in papers:
        yield f"\n## {_short(paper)}\n"
        lines = []
        for name, entry in paper.printed.items():
            names = ", ".join(f"`{paper.prefix}{target}`" for target in entry.targets)
            lines.append(
                (name, _cell(entry.shows), names or "–", _cell(entry.missing or entry.lacks))
            )
        yield from _table(("printed", "what it shows", "targets", "what is not rebuilt"), lines)


def _rebuilt(paper: Paper) -> tuple[int, int, int, int]:
    """Count what a paper prints, and what of it is rebuilt, in part, and not at all."""
    entries = paper.printed.values()
    whole = sum(bool(entry.targets) and not entry.lacks for entry in entries)
    part, gone = sum(bool(e.lacks) for e in entries), sum(bool(e.missing) for e in entries)
    return len(entries), whole, part, gone


# ---- Scales -------------------------------------------------------------------------------------


def scales(references: Path) -> Iterator[str]:
    """Yield the lines of the page of scales: each scale, its cost, and what each paper changes."""
    names = sorted(
        (path.stem for path in SCALES.glob("*.yaml")), key=lambda name: _cost(references, name)
    )
    yield "# Scales\n"
    yield (
        "A scale says how much of each paper's protocol runs. Choose one with `--config "
        "scale=NAME` or `make tables SCALE=NAME`. Results lie in `results/<scale>/` and never mix. "
        "`make plan SCALE=NAME` estimates the cost on your machine; nothing runs.\n"
    )
    head = ("scale", "what it is", "seeds", "core-hours of the kept run, all papers")
    lines = []
    for name in names:
        scale, spent = load_scale(name), _spent(references, name).values()
        cost = f"{sum(spent) / 3600:.1f}" if spent else "not kept"
        lines.append((name, _cell(scale.about), str(len(scale.seeds)), cost))
    yield from _table(head, lines, code=1)
    yield (
        "\nSeeds are those of `config/scales/<scale>.yaml`; a paper may use fewer for what trains "
        "longest. The kept runs lie in [reference/](../../reference); each `run.json` names its "
        "processor, packages and steps.\n"
    )
    for name in names:
        yield from _scale(references, name)


def _scale(references: Path, name: str) -> Iterator[str]:
    """Yield the section of one scale."""
    scale = load_scale(name)
    yield f"## {name}\n"
    yield scale.about + "\n"
    if scale.like:
        yield f"A paper without a file for `{name}` runs as at `{scale.like}`.\n"
    if scale.datasets:
        only = _listed(f"`{data}` for `{role}`" for role, data in scale.datasets.items())
        yield f"This scale accepts {only}, and no other dataset.\n"
    spent = _spent(references, name)
    for folder in paper_names():
        paper = load_paper(folder, name, scale.like)
        lines = _by_data(paper)
        fewer = [
            f"{len(seeds)} for `{kind}`"
            for kind, seeds in paper.scale.seeds.items()
            if len(seeds) != len(scale.seeds)
        ]
        fewer += [
            f"{len(seeds)} for `{kind}` on `{setting}`"
            for setting, of_kind in paper.scale.seeds_of.items()
            for kind, seeds in of_kind.items()
        ]
        lines += [f"seeds: {_listed(fewer)}"] if fewer else []
        lines += _nearly(paper) if name == FULL else []
        lines += [
            f"`{setting}` is left out{kinds}: {why}"
            for setting, reasons in paper.scale.left_out.items()
            for kinds, why in _reasons(reasons)
        ]
        lines += [
            f"table `{table}` is left out: {why}"
            for table, why in paper.scale.tables_left_out.items()
        ]
        cost = f" ({spent[folder] / 3600:.2f} core-hours kept)" if folder in spent else ""
        yield f"### {_short(paper)} at {name}\n"
        changes = (
            "Unlike the paper" if lines else "Runs the paper's protocol, as far as it is stated"
        )
        yield f"{changes}{cost}{':' if lines else '.'}\n"
        yield from (f"- {line}" for line in lines)
        yield ""


def _nearly(paper: Paper) -> list[str]:
    """Return what makes rows of a paper's tables nearly comparable only, each with its rows."""
    rows_of: dict[str, dict[str, None]] = {}
    for file in sorted((paper.folder / "published").glob("*.yaml")):
        for row, text in published.read(file).get("nearly", {}).items():
            rows_of.setdefault(" ".join(text.split()), {})[row] = None
    return [_cell(f"rows {_listed(rows)}: {text}") for text, rows in rows_of.items()]


def _by_data(paper: Paper) -> list[str]:
    """Return differences from the paper's protocol, each with what it applies to."""
    marked = []
    for text in paper.scale.all_differences:
        head, colon, rest = text.partition(": ")
        names = head.split(", ")
        applies = colon and all(re.fullmatch(r"[\w.-]+", name) for name in names) and rest
        marked.append(f"{_listed(f'`{name}`' for name in names)}: {rest}" if applies else text)
    return [_cell(line) for line in marked]


def _spent(references: Path, scale: str) -> dict[str, float]:
    """Return the core-seconds of a scale's kept runs, by paper."""
    files = sorted(references.glob(f"{scale}/*/{RUN}"))
    return {path.parent.name: json.loads(path.read_text())["cpu_seconds"] for path in files}


def _cost(references: Path, scale: str) -> tuple[float, int, str]:
    """Return a key that sorts scales by the minutes of a training on a cluster."""
    entry = load_scale(scale)
    return max(entry.minutes.values()), int(entry.like is None), scale


# ---- Options ------------------------------------------------------------------------------------


def all_options() -> Iterator[str]:
    """Yield the lines of the page of options: a table for everything that has some."""
    yield "# Options\n"
    yield (
        "Everything that a file in `config/papers/<paper>/` can set, with defaults. The same in a "
        'terminal: `make options OF="clustered dirichlet"`. A name is that of a file, with dashes '
        "for underscores.\n"
    )
    sections: dict[str, list[tuple[str, type | None]]] = {}
    for name, what, cls in everything():
        sections.setdefault(what, []).append((name, cls))
    for what, entries in sections.items():
        yield f"## {what[0].upper()}{what[1:]}\n"
        without = [name for name, cls in entries if cls is None or not options.names(cls)]
        for name, cls in entries:
            if cls is None or name in without:
                continue
            yield f"### {name} ({what})\n"
            lines = [
                (option, f"`{default}`" if default else "", _cell(_inline(text)))
                for option, default, text in options.table(cls)
            ]
            yield from _table(("option", "default", "meaning"), lines, code=1)
            yield ""
        if without:
            yield f"Without options: {_listed(f'`{name}`' for name in without)}.\n"
    yield from _metrics()
    yield "\n## Architectures and encoders\n"
    for what, defines in (("architectures", "ARCHITECTURE"), ("encoders", "ENCODER")):
        folder = f"models/{what}"
        files = [
            (name, _cell(_first(plugins.find(folder, name, defines))))
            for name in plugins.names(folder, defines)
        ]
        yield from _table((what, "what it is"), files, code=1)
        yield ""


def _metrics() -> Iterator[str]:
    """Yield the section of metrics: a table for each part of a metric's name."""
    yield "## Metrics\n"
    yield (
        "A table, figure or claim names a metric `base`, `base@subset`, `base:reducer` or "
        "`base@subset:reducer`. For example, `accuracy@worst_fifth:var` is the variance of the "
        "accuracy over the worst fifth of the clients. Without a subset, all clients and samples "
        "count. Without a reducer, the value is the mean over clients.\n"
    )
    bases = {name: load_metric(name) for name in grammar.names("base")}
    computed = [
        (name, _cell(metric.title), metric.better or "", ", ".join(metric.kinds))
        for name, metric in bases.items()
        if metric.kinds
    ]
    yield from _table(("base", "title", "better", "tasks"), computed, code=1)
    yield ""
    subsets = [(name, _kind(name), _of_part("subset", name)) for name in grammar.names("subset")]
    yield from _table(("subset", "of what", "what it is"), subsets, code=1)
    yield "\nA subset that is *recorded* needs a run that records it, and has no reducer.\n"
    reducers = [(name, _of_part("reducer", name)) for name in grammar.names("reducer")]
    yield from _table(("reducer", "what it is"), reducers, code=1)
    yield "\nRuns record these metrics themselves. They have no subset and no reducer:\n"
    recorded = [
        (name, _cell(metric.title), metric.better or "")
        for name, metric in bases.items()
        if not metric.kinds
    ]
    yield from _table(("metric", "title", "better"), recorded, code=1)


def _kind(subset: str) -> str:
    """Return what a subset consists of: clients, windows, targets, or what a run records."""
    folder, defines, _ = grammar.PARTS["subset"]
    chosen: Subset = plugins.load(folder, subset, defines)
    return chosen.chosen_from


def _of_part(what: str, name: str) -> str:
    """Return the first line of the file of a metric's subset or reducer."""
    folder, defines, _ = grammar.PARTS[what]
    return _cell(_inline(_first(plugins.find(folder, name, defines))))


# ---- Datasets -----------------------------------------------------------------------------------


def datasets() -> Iterator[str]:
    """Yield the lines of the page of datasets: one table, then licence and citation of each."""
    registry = load_registry(*registries())
    used = _users()
    yield "# Datasets\n"
    yield (
        "Every registered dataset. [How they are read](../data.md) says what becomes of the raw "
        "files; [place RTD](../howto/place_rtd.md) what to do where a file cannot be downloaded. "
        "Check the licence before you pass data on.\n"
    )
    head = ("dataset", "task", "outputs", "channels x steps", "owners at paper", "used by")
    lines = []
    for name, entry in registry.items():
        task, users = entry.task, {*used.get(name, ()), *used.get(entry.role or name, ())}
        size = f"{task.channels} x {task.steps}"
        owners = str(entry.owners.get(FULL, ""))
        papers = _listed(f"`{paper}`" for paper in sorted(users))
        lines.append((f"[`{name}`](#{name})", task.kind, str(task.outputs), size, owners, papers))
    yield from _table(head, lines)
    yield (
        "\n*Owners* are the people, stations or arms whose series they are, where that is known "
        "before the data is read.\n"
    )
    for name, entry in registry.items():
        yield from _dataset(name, entry)


def _dataset(name: str, entry: DatasetEntry) -> Iterator[str]:
    """Yield the section of one dataset."""
    yield f"## {name}\n"
    yield f"{entry.title}.\n"
    if entry.page:
        yield f"- Page: <{entry.page}>"
    yield f"- Licence: {entry.licence}"
    if entry.citation:
        yield f"- Citation: {entry.citation}"
    if entry.role:
        yield f"- Role: `{entry.role}`; a partition of this role gets the first that can be had"
    if entry.mirror:
        yield f"- Folder in a mirror: `{entry.mirror}/`"
    yield f"- How it is got: {_way(entry)}"
    if entry.scales:
        parts = "; ".join(
            f"{scale}: {', '.join(f'`{name}={_shortened(v)}`' for name, v in options_of.items())}"
            for scale, options_of in entry.scales.items()
        )
        yield f"- Taken at each scale (all, where none is named): {parts}"
    yield ""


def _way(entry: DatasetEntry) -> str:
    """Say how the files of a dataset are got."""
    if entry.steps:
        return "by hand: " + " ".join(entry.steps.split())
    n = len(entry.files) or len(entry.listed.sha256 if entry.listed else ())
    return f"downloaded, {n} registered file{'s' * (n > 1)}" if n else "computed; needs no download"


def _shortened(value: object) -> str:
    """Write the value of an option; a long list by its ends."""
    if isinstance(value, list) and len(value) > 4:
        return f"{text_of(value[0])}...{text_of(value[-1])} ({len(value)})"
    return text_of(value)


def _users() -> dict[str, set[str]]:
    """Return the papers whose own settings run on each role or dataset, by its name."""
    users: dict[str, set[str]] = {}
    for name in paper_names():
        for setting in load_paper(name, FULL).settings.values():
            paper, _, partition = setting.partition.rpartition("/")
            spec = load_paper(paper or name, FULL).partitions[partition]
            users.setdefault(spec.data, set()).add(name)
    return users


# ---- Contracts ----------------------------------------------------------------------------------


def contracts() -> Iterator[str]:
    """Yield the lines of the page of contracts: what a file of each folder must define."""
    yield "# Contracts\n"
    yield (
        "What a file of yours must define to be found by its name. [Add a "
        "method](../howto/own_method.md) has a short example of each. Shapes are written `[rows, "
        "columns]`; K counts clients, P weights.\n"
    )
    files = {*plugins.PACKAGE.rglob("contract.py"), *(plugins.PACKAGE / name for name in ALSO)}
    for path in sorted(files):
        name = path.relative_to(plugins.PACKAGE)
        title = name.parent if name.name == "contract.py" else name.with_suffix("")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield f"## {title}\n"
        yield f"[{name}]({CODE}/{name})\n"
        yield markdown(ast.get_docstring(tree) or "") + "\n"
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield from _class(node)


def _class(node: ast.ClassDef) -> Iterator[str]:
    """Yield a class of a contract: its docstring, and a line for each public method."""
    docstring = ast.get_docstring(node) or ""
    yield f"**`{node.name}`.** {markdown(docstring)}\n"
    attributes = re.findall(r"^(\w+)$", docstring, re.MULTILINE)  # they may be properties
    methods = [
        method
        for method in node.body
        if isinstance(method, ast.FunctionDef)
        and not (method.name.startswith("_") or method.name in attributes)
    ]
    if methods:
        yield "*Methods*\n"
    for method in methods:
        words = " ".join(markdown(ast.get_docstring(method) or "").split("\n\n")[0].split())
        arguments = [argument.arg for argument in [*method.args.args, *method.args.kwonlyargs]]
        shown = [name for name in arguments if name not in ("self", "cls")]
        yield f"- `{method.name}({', '.join(shown)})`: {words}"
    if methods:
        yield ""


def markdown(docstring: str) -> str:
    """Write a docstring (reST with numpy's sections) as Markdown.

    Sections become lists, indented blocks become blocks of text, cross references become code.
    """
    head, *parts = SECTION.split(_inline(docstring))
    made = [_blocks(head)]
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        made.append(f"*{title}*\n\n{_items(inspect.cleandoc(body).splitlines())}")
    return "\n\n".join(part.strip() for part in made if part.strip())


def _inline(text: str) -> str:
    """Write cross references and code of reST as code of Markdown."""

    def name(reference: re.Match[str]) -> str:
        """Return the last part of a reference, or all of that of a module."""
        path = reference["to"]
        return f"`{path if reference['role'] == 'mod' else path.split('.')[-1]}`"

    return REFERENCE.sub(name, text).replace("``", "`")


def _blocks(text: str) -> str:
    """Write paragraphs; definitions as a list, a table or an indented block as it stands."""
    made: list[str] = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.splitlines()
        defined = [line for line in lines if not line.startswith(" ")]
        if lines and all(line.startswith("    ") for line in lines):
            joined = made and made[-1].startswith("```")
            before = made.pop()[: -len("\n```")] + "\n\n" if joined else "```text\n"
            made.append(f"{before}{inspect.cleandoc(block)}\n```")
        elif lines and lines[0].startswith("==="):
            rows = [line for line in lines if not line.startswith("===")]
            made.append(_items([re.sub(r"^(\S+) {2,}", r"\1\n    ", line) for line in rows]))
        elif len(defined) < len(lines):
            made.append(_items(lines))
        else:
            made.append(block)
    return "\n\n".join(made)


def _items(lines: Sequence[str]) -> str:
    """Write definitions (a name, then indented lines) as a list."""
    made: list[str] = []
    for line in "\n".join(lines).splitlines():
        if line and not line.startswith(" "):
            made.append(f"- {line}" if "`" in line else f"- `{line}`")
        elif line:
            made[-1] += (
                f"{'' if ': ' in made[-1] or made[-1].endswith(':') else ':'} {line.strip()}"
            )
    return "\n".join(made)


# ---- Texts --------------------------------------------------------------------------------------


def _table(head: Sequence[str], lines: Iterable[Sequence[str]], code: int = 0) -> Iterator[str]:
    """Yield a table of Markdown; the first columns are code."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---' for _ in head)}|"
    for line in lines:
        cells = [f"`{cell}`" for cell in line[:code]] + list(line[code:])
        yield f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Write a text on one line that may stand in a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")


def _listed(names: Iterable[str]) -> str:
    """Write names as a list in a sentence."""
    *before, last = list(names) or [""]
    return f"{', '.join(before)} and {last}" if before else last


def _short(paper: Paper) -> str:
    """Return a name of a paper where there is little room."""
    return paper.about.short or paper.about.title.partition(":")[0]


def _first(path: Path) -> str:
    """Return the first line of a file's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def _reasons(reasons: str | Mapping[str, str]) -> list[tuple[str, str]]:
    """Return why a setting is left out, with the kinds of runs for which it is."""
    if isinstance(reasons, str):
        return [("", reasons)]
    return [(f" for `{kind}`", why) for kind, why in reasons.items()]
