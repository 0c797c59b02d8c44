"""What the rules of ``workflow/rules/multiverse.smk`` ask."""

import json
from collections.abc import Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from fedreact import options, plugins
from fedreact.errors import UserError, unknown
from fedreact.multiverse.universe import Choice, changes, draw
from fedreact.runs import contract as runs
from fedreact.workflow import multiverse_asked
from fedreact.workflow.code import digest
from fedreact.workflow.multiverse_asked import methods_of, option

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan

DRAWN, TUNED, ENCODER_SEED, SCORE = "drawn", "tuned", "encoder_seed", "score"
PART = {DRAWN: 50, TUNED: 8}  # universes of a job


class MultiverseSteps:
    """Universes of papers, by the papers' names.

    A view is ``drawn``, in which a universe says what options each method has, or ``tuned``, in
    which each method has its best ones by validation.
    """

    tables = ("universes", "claims", "matters", "pairs", "over", "near", "near_choices")
    """Fields of :class:`fedreact.multiverse.report.Summary`, each a file."""

    def __init__(self, plan: "Plan"):
        self.plan = plan
        self._universes: dict[tuple[str, str, str], list[dict[str, Any]]] = {}

    def papers(self) -> list[str]:
        """Chosen papers that have a multiverse at this scale."""
        return [name for name in self.plan.papers if self.settings(name, DRAWN)]

    def check(self, paper: str) -> None:
        """Raise a ``UserError`` unless all that ``multiverse.yaml`` names is there."""
        content = self.plan.steps.paper(paper)
        if content.multiverse is None:
            return
        try:
            if content.multiverse.kind not in runs.kinds():
                raise UserError(f"kind: {unknown(content.multiverse.kind, runs.kinds())}")
            for name in self._plugins(paper):
                plugins.find(*name)
            self.asked(paper)
            each = [(one, place) for one in self.choices(paper) for place in range(len(one.values))]
            for setting, (choice, place) in product(self.settings(paper, DRAWN), each):
                self._drawn(paper, setting, 0, changes([choice], [place]))
            self.settings(paper, TUNED)
        except UserError as error:
            where = f"{content.folder}/multiverse.yaml: "
            raise UserError(where + str(error).removeprefix(where)) from None

    def settings(self, paper: str, view: str) -> dict[str, int]:
        """Number of universes at this scale, by setting."""
        content = self.plan.steps.paper(paper)
        spec, where = content.multiverse, f"{content.folder}/multiverse.yaml"
        if spec is None or (view == TUNED and spec.tuned is None):
            return {}
        drawn = self._sizes(spec.settings)
        if view == DRAWN:
            return drawn
        tuned, used = self._sizes(spec.tuned.settings), set(self.plan.table_seeds(paper))
        if seeds := sorted(used & set(spec.tuned.seeds)):
            raise UserError(f"{where}: tuned: tables use the seed {seeds[0]}; choose others")
        for name, n in tuned.items():
            if n > drawn.get(name, 0):
                raise UserError(
                    f"{where}: tuned: {name}: {n} universes are more than the {drawn.get(name, 0)} "
                    f"of `settings` at scale {self.plan.scale}"
                )
        return tuned

    def _sizes(self, by_setting):
        sizes = {name: by_scale.get(self.plan.scale, 0) for name, by_scale in by_setting.items()}
        return {name: n for name, n in sizes.items() if n}

    def choices(self, paper: str) -> list[Choice]:
        """What the ledger of a paper leaves open, within the bounds of the scale."""
        content, choices = self.plan.steps.paper(paper), []
        for entry in content.ledger.values():
            for key, values in entry.varied.items():
                kind, _, name = key.partition(".")
                most = content.scale.at_most.get(kind, {}).get(name)
                some = [one for one in values if most is None or one <= most]
                place = some.index(entry.taken) if entry.taken in some else None
                if len(some) > 1:
                    choices.append(Choice(key, tuple(some), place))
        return choices

    # ---- Universes -----------------------------------------------------------------------------

    def universes(self, paper: str, view: str, setting: str) -> list[dict[str, Any]]:
        """Universes of a setting, as :class:`fedreact.multiverse.run.Universe`."""
        key = (paper, view, setting)
        if key not in self._universes:
            choices, n = self.choices(paper), self.settings(paper, view)[setting]
            places = draw(choices, n, self.plan.steps.paper(paper).multiverse.seed)
            make = self._drawn if view == DRAWN else self._tuned
            self._universes[key] = [
                make(paper, setting, number, changes(choices, at))
                for number, at in enumerate(places)
            ]
        return self._universes[key]

    def _drawn(self, paper, setting, number, changed: Mapping[str, Any]):
        """A universe in which methods have the options that are drawn."""
        methods: dict[str, dict[str, Any]] = {}
        for key, value in changed.items():
            for name in methods_of(key):
                methods.setdefault(name, {})[option(key)] = value
        return self._universe(paper, setting, number, changed) | {"methods": methods}

    def _tuned(self, paper, setting, number, changed: Mapping[str, Any]):
        """The same universe, but for the options of methods: each chooses its own."""
        spec = self.plan.steps.paper(paper).multiverse
        of_run = {key: value for key, value in changed.items() if not methods_of(key)}
        universe = self._universe(paper, setting, number, of_run)
        seed = spec.tuned.seeds[number % len(spec.tuned.seeds)]
        validation = self._universe(paper, setting, number, of_run, seed)
        alike = {key: validation[key] for key in ("seed", "partition")}
        alike["options"] = universe["options"] | spec.tuned.options
        candidates = {name: self.candidates(paper, name) for name in spec.methods}
        candidates = {name: some for name, some in candidates.items() if some}
        return universe | {"candidates": candidates, "validation": alike}

    def candidates(self, paper: str, method: str) -> list[dict[str, Any]]:
        """Options that a method chooses from; none if the ledger varies none of its options."""
        spec = self.plan.steps.paper(paper).multiverse
        own = [
            Choice(option(choice.name), choice.values)
            for choice in self.choices(paper)
            if method in methods_of(choice.name)
        ]
        if not own:
            return []
        if prod(len(choice.values) for choice in own) <= spec.tuned.candidates:
            places = product(*(range(len(choice.values)) for choice in own))
        else:
            places = draw(own, spec.tuned.candidates, spec.seed).tolist()
        return [changes(own, at) for at in dict.fromkeys(map(tuple, places))]

    def _universe(self, paper, setting, number, changed, seed=None):
        """Seed, files and options of a universe."""
        steps, spec = self.plan.steps, self.plan.steps.paper(paper).multiverse
        kind, seeds = spec.kind, self.plan.seeds(paper, spec.kind)
        seed = seeds[number % len(seeds)] if seed is None else seed
        of_run = {
            key.removeprefix(f"{kind}."): value
            for key, value in changed.items()
            if key not in (ENCODER_SEED, SCORE) and not methods_of(key)
        }
        of_run = self._of_partitioner(paper, setting, of_run)
        owner, partition = steps.partition_of(paper, setting, of_run)
        data = steps.dataset(owner, partition)
        universe = {
            "number": number,
            "seed": seed,
            "partition": self.plan.files.partition(owner, data, partition, seed),
            "options": options.changed(steps.run(paper, kind, setting, of_run)),
            "last": changed.get(SCORE, spec.score) == "last",
        }
        if "features" in runs.part_of(kind, "spec").NEEDS:
            dealer, encoder, own = steps.encoder_of(paper, setting, of_run)
            own = changed.get(ENCODER_SEED, seed if own is None else own)
            universe["features"] = self.plan.files.features(dealer, data, encoder, own)
        return universe

    def _of_partitioner(self, paper, setting, of_run):
        """Changes of a run, less options of a partition that this setting's partitioner lacks."""
        steps = self.plan.steps
        _, partitioner = steps.partition(*steps.partition_of(paper, setting, {}))
        known = [f"partition.{name}" for name in options.names(type(partitioner))]
        return {k: v for k, v in of_run.items() if k in known or not k.startswith("partition.")}

    # ---- Jobs ----------------------------------------------------------------------------------

    def parts(self, paper: str, view: str, setting: str) -> range:
        """Numbers of the jobs of a setting."""
        return range(-(-self.settings(paper, view)[setting] // PART[view]))

    def of_part(self, w: Any) -> list[dict[str, Any]]:
        """Universes of a job."""
        first, n = int(w.part) * PART[w.view], PART[w.view]
        return self.universes(w.paper, w.view, w.setting)[first : first + n]

    def inputs(self, w: Any) -> list[str]:
        """Files that the universes of a job read."""
        files = [self.data(w.paper, w.setting)]
        for universe in self.of_part(w):
            alike = universe.get("validation", {})
            for part in (universe, alike):
                files += [part[key] for key in ("partition", "features") if key in part]
        return list(dict.fromkeys(files))

    def data(self, paper: str, setting: str) -> str:
        """File of the dataset of a setting."""
        steps = self.plan.steps
        return self.plan.files.dataset(steps.dataset(*steps.partition_of(paper, setting, {})))

    def words(self, w: Any) -> list[str]:
        """Options of ``scripts/multiverse.py run``."""
        spec = self.plan.steps.paper(w.paper).multiverse
        words = ["--kind", spec.kind, "--data", self.data(w.paper, w.setting)]
        methods = multiverse_asked.methods(self.plan, w.paper)
        for word, value in {"--methods": methods, "--universes": self.of_part(w)}.items():
            words += [word, json.dumps(value, separators=(",", ":"))]
        return [*words, "--metric", spec.metric]

    def code(self, paper: str) -> str:
        """Digest of the code of a part's run."""
        return digest("scripts/multiverse.py", self._plugins(paper))

    def _plugins(self, paper):
        """Folder, name and content of each file that a part's run loads by its name."""
        spec = self.plan.steps.paper(paper).multiverse
        methods = [self.plan.cells(paper).method(name)[1] for name in spec.methods]
        named = [(f"algorithms/{spec.kind}", one.algorithm, "ALGORITHM") for one in methods]
        return [(f"runs/{spec.kind}", "run", "run"), ("metrics", spec.metric, "METRIC"), *named]

    # ---- What is made of them --------------------------------------------------------------------

    def files(self, paper: str) -> list[str]:
        """Scores of all universes of a paper."""
        return [
            self.plan.files.universes(paper, view, setting, part)
            for view in PART
            for setting in self.settings(paper, view)
            for part in self.parts(paper, view, setting)
        ]

    def asked_words(self, paper: str) -> list[str]:
        """The same, as an option of ``scripts/multiverse.py``."""
        return ["--asked", json.dumps(self.asked(paper), separators=(",", ":"))]

    def curves(self, paper: str) -> list[tuple[str, str]]:
        """Claims and settings that have a specification curve."""
        return [(one["claim"], one["setting"]) for one in self.asked(paper)["claims"]]

    def asked(self, paper: str) -> dict[str, Any]:
        """Choices, settings, claims and published cells, for ``scripts/multiverse.py``."""
        settings = self.settings(paper, DRAWN)
        return multiverse_asked.asked(self.plan, paper, settings, self.choices(paper))
