"""Jobs of the multiverse: universes of open choices, and what their scores are summed to."""

import json
from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

from fedreact import options
from fedreact.errors import UserError, unknown
from fedreact.kinds import contract as runs
from fedreact.multiverse.universe import Choice, changes, draw
from fedreact.resolve import multiverse_asked
from fedreact.resolve.claims import Claims
from fedreact.resolve.code import digest, files_of
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.multiverse_asked import methods_of, option
from fedreact.resolve.multiverse_entries import MultiverseSpec, Tuned

DRAWN, TUNED, ENCODER_SEED, SCORE = "drawn", "tuned", "encoder_seed", "score"
SCRIPT = "scripts/multiverse.py"
PART = {DRAWN: 50, TUNED: 8}  # universes of a job


class Multiverse:
    """Universes of papers, by the papers' names.

    A view is ``drawn``, in which a universe says what options each method has, or ``tuned``, in
    which each method has its best ones by validation.
    """

    tables = ("universes", "claims", "matters", "pairs", "over", "near", "near_choices")
    """Fields of :class:`fedreact.multiverse.report.MultiverseTables`, each a file."""

    def __init__(self, experiments: Experiments, claims: Claims):
        self.experiments, self.claims = experiments, claims
        self.files = experiments.files
        self._universes: dict[tuple[str, str, str], list[dict[str, Any]]] = {}

    def papers(self) -> list[str]:
        """Chosen papers that have a multiverse at this scale."""
        return [name for name in self.experiments.papers if self.settings(name, DRAWN)]

    def check(self, paper: str) -> None:
        """Raise a ``UserError`` unless all that ``multiverse.yaml`` names is there."""
        content = self.experiments.settings.paper(paper)
        if content.multiverse is None:
            return
        try:
            if content.multiverse.kind not in runs.kinds():
                raise UserError(f"kind: {unknown(content.multiverse.kind, runs.kinds())}")
            for name in self._plugins(paper):
                files_of(*name)
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
        content = self.experiments.settings.paper(paper)
        spec, where = content.multiverse, f"{content.folder}/multiverse.yaml"
        if spec is None:
            return {}
        drawn = self._sizes(spec.settings)
        if view == DRAWN:
            return drawn
        if spec.tuned is None:
            return {}
        tuned, used = self._sizes(spec.tuned.settings), set(self.experiments.table_seeds(paper))
        if seeds := sorted(used & set(spec.tuned.seeds)):
            raise UserError(f"{where}: tuned: tables use the seed {seeds[0]}; choose others")
        for name, n in tuned.items():
            if n > drawn.get(name, 0):
                raise UserError(
                    f"{where}: tuned: {name}: {n} universes are more than the {drawn.get(name, 0)} "
                    f"of `settings` at scale {self.experiments.scale}"
                )
        return tuned

    def _sizes(self, by_setting: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
        sizes = {
            name: by_scale.get(self.experiments.scale, 0) for name, by_scale in by_setting.items()
        }
        return {name: n for name, n in sizes.items() if n}

    def choices(self, paper: str) -> list[Choice]:
        """What the ledger of a paper leaves open, within the bounds of the scale."""
        content, choices = self.experiments.settings.paper(paper), []
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
            places = draw(choices, n, self._spec(paper).seed)
            make = self._drawn if view == DRAWN else self._tuned
            self._universes[key] = [
                make(paper, setting, number, changes(choices, indices))
                for number, indices in enumerate(places)
            ]
        return self._universes[key]

    def _drawn(
        self, paper: str, setting: str, number: int, changed: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A universe in which methods have the options that are drawn."""
        methods: dict[str, dict[str, Any]] = {}
        for key, value in changed.items():
            for name in methods_of(key):
                methods.setdefault(name, {})[option(key)] = value
        return self._universe(paper, setting, number, changed) | {"methods": methods}

    def _tuned(
        self, paper: str, setting: str, number: int, changed: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The same universe, but for the options of methods: each chooses its own."""
        spec, tuned = self._spec(paper), self._tuning(paper)
        of_run = {key: value for key, value in changed.items() if not methods_of(key)}
        universe = self._universe(paper, setting, number, of_run)
        seed = tuned.seeds[number % len(tuned.seeds)]
        validation = self._universe(paper, setting, number, of_run, seed)
        alike = {key: validation[key] for key in ("seed", "partition")}
        alike["options"] = universe["options"] | tuned.options
        candidates = {name: self.candidates(paper, name) for name in spec.methods}
        candidates = {name: some for name, some in candidates.items() if some}
        return universe | {"candidates": candidates, "validation": alike}

    def candidates(self, paper: str, method: str) -> list[dict[str, Any]]:
        """Options that a method chooses from; none if the ledger varies none of its options."""
        seed, tuned = self._spec(paper).seed, self._tuning(paper)
        own = [
            Choice(option(choice.name), choice.values)
            for choice in self.choices(paper)
            if method in methods_of(choice.name)
        ]
        if not own:
            return []
        if prod(len(choice.values) for choice in own) <= tuned.candidates:
            places = product(*(range(len(choice.values)) for choice in own))
        else:
            places = draw(own, tuned.candidates, seed).tolist()
        return [changes(own, indices) for indices in dict.fromkeys(map(tuple, places))]

    def _universe(
        self,
        paper: str,
        setting: str,
        number: int,
        changed: Mapping[str, Any],
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Seed, files and options of a universe."""
        all_settings, spec = self.experiments.settings, self._spec(paper)
        kind, seeds = spec.kind, self.experiments.seeds(paper, spec.kind, setting)
        seed = seeds[number % len(seeds)] if seed is None else seed
        of_run = {
            key.removeprefix(f"{kind}."): value
            for key, value in changed.items()
            if key not in (ENCODER_SEED, SCORE) and not methods_of(key)
        }
        of_run = self._of_partitioner(paper, setting, of_run)
        owner, partition = all_settings.partition_of(paper, setting, of_run)
        data = all_settings.dataset(owner, partition)
        universe = {
            "number": number,
            "seed": seed,
            "partition": self.files.partition(owner, data, partition, seed),
            "options": options.changed(all_settings.run(paper, kind, setting, of_run)),
            "last": changed.get(SCORE, spec.score) == "last",
        }
        if "features" in runs.part_of(kind, "spec").NEEDS:
            dealer, encoder, own = all_settings.encoder_of(paper, setting, of_run)
            own = changed.get(ENCODER_SEED, seed if own is None else own)
            universe["features"] = self.files.features(dealer, data, encoder, own)
        return universe

    def _of_partitioner(
        self, paper: str, setting: str, of_run: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Changes of a run, less options of a partition that this setting's partitioner lacks."""
        all_settings = self.experiments.settings
        _, partitioner = all_settings.partition(*all_settings.partition_of(paper, setting, {}))
        known = [f"partition.{name}" for name in options.names(type(partitioner))]
        return {k: v for k, v in of_run.items() if k in known or not k.startswith("partition.")}

    # ---- Jobs ----------------------------------------------------------------------------------

    def part(self, paper: str, view: str, setting: str, part: str) -> Job:
        """Run some universes of a setting."""
        spec, universes = self._spec(paper), self.universes_of_part(paper, view, setting, part)
        methods, data = (
            multiverse_asked.methods(self.experiments, paper),
            self._data(paper, setting),
        )
        files = [data]
        for universe in universes:
            for split in (universe, universe.get("validation", {})):
                files += [split[key] for key in ("partition", "features") if key in split]
        words = ["--kind", spec.kind, "--data", data]
        for word, value in {"--methods": methods, "--universes": universes}.items():
            words += [word, json.dumps(value, separators=(",", ":"))]
        return Job(
            SCRIPT,
            ("run", *words, "--metric", spec.metric),
            {"files": tuple(dict.fromkeys(files))},
            digest(SCRIPT, self._plugins(paper)),
        )

    def universes_of_part(
        self, paper: str, view: str, setting: str, part: str
    ) -> list[dict[str, Any]]:
        """Universes of a job."""
        first, n = int(part) * PART[view], PART[view]
        return self.universes(paper, view, setting)[first : first + n]

    def _data(self, paper: str, setting: str) -> str:
        """File of the dataset of a setting."""
        settings = self.experiments.settings
        return self.files.dataset(settings.dataset(*settings.partition_of(paper, setting, {})))

    def _plugins(self, paper: str) -> list[tuple[str, str, str]]:
        """Folder, name and content of each file that a part's run loads by its name."""
        spec = self._spec(paper)
        methods = [self.experiments.cells(paper).method(name)[1] for name in spec.methods]
        named = [(f"kinds/{spec.kind}/algorithms", one.algorithm, "ALGORITHM") for one in methods]
        return [(f"kinds/{spec.kind}", "run", "run"), ("metrics", spec.metric, "METRIC"), *named]

    def summary(self, paper: str) -> Job:
        """Sum up what all universes of a paper say."""
        asked = json.dumps(self.asked(paper), separators=(",", ":"))
        files = [
            self.files.universes(paper, view, setting, part)
            for view in PART
            for setting, n in self.settings(paper, view).items()
            for part in range(-(-n // PART[view]))
        ]
        return Job(SCRIPT, ("--asked", asked), {"scores": tuple(files)}, digest(SCRIPT))

    def curve(self, paper: str, claim: str, setting: str) -> Job:
        """Draw a claim on a setting in all universes."""
        return self.summary(paper)

    def curves(self, paper: str) -> list[tuple[str, str]]:
        """Claims and settings that have a specification curve."""
        return [(one["claim"], one["setting"]) for one in self.asked(paper)["claims"]]

    def asked(self, paper: str) -> dict[str, Any]:
        """Choices, settings, claims and published cells, for ``scripts/multiverse.py``."""
        settings = self.settings(paper, DRAWN)
        return multiverse_asked.asked(self.claims, paper, settings, self.choices(paper))

    def _tuning(self, paper: str) -> Tuned:
        tuned = self._spec(paper).tuned
        if tuned is None:
            folder = self.experiments.settings.paper(paper).folder
            raise UserError(f"{folder}/multiverse.yaml: there is no `tuned`")
        return tuned

    def _spec(self, paper: str) -> MultiverseSpec:
        return multiverse_asked.spec_of(self.experiments.settings.paper(paper))
