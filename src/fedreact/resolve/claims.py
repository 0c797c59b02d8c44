"""Jobs that judge claims: what each claim compares, as contrasts of scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fedreact.claims import margins, testable
from fedreact.claims.contract import Claim
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.errors import UserError, unknown
from fedreact.metrics.grammar import load_metric
from fedreact.reading import as_json
from fedreact.resolve.cells import Cell
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.outputs import Outputs
from fedreact.resolve.papers import Paper
from fedreact.resolve.workload import Workload
from fedreact.tables import published as values
from fedreact.tables.sources import ScoreSource
from fedreact.tables.trivial import is_of_predictions

TAKEN = ""
"""The reading of the ledger that is taken everywhere."""


@dataclass(frozen=True)
class Comparison:
    """One comparison of a claim.

    Attributes
    ----------
    at, left, right
        Labels.
    ours, theirs
        The cells that are compared; ``theirs`` is a number where a claim is about one.
    trivial
        Cells of methods that learn nothing, by label; ``None`` if the claim is on settings.
    effect
        The published difference; ``None`` where nothing is printed, or for other data.
    margin
        The smallest difference that matters.
    """

    at: str
    left: str
    right: str
    ours: Cell
    theirs: Cell | float
    trivial: Mapping[str, Cell] | None
    effect: margins.Effect | None
    margin: float

    @property
    def cells(self) -> list[Cell]:
        """The cells of both sides."""
        return [cell for cell in (self.ours, self.theirs) if isinstance(cell, Cell)]


class Claims:
    """Claims of papers, by the papers' names."""

    def __init__(self, experiments: Experiments, outputs: Outputs):
        self.experiments, self.outputs = experiments, outputs
        self.settings = experiments.settings
        self._asked: dict[str, list[ClaimReading]] = {}

    def papers(self) -> list[str]:
        """Chosen papers that have claims that can be judged here."""
        return [name for name in self.experiments.papers if self.asked(name)]

    def asked(self, paper: str) -> list[ClaimReading]:
        """Return the claims of a paper under each reading."""
        if paper not in self._asked:
            content = self.settings.paper(paper)
            self._asked[paper] = [
                one
                for name, claim in content.claims.items()
                for one in self._claim(content, name, claim)
            ]
        return self._asked[paper]

    def job(self, paper: str) -> Job:
        """Judge the claims of a paper."""
        asked, content = self.asked(paper), self.settings.paper(paper)
        words = ["--paper", paper, "--title", content.about.title, "--asked", as_json(asked)]
        differences = content.scale.all_differences
        words += ["--differences", *differences] if differences else []
        targets = dict.fromkeys(one.table for one in asked if one.table)
        tables = tuple(self.experiments.files.table(target)[0] for target in targets)
        words += ["--tables", *tables] if tables else []
        file = f"{content.folder}/claims.yaml"
        metrics = dict.fromkeys([one.metric for one in asked])
        metrics |= dict.fromkeys([one.reaching for one in asked if one.reaching])
        script = "scripts/make_claims.py"
        return Job(
            script,
            (*words, "--claims", file),
            {"scores": self._scores(paper), "claims": (file,), "tables": tables},
            digest(script, [("metrics", one, "METRIC") for one in metrics]),
        )

    def _scores(self, paper: str) -> tuple[str, ...]:
        """Return the files of scores that a paper's claims are judged on."""
        files = [
            f"{source.folder}/seed{seed}.csv"
            for one in self.asked(paper)
            for contrast in one.contrasts
            for source in (contrast.ours, contrast.theirs, *contrast.trivial.values())
            if isinstance(source, ScoreSource)
            for seed in self.experiments.seeds(paper, *self._run_of(source.folder))
        ]
        return tuple(dict.fromkeys(files))

    def _run_of(self, folder: str) -> tuple[str, str]:
        """Kind of run and setting of a folder of scores."""
        kind, _, _, setting, _ = folder.split("/runs/")[1].split("/")
        return kind, self.experiments.files.name(setting)

    def comparisons(self, paper: str, name: str, metric: str) -> list[Comparison]:
        """Return the comparisons of a claim by a metric that can be run here."""
        content = self.settings.paper(paper)
        claim, where = content.claims[name], f"{content.folder}/claims.yaml: {name}"
        usual = self._usual_margin(content, claim, metric, where)
        return list(self._comparisons(content, claim, metric, usual, where))

    def margin(
        self, paper: str, name: str, metric: str, comparisons: Sequence[Comparison]
    ) -> float:
        """Return the margin of the average over some comparisons of a claim."""
        content = self.settings.paper(paper)
        claim, where = content.claims[name], f"{content.folder}/claims.yaml: {name}"
        usual = self._usual_margin(content, claim, metric, where)
        return margins.of_average(claim, [each.effect for each in comparisons], usual)

    @staticmethod
    def _usual_margin(paper: Paper, claim: Claim, metric: str, where: str) -> float:
        """Return the margin of comparisons without a published difference."""
        usual = paper.about.margins.get(metric, claim.margin)
        if usual is None:
            raise UserError(f"{where}: there is no margin of {metric}, here or in paper.yaml")
        return usual

    # ---- One claim ------------------------------------------------------------------------------

    def _claim(self, paper: Paper, name: str, claim: Claim) -> Iterator[ClaimReading]:
        where = f"{paper.folder}/claims.yaml: {name}"
        if claim.table not in paper.tables or paper.tables[claim.table].study:
            tables = [table for table, spec in paper.tables.items() if not spec.study]
            raise UserError(f"{where}: table: {unknown(claim.table, tables)}")
        if (claim.value is None) == (not claim.right):
            raise UserError(f"{where}: give either right or value")
        spec = paper.tables[claim.table]
        metric = claim.metric or spec.metrics[0]
        if metric not in spec.metrics:
            raise UserError(f"{where}: metric: {unknown(metric, spec.metrics)}")
        if spec.reaching and (
            metric == spec.reaching or claim.value is not None or claim.relation == "equal"
        ):
            raise UserError(
                f"{where}: table: {claim.table} has costs to a score, of which one method's can be "
                f"better than another's; give right, a metric other than {spec.reaching}, and no "
                "relation equal"
            )
        comparisons = self.comparisons(paper.name, name, metric)
        if not comparisons:
            return  # its cells are left out; the table says why
        one = ClaimReading(
            claim=name,
            reading=TAKEN,
            relation=claim.relation,
            sign=margins.sign(claim.relation, metric),
            metric=metric,
            margin=self.margin(paper.name, name, metric, comparisons),
            over=claim.over,
            last=spec.score == "last",
            contrasts=[self._contrast(paper, metric, each) for each in comparisons],
            reaching=spec.reaching,
            better=load_metric(metric).better or "higher",
            table=self._table_of_datasets(paper, claim, comparisons),
        )
        yield one
        yield from self._readings(paper, claim, one, comparisons, where)

    @staticmethod
    def _table_of_datasets(
        paper: Paper, claim: Claim, comparisons: Sequence[Comparison]
    ) -> str | None:
        """Return the target of a claim's table if its average is over the datasets there."""
        over_datasets = paper.about.means_over == "datasets" and claim.over == "average"
        of_methods = all(each.trivial is not None for each in comparisons)
        return f"{paper.prefix}{claim.table}" if over_datasets and of_methods else None

    def _comparisons(
        self, paper: Paper, claim: Claim, metric: str, usual: float, where: str
    ) -> Iterator[Comparison]:
        """Yield the comparisons of a claim that can be run."""
        cells = self.experiments.cells(paper.name).table(claim.table)
        axis = 1 if claim.compare == "columns" else 0
        labels = [list(dict.fromkeys(place[i] for place in cells)) for i in (axis, 1 - axis)]
        for named, there in (((claim.left, *claim.right), labels[0]), (claim.at, labels[1])):
            if odd := [label for label in named if label not in there]:
                raise UserError(f"{where}: {unknown(odd[0], there)}")
        path = paper.folder / "published" / f"{claim.table}.yaml"
        printed = values.read(path if path.exists() else None)
        outputs = self.outputs
        for at in claim.at or labels[1]:
            beside = self._trivial(paper, claim, metric, at)
            for right in claim.right or [f"{claim.value:g}"]:
                ours = cells[(at, claim.left) if axis else (claim.left, at)]
                theirs: Cell | float
                if claim.value is not None:
                    theirs = float(claim.value)
                else:
                    theirs = cells[(at, right) if axis else (right, at)]
                effect = margins.published(printed, claim, metric, at, right)
                both = Comparison(at, claim.left, right, ours, theirs, beside, effect, usual)
                if any(cell.skipped for cell in both.cells):
                    continue
                if any(outputs.stands_in(cell) for cell in both.cells):
                    effect = None  # of other data than the paper speaks of
                margin = margins.of_comparison(claim, effect, usual)
                yield replace(both, effect=effect, margin=margin)

    def _trivial(self, paper: Paper, claim: Claim, metric: str, at: str) -> dict[str, Cell] | None:
        """Return cells of methods that learn nothing, beside a claim's.

        ``None`` if the claim is on settings.
        """
        spec = paper.tables[claim.table]
        cells = self.experiments.cells(paper.name).table(claim.table)
        of_methods = "columns" if spec.rows_are == "settings" else "rows"
        if claim.compare != of_methods:
            return None
        if not is_of_predictions(metric):
            return {}
        columns = claim.compare == "columns"
        places = {label: (at, label) if columns else (label, at) for label in paper.about.trivial}
        trivial = {label: cells[place] for label, place in places.items() if place in cells}
        return {label: cell for label, cell in trivial.items() if not cell.skipped}

    def _contrast(self, paper: Paper, metric: str, each: Comparison) -> Contrast:
        """Return a comparison with the sources of its scores."""
        chance, theirs = None, each.theirs
        if isinstance(theirs, Cell) and each.trivial is not None:
            task = self.experiments.datasets.task(theirs.data)
            chance = testable.chance_level(metric, task)
        trivial = (each.trivial or {}).items()
        return Contrast(
            at=each.at,
            left=each.left,
            right=each.right,
            ours=self._source(paper, each.ours),
            theirs=self._source(paper, theirs) if isinstance(theirs, Cell) else theirs,
            published=None if each.effect is None else each.effect.difference,
            margin=each.margin,
            chance=chance,
            trivial={label: self._source(paper, cell) for label, cell in trivial},
        )

    def _source(self, paper: Paper, cell: Cell) -> ScoreSource:
        """Return the source of a cell's scores."""
        return ScoreSource(self.outputs.folder(paper.name, cell), cell.method.name)

    def _readings(
        self,
        paper: Paper,
        claim: Claim,
        one: ClaimReading,
        comparisons: Sequence[Comparison],
        where: str,
    ) -> Iterator[ClaimReading]:
        """Yield the claim under alternatives of the ledger, where they are run on its settings."""
        metric, workload = one.metric, self.experiments.workload(paper.name)
        for entry in claim.ledger:
            if entry not in paper.ledger:
                raise UserError(f"{where}: ledger: {unknown(entry, list(paper.ledger))}")
            alternatives: dict[str, list[Contrast]] = {}
            for setting, value, key in workload.alternatives(entry):
                for each in comparisons:
                    ours = _changed(workload, each.ours, setting, key, value)
                    theirs = _changed(workload, each.theirs, setting, key, value)
                    if ours is None or theirs is None or (ours, theirs) == (each.ours, each.theirs):
                        continue
                    changed = replace(each, ours=ours, theirs=theirs, trivial=None)
                    contrast = self._contrast(paper, metric, changed)
                    alternatives.setdefault(f"{entry}: {value}", []).append(contrast)
            cells = workload.cells.table(claim.table).values()
            left_out = any(cell.skipped for cell in cells) or any(
                workload.changed(cell.kind, setting, key, value) in paper.scale.left_out
                for setting, value, key in workload.alternatives(entry)
                for each in comparisons
                for cell in each.cells
                if cell.setting == setting
            )
            if not alternatives and not left_out:
                raise UserError(f"{where}: ledger: {entry} is not measured on a setting of this")
            for reading, contrasts in alternatives.items():
                yield replace(one, reading=reading, contrasts=contrasts)


C = TypeVar("C", Cell, Cell | float)


def _changed(workload: Workload, cell: C, setting: str, key: str, value: Any) -> C | None:
    """Return a cell under an alternative.

    It is itself if the alternative changes nothing, and ``None`` if that is not run.
    """
    if not isinstance(cell, Cell) or cell.setting != setting:
        return cell
    other = workload.changed(cell.kind, setting, key, value)
    if other is None:
        return cell
    there = (*cell.key[:2], other, cell.job) in workload.jobs()
    return replace(cell, setting=other) if there else None
