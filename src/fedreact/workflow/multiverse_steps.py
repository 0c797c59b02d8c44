"""What the rules of ``workflow/rules/multiverse.smk`` ask."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fedreact import options
from fedreact.claims import margins
from fedreact.errors import UserError, unknown
from fedreact.multiverse.universe import Choice, changes, draw
from fedreact.runs import contract as runs
from fedreact.tables import published as values
from fedreact.workflow.code import digest

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan

PART = 50
"""Universes of a job."""
METHODS = "methods."
ENCODER_SEED = "encoder_seed"


class MultiverseSteps:
    """Universes of papers, by the papers' names."""

    def __init__(self, plan: "Plan"):
        self.plan = plan
        self._drawn: dict[tuple[str, str], list[dict[str, Any]]] = {}

    def papers(self) -> list[str]:
        """Chosen papers that have a multiverse at this scale."""
        return [name for name in self.plan.papers if self.settings(name)]

    def settings(self, paper: str) -> dict[str, int]:
        """Number of universes at this scale, by setting."""
        spec = self.plan.steps.paper(paper).multiverse
        if spec is None:
            return {}
        sizes = {name: of.get(self.plan.scale, 0) for name, of in spec.settings.items()}
        return {name: n for name, n in sizes.items() if n}

    def choices(self, paper: str) -> list[Choice]:
        """What the ledger of a paper leaves open."""
        found = []
        for given in self.plan.steps.paper(paper).ledger.values():
            for key, values_of_key in given.varied.items():
                place = values_of_key.index(given.taken) if given.taken in values_of_key else 0
                found.append(Choice(key, tuple(values_of_key), place))
        return found

    def universes(self, paper: str, setting: str) -> list[dict[str, Any]]:
        """Universes of a setting, as :class:`fedreact.multiverse.run.Universe`."""
        key = (paper, setting)
        if key not in self._drawn:
            choices, n = self.choices(paper), self.settings(paper)[setting]
            seed = self.plan.steps.paper(paper).multiverse.seed
            places = draw(choices, n, seed)
            self._drawn[key] = [
                self._universe(paper, setting, number, changes(choices, at))
                for number, at in enumerate(places)
            ]
        return self._drawn[key]

    def _universe(self, paper, setting, number, changed: Mapping[str, Any]):
        steps, content = self.plan.steps, self.plan.steps.paper(paper)
        kind = content.multiverse.kind
        seeds = self.plan.seeds(paper, kind)
        seed = seeds[number % len(seeds)]
        of_methods: dict[str, dict[str, Any]] = {}
        of_run: dict[str, Any] = {}
        for key, value in changed.items():
            if key.startswith(METHODS):
                names, _, option = key.removeprefix(METHODS).rpartition(".")
                for name in names.split("+"):
                    of_methods.setdefault(name, {})[option] = value
            elif key != ENCODER_SEED:
                of_run[key.removeprefix(f"{kind}.")] = value
        found = {"number": number, "seed": seed}
        given = options.changed(steps.run(paper, kind, setting, of_run))
        owner, partition = steps.partition_of(paper, setting, of_run)
        data = steps.dataset(owner, partition)
        found["partition"] = self.plan.files.partition(owner, data, partition, seed)
        if "features" in runs.part_of(kind, "spec").NEEDS:
            dealer, encoder, own = steps.encoder_of(paper, setting, of_run)
            own = changed.get(ENCODER_SEED, seed if own is None else own)
            found["features"] = self.plan.files.features(dealer, data, encoder, own)
        return found | {"options": given, "methods": of_methods}

    # ---- Jobs ----------------------------------------------------------------------------------

    def parts(self, paper: str, setting: str) -> range:
        """Numbers of the jobs of a setting."""
        return range(-(-self.settings(paper)[setting] // PART))

    def _of_part(self, w: Any) -> list[dict[str, Any]]:
        first = int(w.part) * PART
        return self.universes(w.paper, w.setting)[first : first + PART]

    def inputs(self, w: Any) -> list[str]:
        """Files that the universes of a job read."""
        universes = self._of_part(w)
        found = [self.data(w.paper, w.setting)]
        found += [one[key] for one in universes for key in ("partition", "features") if key in one]
        return list(dict.fromkeys(found))

    def data(self, paper: str, setting: str) -> str:
        """File of the dataset of a setting."""
        steps = self.plan.steps
        return self.plan.files.dataset(steps.dataset(*steps.partition_of(paper, setting, {})))

    def words(self, w: Any) -> list[str]:
        """Options of ``scripts/multiverse.py run``."""
        spec = self.plan.steps.paper(w.paper).multiverse
        methods = {}
        for name in spec.methods:
            _, method = self.plan.cells(w.paper).method(name)
            methods[name] = {"algorithm": method.algorithm, **method.options, **method.of_run}
        given = {"--methods": methods, "--universes": self._of_part(w)}
        found = ["--kind", spec.kind, "--data", self.data(w.paper, w.setting)]
        for word, value in given.items():
            found += [word, json.dumps(value, separators=(",", ":"))]
        return [*found, "--metrics", spec.metric, *(["--last"] if spec.score == "last" else [])]

    def code(self, paper: str) -> str:
        """Digest of the code of a part's run."""
        spec = self.plan.steps.paper(paper).multiverse
        named = [(f"runs/{spec.kind}", "run", "run"), ("metrics", spec.metric, "METRIC")]
        for name in spec.methods:
            _, method = self.plan.cells(paper).method(name)
            named.append((f"algorithms/{spec.kind}", method.algorithm, "ALGORITHM"))
        return digest("scripts/multiverse.py", named)

    # ---- What is made of them --------------------------------------------------------------------

    def files(self, paper: str) -> list[str]:
        """Scores of all universes of a paper."""
        return [
            self.plan.files.universes(paper, setting, part)
            for setting in self.settings(paper)
            for part in self.parts(paper, setting)
        ]

    def curves(self, paper: str) -> list[tuple[str, str]]:
        """Claims and settings that have a specification curve."""
        claims = json.loads(self.shown(paper))["claims"]
        return [(one["claim"], one["setting"]) for one in claims]

    def shown(self, paper: str) -> str:
        """Choices, settings and claims, as JSON."""
        spec = self.plan.steps.paper(paper).multiverse
        choices = [
            {"name": one.name, "values": [_label(v) for v in one.values], "taken": one.taken}
            for one in self.choices(paper)
        ]
        claims = [of for name in spec.claims for of in self._claim(paper, name)]
        found = {"choices": choices, "seed": spec.seed, "metric": spec.metric, "claims": claims}
        return json.dumps(found | {"settings": self.settings(paper)}, separators=(",", ":"))

    def _claim(self, paper, name):
        """A claim on each setting of the multiverse: pairs of methods, and what is published."""
        content = self.plan.steps.paper(paper)
        if name not in content.claims:
            raise UserError(
                f"{content.folder}/multiverse.yaml: claims: {unknown(name, list(content.claims))}"
            )
        claim, spec = content.claims[name], content.multiverse
        cells = self.plan.cells(paper).table(claim.table)
        path = content.folder / "published" / f"{claim.table}.yaml"
        printed = values.read(path if path.exists() else None)
        usual = content.about.margins.get(spec.metric, claim.margin)
        by_setting: dict[str, list] = {}
        for (row, column), cell in cells.items():
            at, label = (row, column) if claim.compare == "columns" else (column, row)
            left = cells.get((at, claim.left) if claim.compare == "columns" else (claim.left, at))
            if label not in claim.right or (claim.at and at not in claim.at) or left is None:
                continue
            names = (left.method.name, cell.method.name)
            if cell.setting in self.settings(paper) and set(names) <= set(spec.methods):
                effect = margins.published(printed, claim, spec.metric, at, label)
                by_setting.setdefault(cell.setting, []).append((names, effect))
        for setting, pairs in by_setting.items():
            effects = [effect for _, effect in pairs]
            known = [effect.difference for effect in effects if effect is not None]
            yield {
                "claim": name,
                "text": claim.claim,
                "setting": setting,
                "sign": margins.sign(claim.relation, spec.metric) or 1,
                "pairs": [names for names, _ in pairs],
                "published": sum(known) / len(known) if known else None,
                "margin": margins.of_average(claim, effects, usual),
            }


def _label(value):
    """A value of a choice as readers see it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key.removeprefix('encoder.')} {of}" for key, of in value.items())
    return str(value)
