"""The options of each step of a paper, under a setting, its changes and the scale.

The later wins: defaults of the class, what partition or setting says, the scale's defaults, those
of its role of data, of the setting or partition, its bounds, and changes.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from fedreact import options, plugins
from fedreact.clients.partitioners.contract import clients_of
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError, unknown
from fedreact.resolve import variants
from fedreact.resolve.datasets import Datasets
from fedreact.resolve.entries import PartitionSpec
from fedreact.resolve.once import once
from fedreact.resolve.papers import Paper, load_paper, paper_names
from fedreact.resolve.scales import ENCODER, PARTITIONERS
from fedreact.runs import contract as runs


class Settings:
    """All papers at a scale, and what their steps are run with.

    Names of steps may carry changes, as paths have them (:mod:`fedreact.resolve.variants`).
    """

    def __init__(self, scale: str, datasets: Datasets, like: str | None = None):
        self.scale, self.datasets, self.like = scale, datasets, like
        self._papers: dict[str, Paper] = {}
        self._seen: dict[tuple, Any] = {}

    @cached_property
    def papers(self) -> dict[str, Paper]:
        """All papers by their names."""
        return {name: self.paper(name) for name in self.names}

    @cached_property
    def names(self) -> list[str]:
        """Of all papers."""
        return paper_names()

    def paper(self, name: str) -> Paper:
        """A paper, read and checked once."""
        if name not in self._papers:
            self._papers[name] = load_paper(name, self.scale, self.like)
        return self._papers[name]

    def cited(self, paper: str, what: str, name: str, where: str = "") -> tuple[Paper, str]:
        """Paper and name of what a paper calls ``name``, or cites as ``<paper>/<name>``."""
        owner, mark, own = name.partition("/" if "/" in name else ".")
        if mark and owner in self.names:
            found = self.paper(owner)
        else:
            found, own = self.paper(paper), name
        if own not in getattr(found, what):
            raise UserError(f"{where or found.folder}: {unknown(own, getattr(found, what))}")
        return found, own

    def check(self, paper: str) -> None:
        """Check that the partitions of a paper and of its settings can be made."""
        found = self.paper(paper)
        for name in found.partitions:
            where = f"{found.folder}/partitions.yaml: {name}"
            try:
                self.dataset(paper, name)
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
        for name, spec in found.settings.items():
            where = f"{found.folder}/settings.yaml: {name}"
            self.cited(paper, "partitions", spec.partition, where)
            try:
                for kind in sorted(set(runs.kinds()) & set(spec.steps)):
                    self.run(paper, kind, name, {})
            except UserError as error:
                raise UserError(f"{where}: {error}") from None

    # ---- Partitions ----------------------------------------------------------------------------

    @once
    def partition(self, paper: str, name: str) -> tuple[PartitionSpec, Any]:
        """A partition, or a variant of one: its entry, and its partitioner with its options."""
        base, texts = variants.parts(name)
        owner, own = self.cited(paper, "partitions", base)
        spec = owner.partitions[own]
        cls = plugins.load(PARTITIONERS, spec.by, "PARTITIONER")
        given, here = dict(spec.options), {spec.by: owner.scale.partitions.get(own, {})}
        for layer in (*self._layers(owner, spec.data, ""), here):
            given |= layer.get(spec.by, {})
        changes = _typed(cls, texts, where := f"partition {name}")
        return spec, variants.apply(cls, given, changes, where)

    def dataset(self, paper: str, partition: str) -> str:
        """Name of the dataset of a partition, or of a variant of one."""
        return self.datasets.of_role(self.partition(paper, partition)[0].data)

    def n_clients(self, paper: str, partition: str) -> int:
        """Clients of a partition, or one if only its data tells."""
        owners = self.datasets.owners(self.dataset(paper, partition))
        return clients_of(self.partition(paper, partition)[1], owners) or 1

    # ---- Encoders ------------------------------------------------------------------------------

    @once
    def encoder(self, paper: str, name: str) -> encoding.Options:
        """Options of an encoder, named after the partition that it is trained on, with changes."""
        base, texts = variants.parts(name)
        own = {k.removeprefix("encoder."): v for k, v in texts.items() if _of(k) == ENCODER}
        owner, _ = self.cited(paper, "partitions", base)
        given = self._given(owner, ENCODER, self.partition(paper, base)[0].data, "")
        changes = _typed(encoding.Options, own, where := f"encoder {name}")
        return variants.apply(encoding.Options, given, changes, where).effective()

    @once
    def encoder_of(
        self, paper: str, setting: str, changes: Mapping[str, Any]
    ) -> tuple[str, str, int | None]:
        """Paper, name and seed of the encoder of a setting with changes.

        Its paper is that of the partition. A seed of ``None`` is that of the run. Partitions of
        other data than the shared encoder's share one over their seeds alone.
        """
        owner, own = self.cited(paper, "settings", setting)
        of = variants.split(changes)
        dealer, name = self.partition_of(paper, setting, changes)
        seed, source = None, self.paper(dealer).scale.encoder_from
        asked = "own" if own in owner.scale.encoder_own else "shared"
        if source != "own" and of[""].get("encoder_from", asked) != "own":
            seed, shared = source.get("seed"), source["partition"]
            role = self.partition(dealer, name)[0].data
            if role in source.get("each_seed", ()):
                seed = None
            if role == self.partition(dealer, shared)[0].data:
                name = shared
        base, _ = variants.parts(name)
        data = self.partition(dealer, base)[0].data
        given = self._given(self.paper(dealer), ENCODER, data, "")
        given |= self._given(owner, ENCODER, data, own)
        before = self.encoder(dealer, base)
        now = variants.apply(encoding.Options, given, of["encoder"], f"encoder of {setting}")
        different = options.changed(now.effective(), before)
        return dealer, variants.text(name, {f"encoder.{k}": v for k, v in different.items()}), seed

    # ---- Runs ----------------------------------------------------------------------------------

    @once
    def run(self, paper: str, kind: str, setting: str, changes: Mapping[str, Any]) -> Any:
        """Options of a kind of run under a setting, with changes of the run."""
        owner, own = self.cited(paper, "settings", setting)
        spec = owner.settings[own]
        step = runs.part_of(kind, "spec")
        data = self.partition(owner.name, spec.partition)[0].data
        given = self._given(owner, kind, data, own)
        of_run = {k: v for k, v in variants.split(changes)[""].items() if k != "encoder_from"}
        found = variants.apply(step.Options, given, of_run, f"{setting}")
        if hasattr(step, "check"):
            step.check(found, self._as_stated(paper, setting, changes))
        bounds = {
            name: most
            for name, most in owner.scale.at_most.get(kind, {}).items()
            if isinstance(value := getattr(found, name), int | float) and value > most
        }
        return replace(found, **bounds)

    @once
    def canonical(self, paper: str, kind: str, setting: str, changes: Mapping[str, Any]) -> str:
        """Name of a setting's run under changes, without those that change nothing."""
        kept: dict[str, Any] = {}
        if changes:
            kept = options.changed(
                self.run(paper, kind, setting, changes), self.run(paper, kind, setting, {})
            )
            _, name = self.partition_of(paper, setting, changes)
            kept |= {f"partition.{k}": v for k, v in variants.parts(name)[1].items()}
            if "features" in runs.part_of(kind, "spec").NEEDS:
                kept |= self._encoder_changes(paper, setting, changes)
        return variants.text(setting.replace("/", "."), kept)

    def _encoder_changes(self, paper, setting, changes):
        """What changes make of a setting's encoder, defaults that they bring back too."""
        (_, now, seed), (dealer, before, own) = (
            self.encoder_of(paper, setting, c) for c in (changes, {})
        )
        (base, texts), (base_before, same) = variants.parts(now), variants.parts(before)
        default = options.vars_of(self.encoder(dealer, base_before))
        of = {k: texts.get(k, default.get(k.removeprefix("encoder."))) for k in same | texts}
        kept = {k: v for k, v in of.items() if _of(k) == ENCODER and same.get(k) != v}
        if (base, seed) != (base_before, own) and "encoder_from" in changes:
            kept["encoder_from"] = changes["encoder_from"]
        return kept

    def parsed(self, paper: str, kind: str, name: str) -> tuple[str, dict[str, Any]]:
        """Setting and changes that a name in a path stands for."""
        base, texts = variants.parts(name)
        cls, found = runs.part_of(kind, "spec").Options, {}
        owner, own = self.cited(paper, "settings", base)
        for key, value in texts.items():
            of, where = _of(key), f"{name!r}"
            if key == "encoder_from":
                found[key] = value
            elif of == ENCODER:
                option = key.removeprefix("encoder.")
                found[key] = options.value_of(encoding.Options, option, value, where)
            elif of == "partition":
                by = self.partition(owner.name, owner.settings[own].partition)[0].by
                partitioner = plugins.load(PARTITIONERS, by, "PARTITIONER")
                option = key.removeprefix("partition.")
                found[key] = options.value_of(partitioner, option, value, where)
            else:
                found[key] = options.value_of(cls, key, value, where)
        return base, found

    @once
    def partition_of(self, paper: str, setting: str, changes: Mapping[str, Any]) -> tuple[str, str]:
        """Paper and name of the partition of a setting with changes."""
        owner, own = self.cited(paper, "settings", setting)
        dealer, name = self.cited(owner.name, "partitions", owner.settings[own].partition)
        of = variants.split(changes)["partition"]
        if of:
            _, before = self.partition(dealer.name, name)
            now = variants.apply(type(before), options.vars_of(before), of, f"partition {name}")
            name = variants.text(name, options.changed(now, before))
        return dealer.name, name

    def _as_stated(self, paper, setting, changes):
        """Partitioner of a setting with changes, as its paper has it at no scale."""
        dealer, name = self.partition_of(paper, setting, {})
        spec = self.paper(dealer).partitions[name]
        cls = plugins.load(PARTITIONERS, spec.by, "PARTITIONER")
        return variants.apply(cls, spec.options, variants.split(changes)["partition"], name)

    def _given(self, owner: Paper, step: str, data: str, setting: str) -> dict[str, Any]:
        """What paper and scale say of a step."""
        given = dict(owner.settings[setting].steps.get(step, {})) if setting else {}
        for layer in self._layers(owner, data, setting):
            given |= layer.get(step, {})
        return given

    def _layers(self, owner: Paper, data: str, setting: str):
        scale = owner.scale
        return scale.defaults, scale.of.get(data, {}), scale.settings.get(setting, {})


def _of(key):
    return key.partition(".")[0] if "." in key else ""


def _typed(cls, texts, where):
    return {name: options.value_of(cls, name, text, where) for name, text in texts.items()}
