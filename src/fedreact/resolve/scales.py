"""A paper's scale, ``config/papers/<paper>/scales/<scale>.yaml``, checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fedreact import options, plugins
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError, known, unknown
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.entries import PartitionSpec, Seeds

ENCODER = "encoder"
PARTITIONERS = "clients/partitioners"

GIVEN_ENCODER = "all seeds share one encoder, so intervals are given this encoder"


@dataclass(frozen=True)
class Shared:
    """The encoder that settings share: of which partition, and with which seed.

    Without a seed each seed of a run has its own encoder, so that intervals count how encoders
    differ. So it is for the roles of data in ``each_seed`` in any case.
    """

    partition: str
    seed: options.Natural | None = None
    each_seed: tuple[str, ...] = ()


@dataclass(frozen=True)
class PaperScale:
    """``scales/<scale>.yaml`` of a paper: how it is run at a scale.

    Attributes
    ----------
    encoder_from
        ``own``: each partition and seed trains an encoder; or a partition and seed whose encoder
        all settings of its data share. Settings of other data share that of their partition.
    encoder_own
        Settings that train an encoder for each seed nevertheless.
    seeds
        Seeds by kind of run, where they differ from the scale's.
    defaults, of, settings
        Options by step (a kind of run, ``encoder``, or a partitioner): of all settings, of those of
        a role of data, of a setting.
    partitions
        Options of the partitioner of a partition.
    at_most
        Bounds of options, by step.
    tuned
        Best options found by a search, by method of a job.
    differences
        Differences from the paper's protocol, for people.
    differences_of
        Further differences, by role of data or kind of run.
    unlike
        Further differences, by setting and kind of run.
    left_out
        Why tables and figures leave out a setting, or a setting with changes as runs are named
        (``eeg10+C=10.0``), at this scale: a reason for all kinds of run, or a reason by kind.
        Searches do not leave it out.
    tables_left_out
        Why a table is left out at this scale.
    """

    encoder_from: Any = "own"
    encoder_own: tuple[str, ...] = ()
    seeds: dict[str, Seeds] = field(default_factory=dict)
    defaults: dict[str, dict[str, Any]] = field(default_factory=dict)
    of: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    settings: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    partitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    at_most: dict[str, dict[str, Any]] = field(default_factory=dict)
    tuned: dict[str, dict[str, Any]] = field(default_factory=dict)
    differences: tuple[str, ...] = ()
    differences_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unlike: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    left_out: dict[str, Any] = field(default_factory=dict)
    tables_left_out: dict[str, str] = field(default_factory=dict)

    def reason_to_leave_out(self, names: Iterable[str], kind: str, tuned: bool) -> str | None:
        """Return why a cell is left out, or ``None``; ``names`` are its setting's and its run's.

        A row of tuned methods is left out whole where a kind of run of its setting is: without the
        methods that were tuned it would repeat the row beside it.
        """
        reason = next((self.left_out[name] for name in names if name in self.left_out), None)
        if isinstance(reason, Mapping):
            return next(iter(reason.values())) if tuned else reason.get(kind)
        return reason

    def unlike_of(self, setting: str, role: str, kind: str) -> tuple[str, ...]:
        """Differences of the runs of a kind on a setting, beside those of all runs."""
        of = self.differences_of
        of_setting = self.unlike.get(setting, {}).get(kind, ())
        return (*of.get(role, ()), *of.get(kind, ()), *of_setting)

    @property
    def all_differences(self) -> list[str]:
        """Those of everything, each with what it is of: roles, kinds of runs, settings."""
        of_settings = {of: sum(given.values(), ()) for of, given in self.unlike.items()}
        found: dict[str, list[str]] = {}
        for of, texts in [*self.differences_of.items(), *of_settings.items()]:
            for text in texts:
                found.setdefault(text, []).append(of)
        each = [f"{', '.join(of)}: {text}" for text, of in found.items()]
        return [*self.differences, *each, *self._given_encoder()]

    def _given_encoder(self):
        """What is said of intervals where all seeds share one encoder."""
        if self.encoder_from == "own" or self.encoder_from.get("seed") is None:
            return []
        own = [*self.encoder_from.get("each_seed", ()), *self.encoder_own]
        return [GIVEN_ENCODER + (f" (except: {', '.join(own)})" if own else "")]


def check_scale(
    content: Mapping[str, Any],
    where: str,
    settings: Mapping[str, Any],
    partitions: Mapping[str, PartitionSpec],
) -> PaperScale:
    """Check a scale against the settings and partitions of its paper.

    Raises
    ------
    UserError
        It names what its paper does not have, or an option that its step does not have.
    """
    scale = options.check(PaperScale, content, where)
    roles = dict.fromkeys(spec.data for spec in partitions.values())
    if scale.encoder_from != "own":
        shared = options.check(Shared, scale.encoder_from, f"{where}: encoder_from")
        if odd := [role for role in shared.each_seed if role not in roles]:
            raise UserError(f"{where}: encoder_from: each_seed: {unknown(odd[0], roles)}")
    for what in ("settings", "unlike", "encoder_own", "left_out"):
        for name in getattr(scale, what):
            setting = variants.parts(name)[0] if what == "left_out" else name
            if setting not in settings:
                raise UserError(f"{where}: {what}: {unknown(setting, settings)}")
    for setting, reason in scale.left_out.items():
        by_kind = reason if isinstance(reason, Mapping) else {}
        if odd := [kind for kind in by_kind if kind not in runs.kinds()]:
            raise UserError(f"{where}: left_out: {setting}: {unknown(odd[0], runs.kinds())}")
        if not all(isinstance(text, str) for text in by_kind.values() or [reason]):
            raise UserError(f"{where}: left_out: {setting}: wanted a reason, or one by kind of run")
    for name, given in scale.partitions.items():
        if name not in partitions:
            raise UserError(f"{where}: partitions: {unknown(name, partitions)}")
        check_step(partitions[name].by, given, f"{where}: partitions: {name}")
    for role in scale.of:
        if role not in roles:
            raise UserError(f"{where}: of: {unknown(role, roles)}")
    if odd := [of for of in scale.differences_of if of not in {*roles, *runs.kinds()}]:
        raise UserError(f"{where}: differences_of: {unknown(odd[0], [*roles, *runs.kinds()])}")
    layers = [scale.defaults, scale.at_most, *scale.of.values(), *scale.settings.values()]
    for step, of_step in ((step, of) for layer in layers for step, of in layer.items()):
        check_step(step, of_step, where)
    for step, bounds in scale.at_most.items():
        if step not in runs.kinds():
            raise UserError(f"{where}: at_most: {unknown(step, runs.kinds())}")
        if odd := [v for v in bounds.values() if type(v) not in (int, float)]:
            raise UserError(f"{where}: at_most: {options.shown(odd[0])} is no number")
    for what, named in (("seeds", scale.seeds), *(("unlike", o) for o in scale.unlike.values())):
        for kind in named:
            if kind not in runs.kinds():
                raise UserError(f"{where}: {what}: {unknown(kind, runs.kinds())}")
    return scale


def check_step(step: str, given: Mapping[str, Any], where: str) -> None:
    """Check options of a step, as far as they are given."""
    cls = options_of_step(step, where)
    if not isinstance(given, Mapping):
        raise UserError(f"{where}: {step}: wanted options, got {options.shown(given)}")
    if odd := [key for key in given if key not in options.names(cls)]:
        there = known(options.names(cls), odd[0])
        raise UserError(f"{where}: unknown option {odd[0]} of {step}; known: {there}")
    options.check(options.part_of(cls, only=tuple(given)), given, f"{where}: {step}")


def options_of_step(step: str, where: str) -> type:
    """Options of a step: of the encoder, a kind of run, or a partitioner."""
    if step == ENCODER:
        return encoding.Options
    if step in runs.kinds():
        return runs.part_of(step, "spec").Options
    try:
        return plugins.load(PARTITIONERS, step, "PARTITIONER")
    except UserError:
        steps = [ENCODER, *runs.kinds(), *plugins.names(PARTITIONERS, "PARTITIONER")]
        raise UserError(f"{where}: {unknown(step, steps)}") from None
