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
    seeds_of
        Seeds by setting and kind of run, where they differ from these.
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
    apart
        Kinds of run whose methods are a job each. Elsewhere methods of one architecture share a
        job, and so the seconds of its start; but another method makes all of them run again.
    first
        Settings that a campaign runs before the others.
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
    seeds_of: dict[str, dict[str, Seeds]] = field(default_factory=dict)
    defaults: dict[str, dict[str, Any]] = field(default_factory=dict)
    of: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    settings: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    partitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    at_most: dict[str, dict[str, Any]] = field(default_factory=dict)
    tuned: dict[str, dict[str, Any]] = field(default_factory=dict)
    differences: tuple[str, ...] = ()
    differences_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unlike: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    apart: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
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
        differences = self.differences_of
        of_setting = self.unlike.get(setting, {}).get(kind, ())
        return (*differences.get(role, ()), *differences.get(kind, ()), *of_setting)

    @property
    def all_differences(self) -> list[str]:
        """Those of everything, each with what it is of: roles, kinds of runs, settings."""
        of_settings = {name: sum(by_kind.values(), ()) for name, by_kind in self.unlike.items()}
        names_of: dict[str, list[str]] = {}
        for name, texts in [*self.differences_of.items(), *of_settings.items()]:
            for text in texts:
                names_of.setdefault(text, []).append(name)
        each = [f"{', '.join(name)}: {text}" for text, name in names_of.items()]
        return [*self.differences, *each, *self._given_encoder()]

    def _given_encoder(self) -> list[str]:
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
    roles = list(dict.fromkeys(spec.data for spec in partitions.values()))
    if scale.encoder_from != "own":
        shared = options.check(Shared, scale.encoder_from, f"{where}: encoder_from")
        _check_known(shared.each_seed, roles, f"{where}: encoder_from: each_seed")
    for what in ("settings", "seeds_of", "first", "unlike", "encoder_own"):
        _check_known(getattr(scale, what), settings, f"{where}: {what}")
    _check_known(
        [variants.parts(name)[0] for name in scale.left_out], settings, f"{where}: left_out"
    )
    _check_reasons(scale.left_out, f"{where}: left_out")
    _check_known(scale.partitions, partitions, f"{where}: partitions")
    for name, changed in scale.partitions.items():
        check_step(partitions[name].by, changed, f"{where}: partitions: {name}")
    _check_known(scale.of, roles, f"{where}: of")
    _check_known(scale.differences_of, [*roles, *runs.kinds()], f"{where}: differences_of")
    for layer in (scale.defaults, scale.at_most, *scale.of.values(), *scale.settings.values()):
        for step, of_step in layer.items():
            check_step(step, of_step, where)
    _check_known(scale.at_most, runs.kinds(), f"{where}: at_most")
    for bounds in scale.at_most.values():
        if odd := [bound for bound in bounds.values() if type(bound) not in (int, float)]:
            raise UserError(f"{where}: at_most: {options.shown(odd[0])} is no number")
    _check_known(scale.seeds, runs.kinds(), f"{where}: seeds")
    _check_known(scale.apart, runs.kinds(), f"{where}: apart")
    for name, seeds in scale.seeds_of.items():
        _check_known(seeds, runs.kinds(), f"{where}: seeds_of: {name}")
    for by_kind in scale.unlike.values():
        _check_known(by_kind, runs.kinds(), f"{where}: unlike")
    return scale


def _check_known(names: Iterable[str], known_names: Iterable[str], where: str) -> None:
    """Refuse names that are unknown."""
    there = list(known_names)
    if odd := [name for name in names if name not in there]:
        raise UserError(f"{where}: {unknown(odd[0], there)}")


def _check_reasons(left_out: Mapping[str, Any], where: str) -> None:
    """Refuse what is no reason to leave a setting out: a text, or one for each kind of run."""
    for setting, reason in left_out.items():
        by_kind = reason if isinstance(reason, Mapping) else {}
        _check_known(by_kind, runs.kinds(), f"{where}: {setting}")
        if not all(isinstance(text, str) for text in by_kind.values() or [reason]):
            raise UserError(f"{where}: {setting}: wanted a reason, or one by kind of run")


def check_step(step: str, content: Mapping[str, Any], where: str) -> None:
    """Check options of a step, as far as they are given."""
    cls = options_of_step(step, where)
    if not isinstance(content, Mapping):
        raise UserError(f"{where}: {step}: wanted options, got {options.shown(content)}")
    if odd := [key for key in content if key not in options.names(cls)]:
        there = known(options.names(cls), odd[0])
        raise UserError(f"{where}: unknown option {odd[0]} of {step}; known: {there}")
    options.check(options.part_of(cls, only=tuple(content)), content, f"{where}: {step}")


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
