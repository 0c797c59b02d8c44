"""Settings: the options of each step of a paper, under a setting, its changes and the scale."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from fedreact import options, plugins
from fedreact.clients.partitioners.contract import OwnerParts, clients_of
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError, unknown
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.datasets import Datasets
from fedreact.resolve.entries import PartitionSpec
from fedreact.resolve.layers import Layer, Layers
from fedreact.resolve.once import once
from fedreact.resolve.papers import Paper, load_paper, paper_names
from fedreact.resolve.scales import ENCODER, PARTITIONERS


class Settings:
    """All papers at a scale, and what their steps are run with.

    Names of steps may carry changes, as paths have them (:mod:`fedreact.resolve.variants`).
    """

    def __init__(self, scale: str, datasets: Datasets, like: str | None = None):
        self.scale, self.datasets, self.like = scale, datasets, like
        self._papers: dict[str, Paper] = {}
        self._seen: dict[tuple[Any, ...], Any] = {}

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
            source = self.paper(owner)
        else:
            source, own = self.paper(paper), name
        if own not in getattr(source, what):
            there = list(getattr(source, what))
            if source.name == paper and not mark:  # it may be cited without its paper
                others = [other for other in self.names if own in getattr(self.paper(other), what)]
                there = [f"{other}/{own}" for other in others] or there
            raise UserError(f"{where or source.folder}: {unknown(own, there)}")
        return source, own

    def check(self, paper: str) -> None:
        """Check that the partitions of a paper and of its settings can be made."""
        content = self.paper(paper)
        for name in content.partitions:
            where = f"{content.folder}/experiment.yaml: partitions: {name}"
            try:
                self._check_clients(paper, name)
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
        for name, spec in content.settings.items():
            where = f"{content.folder}/experiment.yaml: settings: {name}"
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
        changes = _typed(cls, texts, where := f"partition {name}")
        values = self.partition_layers(owner, own).values()
        return spec, variants.apply(cls, values, changes, where)

    def dataset(self, paper: str, partition: str) -> str:
        """Name of the dataset of a partition, or of a variant of one."""
        return self.datasets.of_role(self.partition(paper, partition)[0].data)

    def n_clients(self, paper: str, partition: str) -> int:
        """Clients of a partition, or one if only its data tells."""
        owners = self.datasets.owners(self.dataset(paper, partition))
        return clients_of(self.partition(paper, partition)[1], owners) or 1

    def _check_clients(self, paper: str, partition: str) -> None:
        """Check that a dataset of the user's own has as many clients as a partition asks for."""
        data = self.dataset(paper, partition)
        partitioner = self.partition(paper, partition)[1]
        stated = partitioner.n_clients
        if not self.datasets.is_own(data) or not isinstance(partitioner, OwnerParts):
            return
        named = self.datasets.own_clients(data)
        if named is None or partitioner.min_samples is not None:
            return
        if partitioner.owners is not None and partitioner.owners > named:
            raise UserError(f"owners: {data} has {named} clients, not {partitioner.owners}")
        there = min(partitioner.owners or named, named) * partitioner.parts
        if stated not in (None, there):
            raise UserError(
                f"clients: {data} has {there} clients, not {stated}; leave clients "
                "out to take all, or take the first ones by owners"
            )

    # ---- Encoders ------------------------------------------------------------------------------

    @once
    def encoder(self, paper: str, name: str) -> encoding.Options:
        """Options of an encoder, named after the partition that it is trained on, with changes."""
        base, texts = variants.parts(name)
        own = {k.removeprefix("encoder."): v for k, v in texts.items() if _step_of(k) == ENCODER}
        owner, _ = self.cited(paper, "partitions", base)
        values = self.layers(owner, ENCODER, self.partition(paper, base)[0].data).values()
        changes = _typed(encoding.Options, own, where := f"encoder {name}")
        return variants.apply(encoding.Options, values, changes, where).effective()

    @once
    def encoder_of(
        self, paper: str, setting: str, changes: Mapping[str, Any]
    ) -> tuple[str, str, int | None]:
        """Paper, name and seed of the encoder of a setting with changes.

        Its paper is that of the partition. A seed of ``None`` is that of the run. Partitions of
        other data than the shared encoder's share one over their seeds alone.
        """
        dealer, name = self._trained_on(paper, setting, changes)
        base, _ = variants.parts(name)
        role = self.partition(dealer, base)[0].data
        seed, source = None, self.paper(dealer).scale.encoder_from
        if self._shares(paper, setting, changes) and role not in source.get("each_seed", ()):
            seed = source.get("seed")
        values = self.encoder_layers(paper, setting, changes).values()
        own = variants.split(changes)[ENCODER]
        now = variants.apply(encoding.Options, values, own, f"encoder of {setting}")
        different = options.changed(now.effective(), self.encoder(dealer, base))
        return dealer, variants.text(name, {f"encoder.{k}": v for k, v in different.items()}), seed

    def _shares(self, paper: str, setting: str, changes: Mapping[str, Any]) -> bool:
        """Whether a setting takes the encoder that its partition's paper shares at this scale."""
        owner, own = self.cited(paper, "settings", setting)
        dealer, _ = self.partition_of(paper, setting, changes)
        asked = "own" if own in owner.scale.encoder_own else "shared"
        shared = self.paper(dealer).scale.encoder_from != "own"
        return shared and variants.split(changes)[""].get("encoder_from", asked) != "own"

    def _trained_on(self, paper: str, setting: str, changes: Mapping[str, Any]) -> tuple[str, str]:
        """Paper and name of the partition that the encoder of a setting is trained on."""
        dealer, name = self.partition_of(paper, setting, changes)
        if self._shares(paper, setting, changes):
            shared = self.paper(dealer).scale.encoder_from["partition"]
            if self.partition(dealer, name)[0].data == self.partition(dealer, shared)[0].data:
                name = shared
        return dealer, name

    # ---- Runs ----------------------------------------------------------------------------------

    @once
    def run(self, paper: str, kind: str, setting: str, changes: Mapping[str, Any]) -> Any:
        """Options of a kind of run under a setting, with changes of the run."""
        step, layers = runs.part_of(kind, "spec"), self.run_layers(paper, kind, setting)
        own = {k: v for k, v in variants.split(changes)[""].items() if k != "encoder_from"}
        made = variants.apply(step.Options, layers.values(), own, f"{setting}")
        if layers.bounds and (odd := layers.lowered(own)):
            name, bounds = odd[0], layers.bounds
            raise UserError(
                f"{name} {own[name]} is more than scale {self.scale} allows "
                f"({bounds.options[name]}, in {bounds.location / name}); ask for less, or leave "
                "the row out at this scale (left_out)"
            )
        check = getattr(step, "check", None)  # a kind of run may have none
        if check is not None:
            check(made, self._as_stated(paper, setting, changes))
        return made

    def run_layers(self, paper: str, kind: str, setting: str) -> Layers:
        """What a paper and its scale say of a kind of run under a setting."""
        owner, own = self.cited(paper, "settings", setting)
        data = self.partition(owner.name, owner.settings[own].partition)[0].data
        return self.layers(owner, kind, data, own)

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

    def _encoder_changes(
        self, paper: str, setting: str, changes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What changes make of a setting's encoder, defaults that they bring back too."""
        _, now, seed = self.encoder_of(paper, setting, changes)
        dealer, before, own = self.encoder_of(paper, setting, {})
        (base, texts), (base_before, same) = variants.parts(now), variants.parts(before)
        default = options.vars_of(self.encoder(dealer, base_before))
        values = {k: texts.get(k, default.get(k.removeprefix("encoder."))) for k in same | texts}
        kept = {k: v for k, v in values.items() if _step_of(k) == ENCODER and same.get(k) != v}
        if (base, seed) != (base_before, own) and "encoder_from" in changes:
            kept["encoder_from"] = changes["encoder_from"]
        return kept

    def parsed(self, paper: str, kind: str, name: str) -> tuple[str, dict[str, Any]]:
        """Setting and changes that a name in a path stands for."""
        base, texts = variants.parts(name)
        cls = runs.part_of(kind, "spec").Options
        changes: dict[str, Any] = {}
        owner, own = self.cited(paper, "settings", base)
        for key, value in texts.items():
            step, where = _step_of(key), f"{name!r}"
            if key == "encoder_from":
                changes[key] = value
            elif step == ENCODER:
                option = key.removeprefix("encoder.")
                changes[key] = options.value_of(encoding.Options, option, value, where)
            elif step == "partition":
                by = self.partition(owner.name, owner.settings[own].partition)[0].by
                partitioner = plugins.load(PARTITIONERS, by, "PARTITIONER")
                option = key.removeprefix("partition.")
                changes[key] = options.value_of(partitioner, option, value, where)
            else:
                changes[key] = options.value_of(cls, key, value, where)
        return base, changes

    @once
    def partition_of(self, paper: str, setting: str, changes: Mapping[str, Any]) -> tuple[str, str]:
        """Paper and name of the partition of a setting with changes."""
        owner, own = self.cited(paper, "settings", setting)
        dealer, name = self.cited(owner.name, "partitions", owner.settings[own].partition)
        of_partition = variants.split(changes)["partition"]
        if of_partition:
            _, before = self.partition(dealer.name, name)
            values, where = options.vars_of(before), f"partition {name}"
            now = variants.apply(type(before), values, of_partition, where)
            name = variants.text(name, options.changed(now, before))
        return dealer.name, name

    def _as_stated(self, paper: str, setting: str, changes: Mapping[str, Any]) -> Any:
        """Partitioner of a setting with changes, as its paper has it at no scale."""
        dealer, name = self.partition_of(paper, setting, {})
        spec = self.paper(dealer).partitions[name]
        cls = plugins.load(PARTITIONERS, spec.by, "PARTITIONER")
        return variants.apply(cls, spec.options, variants.split(changes)["partition"], name)

    # ---- Layers --------------------------------------------------------------------------------

    def layers(self, owner: Paper, step: str, data: str, setting: str = "") -> Layers:
        """What a paper and its scale say of a step, of one setting or of none in particular."""
        paper: list[Layer] = []
        if setting and step in (steps := owner.settings[setting].steps):
            paper = [Layer(steps[step], owner.at("settings", setting, step), True)]
        scale = owner.scale
        by_place = {
            ("defaults",): scale.defaults,
            ("of", data): scale.of.get(data, {}),
            ("settings", setting): scale.settings.get(setting, {}),
        }
        of_scale = [
            Layer(steps[step], owner.at("scale", *keys, step))
            for keys, steps in by_place.items()
            if step in steps
        ]
        bounds = scale.at_most.get(step)
        place = owner.at("scale", "at_most", step)
        return Layers((*paper, *of_scale), Layer(bounds, place) if bounds else None)

    def partition_layers(self, owner: Paper, name: str) -> Layers:
        """What a paper and its scale say of the partitioner of a partition."""
        spec, changed = owner.partitions[name], owner.scale.partitions.get(name)
        first = Layer(spec.options, owner.at("partitions", name), True)
        last = [Layer(changed, owner.at("scale", "partitions", name))] if changed else []
        return Layers((first, *self.layers(owner, spec.by, spec.data).layers, *last))

    def encoder_layers(self, paper: str, setting: str, changes: Mapping[str, Any]) -> Layers:
        """What papers and scale say of the encoder of a setting: the partition's paper first."""
        owner, own = self.cited(paper, "settings", setting)
        dealer, name = self._trained_on(paper, setting, changes)
        base, _ = variants.parts(name)
        data = self.partition(dealer, base)[0].data
        first = self.layers(self.paper(dealer), ENCODER, data)
        return first | self.layers(owner, ENCODER, data, own)


def _step_of(key: str) -> str:
    """Return the step of a key such as ``encoder.rounds``; none, if it is the run's."""
    return key.partition(".")[0] if "." in key else ""


def _typed(cls: type, texts: Mapping[str, str], where: str) -> dict[str, Any]:
    return {name: options.value_of(cls, name, text, where) for name, text in texts.items()}
