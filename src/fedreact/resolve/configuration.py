"""The whole configuration of one cell: each option with its value and where it is written."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedreact import options, plugins
from fedreact.atomic import write_text
from fedreact.errors import UserError, unknown
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.cells import Cell
from fedreact.resolve.layers import Layers, Location, Option
from fedreact.resolve.plan import Plan
from fedreact.resolve.scales import ENCODER, PARTITIONERS
from fedreact.resolve.steps import steps

WIDTH = 100


@dataclass(frozen=True)
class Part:
    """Options of one step.

    Attributes
    ----------
    title
        What the step is, and the file of code that has it.
    options
        By name.
    """

    title: str
    options: Mapping[str, Option]


def find(plan: Plan, target: str, row: str, column: str) -> tuple[str, str]:
    """Labels of the cell of a table or figure that parts of labels stand for.

    Raises
    ------
    UserError
        None or several fit; or a study makes the table, which has no runs.
    """
    places = list(plan.outputs.cells(target))
    if not places:
        cell = f"{target}/{row}/{column}"
        raise UserError(
            f'{target}: a study makes it, without runs; see: make explain CELL="{cell}"'
        )
    if (row, column) in places:
        return row, column
    fit = [
        place
        for place in places
        if all(part.lower() in label.lower() for part, label in zip((row, column), place))
    ]
    if len(fit) != 1:
        listed = "; ".join("/".join(place) for place in (fit or places)[:6])
        what = "several cells fit" if fit else "no cell fits"
        raise UserError(f"{target}: {what} {row}/{column}: {listed}, ...")
    return fit[0]


def written(plan: Plan, target: str, row: str, column: str) -> dict[str, Location]:
    """Where each key of a cell of a table or figure is written."""
    paper, name, spec = plan.outputs.entry(target)
    if target in plan.figures:
        return {}
    places: dict[str, Location] = {}
    marks = ("setting", "method") if spec.rows_are == "settings" else ("method", "setting")
    table = paper.at("tables", name)
    places |= {key: table / key for key in ("setting", "method") if getattr(spec, key)}
    for axis, label, mark in (("rows", row, marks[0]), ("columns", column, marks[1])):
        content, place = getattr(spec, axis)[label], table / axis / label
        keys = content if isinstance(content, Mapping) else (mark,)
        places |= {key: place / key for key in keys}
    return places


def parts(plan: Plan, paper: str, cell: Cell, row: Mapping[str, Location]) -> Iterator[Part]:
    """Yield the options of the run, method, partition, encoder and data of a cell.

    Parameters
    ----------
    plan, paper
        The plan, and the paper whose output has the cell.
    row
        Where the changes that the cell makes are written.
    """
    settings, kind = plan.settings, cell.kind
    setting, changes = settings.parsed(paper, kind, cell.setting)
    by_step = variants.split({**cell.searched, **row})
    method, of_run = _method(plan, paper, cell, row)
    run = plan.runs.run(kind, paper, cell.data, cell.setting, cell.job)
    layers = settings.run_layers(paper, kind, setting)
    of_run = layers.located(run.options, by_step[""]) | of_run
    yield Part(f"Run: {kind} (src/fedreact/kinds/{kind}/)", of_run)
    yield method
    spec, partitioner = settings.partition(run.owner, run.partition)
    base, _ = variants.parts(run.partition)
    owner, own = settings.cited(run.owner, "partitions", base)
    yield Part(
        f"Partition: {run.partition} ({_file(PARTITIONERS, spec.by, 'PARTITIONER')})",
        settings.partition_layers(owner, own).located(partitioner, by_step["partition"]),
    )
    if run.encoder:
        dealer, name, seed = run.encoder
        made = settings.encoder(dealer, name)
        file = _file("models/encoders", made.encoder, "ENCODER")
        whose = "the seed of the run" if seed is None else f"seed {seed} for all runs"
        layers = settings.encoder_layers(paper, setting, changes)
        title = f"Encoder: trained on {variants.parts(name)[0]} ({file}), {whose}"
        yield Part(title, layers.located(made, by_step[ENCODER]))
    if not plan.datasets.is_own(cell.data):
        source = plan.datasets.source(cell.data)
        entry = plan.datasets.entry(cell.data)
        place = Location(Path(entry.file), (variants.parts(cell.data)[0], "scales", plan.scale))
        of_scale = {name: place / name for name in entry.scales.get(plan.scale) or {}}
        of_data = Layers().located(source, of_scale | by_step["data"])
        yield Part(f"Data: {variants.parts(cell.data)[0]} ({entry.title})", of_data)


def _method(
    plan: Plan, paper: str, cell: Cell, row: Mapping[str, Location]
) -> tuple[Part, dict[str, Option]]:
    """Options of a cell's method, and those of the run that it sets for itself."""
    name = cell.method.name.split("+")[0]
    owner, own = plan.settings.cited(paper, "methods", name)
    place = owner.at("methods", cell.kind, own)
    cls = runs.algorithm_options(cell.kind, cell.method.algorithm)
    _, entry = owner.methods[own]

    def located(option: str, value: Any, written: Mapping[str, Any]) -> Option:
        """An option that the method's entry says, or else the cell, or a search at this scale."""
        if option in cell.searched:
            return Option(value, cell.searched[option])
        if written.get(option) == value:
            return Option(value, place / option)
        if "options" in row:
            return Option(value, row["options"] / option)
        return Option(value, owner.at("scale", "tuned", cell.job.split("+")[0], option))

    values = {k: Option(v) for k, v in options.defaults(cls).items()} if cls else {}
    values |= {k: located(k, v, entry.options) for k, v in cell.method.options.items()}
    of_run = {k: located(k, v, entry.of_run) for k, v in cell.method.of_run.items()}
    file = _file(f"kinds/{cell.kind}/algorithms", cell.method.algorithm, "ALGORITHM")
    return Part(f"Method: {name} ({file})", values), of_run


