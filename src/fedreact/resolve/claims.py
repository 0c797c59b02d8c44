"""Jobs that judge claims: what each claim compares, as contrasts of scores."""

from collections.abc import Iterator
from dataclasses import replace

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
from fedreact.tables import published as values
from fedreact.tables.sources import ScoreSource

TAKEN = ""
"""The reading of the ledger that is taken everywhere."""


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
        file = f"{content.folder}/claims.yaml"
        metrics = dict.fromkeys([one.metric for one in asked])
        metrics |= dict.fromkeys([one.reaching for one in asked if one.reaching])
        script = "scripts/make_claims.py"
        return Job(
            script,
            (*words, "--claims", file),
            {"scores": self._scores(paper), "claims": (file,)},
            digest(script, [("metrics", one, "METRIC") for one in metrics]),
        )

    def _scores(self, paper):
        """Files of scores that a paper's claims are judged on."""
        files = [
            f"{source.folder}/seed{seed}.csv"
            for one in self.asked(paper)
            for contrast in one.contrasts
            for source in (contrast.ours, contrast.theirs, *contrast.trivial.values())
            if isinstance(source, ScoreSource)
            for seed in self.experiments.seeds(paper, _kind_of(source.folder))
        ]
        return tuple(dict.fromkeys(files))

    def contrasts(self, paper: str, name: str, metric: str) -> list[tuple]:
        """Comparisons of a claim by a metric, as :meth:`_contrasts` gives them."""
        content = self.settings.paper(paper)
        claim, where = content.claims[name], f"{content.folder}/claims.yaml: {name}"
        usual = content.about.margins.get(metric, claim.margin)
        if usual is None:
            raise UserError(f"{where}: there is no margin of {metric}, here or in paper.yaml")
        return list(self._contrasts(content, claim, metric, usual, where))

    def margin(self, paper: str, name: str, metric: str, contrasts: list[tuple]) -> float:
        """Margin of the average over some comparisons of a claim."""
        content = self.settings.paper(paper)
        claim = content.claims[name]
        usual = content.about.margins.get(metric, claim.margin)
        return margins.of_average(claim, [each[-2] for each in contrasts], usual)

    # ---- One claim ------------------------------------------------------------------------------

    def _claim(self, paper, name, claim: Claim) -> Iterator[ClaimReading]:
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
        contrasts = self.contrasts(paper.name, name, metric)
        if not contrasts:
            return  # its cells are left out; the table says why
        one = ClaimReading(
            claim=name,
            reading=TAKEN,
            relation=claim.relation,
            sign=margins.sign(claim.relation, metric),
            metric=metric,
            margin=self.margin(paper.name, name, metric, contrasts),
            over=claim.over,
            last=spec.score == "last",
            contrasts=[self._line(paper, metric, *each) for each in contrasts],
            reaching=spec.reaching,
            better=load_metric(metric).better or "higher",
        )
        yield one
        yield from self._readings(paper, claim, one, contrasts, where)

    def _contrasts(self, paper, claim, metric, usual, where):
        """Labels, cells, trivial cells beside, published effect and margin of what can be run."""
        cells = self.experiments.cells(paper.name).table(claim.table)
        axis = 1 if claim.compare == "columns" else 0
        labels = [list(dict.fromkeys(place[i] for place in cells)) for i in (axis, 1 - axis)]
        for given, there in (((claim.left, *claim.right), labels[0]), (claim.at, labels[1])):
            if odd := [label for label in given if label not in there]:
                raise UserError(f"{where}: {unknown(odd[0], there)}")
        path = paper.folder / "published" / f"{claim.table}.yaml"
        printed = values.read(path if path.exists() else None)
        outputs = self.outputs
        for at in claim.at or labels[1]:
            beside = self._trivial(paper, claim, metric, at)
            for right in claim.right or [f"{claim.value:g}"]:
                places = [(at, x) if axis else (x, at) for x in (claim.left, right)]
                pair = [cells.get(place) for place in places]
                if claim.value is not None:
                    pair[1] = float(claim.value)
                of_runs = [cell for cell in pair if isinstance(cell, Cell)]
                if any(cell.skipped for cell in of_runs):
                    continue
                effect = margins.published(printed, claim, metric, at, right)
                if any(outputs.stands_in(cell) for cell in of_runs):
                    effect = None  # of other data than the paper speaks of
                margin = margins.of_comparison(claim, effect, usual)
                yield at, claim.left, right, *pair, beside, effect, margin

    def _trivial(self, paper, claim, metric, at):
        """Cells of methods that learn nothing beside a claim's; ``None`` if it is on settings."""
        spec, cells = (
            paper.tables[claim.table],
            self.experiments.cells(paper.name).table(claim.table),
        )
        of_methods = "columns" if spec.rows_are == "settings" else "rows"
        if claim.compare != of_methods:
            return None
        if not testable.is_of_predictions(metric):
            return {}
        place = (lambda x: (at, x)) if claim.compare == "columns" else (lambda x: (x, at))
        found = {label: cells.get(place(label)) for label in paper.about.trivial}
        return {label: cell for label, cell in found.items() if cell and not cell.skipped}

    def _line(self, paper, metric, at, left, right, ours, theirs, beside, effect, margin):
        """Return a contrast with the sources of its scores."""
        chance = None
        if isinstance(theirs, Cell) and beside is not None:
            task = self.experiments.datasets.task(theirs.data)
            chance = testable.chance_level(metric, task)
        return Contrast(
            at=at,
            left=left,
            right=right,
            ours=self._source(paper, ours),
            theirs=self._source(paper, theirs) if isinstance(theirs, Cell) else theirs,
            published=None if effect is None else effect.difference,
            margin=margin,
            chance=chance,
            trivial={label: self._source(paper, cell) for label, cell in (beside or {}).items()},
        )

    def _source(self, paper, cell: Cell) -> ScoreSource:
        """Return the source of a cell's scores."""
        return ScoreSource(self.outputs.folder(paper.name, cell), cell.method.name)

    def _readings(self, paper, claim, one, contrasts, where):
        """The claim under alternatives of the ledger, where these are run on its settings."""
        metric = one.metric
        of = self.experiments.workload(paper.name)
        for entry in claim.ledger:
            if entry not in paper.ledger:
                raise UserError(f"{where}: ledger: {unknown(entry, list(paper.ledger))}")
            alternatives: dict[str, list] = {}
            for setting, value, key in of.alternatives(entry):
                for at, left, right, *cells, _, effect, margin in contrasts:
                    changed = [_changed(of, cell, setting, key, value) for cell in cells]
                    if changed != cells and None not in changed:
                        labels = (at, left, right)
                        line = self._line(paper, metric, *labels, *changed, None, effect, margin)
                        alternatives.setdefault(f"{entry}: {value}", []).append(line)
            left_out = [cell.skipped for cell in of.cells.table(claim.table).values()]
            left_out += [
                of.changed(cell.kind, setting, key, value) in paper.scale.left_out
                for setting, value, key in of.alternatives(entry)
                for _, _, _, *cells, _, _, _ in contrasts
                for cell in cells
                if isinstance(cell, Cell) and cell.setting == setting
            ]
            if not alternatives and not any(left_out):
                raise UserError(f"{where}: ledger: {entry} is not measured on a setting of this")
            for reading, lines in alternatives.items():
                yield replace(one, reading=reading, contrasts=lines)


def _kind_of(folder: str) -> str:
    """Kind of run of a folder of scores, ``results/<scale>/runs/<kind>/...``."""
    return folder.split("/runs/")[1].split("/")[0]


def _changed(of, cell, setting, key, value):
    """A cell under an alternative; itself if that changes nothing, ``None`` if it is not run."""
    if not isinstance(cell, Cell) or cell.setting != setting:
        return cell
    other = of.changed(cell.kind, setting, key, value)
    if other is None:
        return cell
    return replace(cell, setting=other) if (*cell.key[:2], other, cell.job) in of.jobs() else None