def _file(folder: str, name: str, defines: str) -> Path:
    return plugins.source_file(plugins.find(folder, name, defines))


def commands(plan: Plan, paper: str, cell: Cell) -> Iterator[str]:
    """Yield the commands that make the scores of a cell with its first seed, in their order."""
    seed = plan.experiments.seeds(paper, cell.kind, cell.setting)[0]
    for rule, wildcards in steps(plan, paper, cell, seed):
        yield plan.job(rule, **wildcards).command


def of_cell(plan: Plan, target: str, row: str, column: str, whole: bool = False) -> list[str]:
    """Lines that say what is run for a cell: at most a screen, or with ``whole`` all commands.

    Raises
    ------
    UserError
        There is no such cell.
    """
    row, column = find(plan, target, row, column)
    paper, _, _ = plan.outputs.entry(target)
    cell = plan.outputs.cells(target)[row, column]
    places = written(plan, target, row, column)
    head = [f"{target} / {row} / {column}, scale {plan.scale}"]
    return head + _text(plan, paper.name, cell, places, whole)


def of_setting(
    plan: Plan, paper: str, setting: str, method: str | None, whole: bool = False
) -> list[str]:
    """Lines that say what is run on a setting, by a method or the first one that runs there.

    Raises
    ------
    UserError
        No table or figure of the paper shows such a run.
    """
    shown = [
        (place, cell)
        for place, cell in cells(plan, paper)
        if setting in (cell.setting, variants.parts(cell.setting)[0])
    ]
    if not shown:
        raise UserError(f"{paper}: setting {unknown(setting, plan.settings.paper(paper).settings)}")
    fit = [(place, cell) for place, cell in shown if method in (None, cell.method.name)]
    if not fit:
        names = dict.fromkeys(cell.method.name for _, cell in shown)
        raise UserError(f"{paper}: {setting}: method {unknown(method, names)}")
    place, cell = fit[0]
    head = [f"{paper}: {cell.setting}, {cell.method.name}, scale {plan.scale}"]
    return head + _text(plan, paper, cell, written(plan, *place), whole)


def cells(plan: Plan, paper: str) -> Iterator[tuple[tuple[str, str, str], Cell]]:
    """Yield all cells of a paper's tables and figures, with target and labels."""
    for target, (owner, _) in (plan.tables | plan.figures).items():
        if owner == paper:
            for labels, cell in plan.outputs.cells(target).items():
                yield (target, *labels), cell


def write(plan: Plan, jobs: Sequence[Mapping[str, str]]) -> None:
    """Write beside the scores of runs what is run for them.

    Parameters
    ----------
    plan
        The plan.
    jobs
        Wildcards of jobs of the rule ``run``.
    """
    first: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for paper in {job["paper"] for job in jobs}:
        for labels, shown in cells(plan, paper):
            first.setdefault((paper, *shown.key), labels)
    for job in jobs:
        kind, paper = job["kind"], job["paper"]
        data, setting, name = (plan.files.name(job[key]) for key in ("dataset", "setting", "job"))
        methods = plan.runs.run(kind, paper, data, setting, name).methods
        place = first.get((paper, kind, data, setting, name))
        cell = plan.outputs.cells(place[0])[place[1:]] if place else None
        if cell is None and methods:
            cell = Cell(kind, data, setting, name, methods[0])
        if cell is not None:
            lines = [f"{paper}: {setting}, scale {plan.scale}"]
            lines += _text(plan, paper, cell, written(plan, *place) if place else {}, True)
            lines.append(f"Methods: {', '.join(method.name for method in methods)}")
            file = Path(plan.outputs.folder(paper, cell), "configuration.txt")
            write_text(file, "\n".join(lines) + "\n")


def _text(
    plan: Plan, paper: str, cell: Cell, places: Mapping[str, Location], whole: bool
) -> list[str]:
    lines = [f"  {key:<20} {place}" for key, place in places.items() if key in variants.MARKS]
    if cell.skipped:
        return [*lines, f"Left out: {cell.skipped}."]
    for part in parts(plan, paper, cell, places):
        lines += _shown(part)
    seeds = plan.experiments.seeds(paper, cell.kind, cell.setting)
    lines.append(f"Seeds: {', '.join(map(str, seeds))}. Commands of the first:")
    for command in commands(plan, paper, cell):
        lines.append(f"  {command if whole else textwrap.shorten(command, 2 * WIDTH)}")
    return [*lines, f"Scores: {plan.outputs.folder(paper, cell)}/seed{seeds[0]}.csv, ..."]


def _shown(part: Part) -> list[str]:
    """Lines of a part: options that something sets, then its defaults."""
    lines, default = [part.title], []
    for name, option in part.options.items():
        value = options.text_of(option.value)
        if option.location is None:
            default.append(f"{name}={value}")
            continue
        lines.append(f"  {name:<20} {value:<20} {option.location}")
        if option.replaced:
            before = options.text_of(option.replaced.value)
            place = option.replaced.location or "the default"
            lines.append(f"  {'':<20} instead of {before:<9} {place}")
    if default:
        lines += textwrap.wrap(
            f"defaults: {', '.join(default)}",
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
        )
    return lines
