"""Jobs of all kinds of run: some methods, one setting, one seed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedreact import options, plugins
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.workload import Group

SCRIPT = "scripts/run.py"
SHORT = 5  # minutes on a cluster of a job that takes seconds


@dataclass(frozen=True)
class Run:
    """What a job of a kind of run is run with.

    Attributes
    ----------
    spec
        Spec of its kind.
    options, methods, metrics
        As the kind's ``run`` takes them; metrics by name.
    owner, partition
        Paper and name of the partition.
    encoder
        Paper, name and seed (``None``: the run's) of the encoder, if the kind needs features.
    """

    spec: Any
    options: Any
    methods: Sequence[runs.Method]
    metrics: Sequence[str]
    owner: str
    partition: str
    encoder: tuple[str, str, int | None] | None


class RunJobs:
    """Jobs of ``workflow/rules/runs.smk``, by the wildcards of their files."""

    def __init__(self, experiments: Experiments):
        self.experiments = experiments
        self.settings, self.files = experiments.settings, experiments.files
        self._runs: dict[tuple[str, ...], Run] = {}

    def run(self, kind: str, paper: str, dataset: str, setting: str, job: str) -> Run:
        """What a job is run with.

        Raises
        ------
        UserError
            No output asks for it.
        """
        key = (kind, paper, dataset, setting, job)
        if key not in self._runs:
            self._runs[key] = self._run(*key)
        return self._runs[key]

    def _run(self, kind: str, paper: str, dataset: str, setting: str, job: str) -> Run:
        settings, spec = self.settings, runs.part_of(kind, "spec")
        asked = self.experiments.workload(paper).jobs().get((kind, dataset, setting, job))
        if asked is None and "method" in spec.INDEX:
            raise UserError(
                f"{kind} run {job!r} of {setting!r} on {dataset}: no table, figure, search or "
                f"ledger of {paper} asks for it"
            )
        asked = asked or Group()
        base, changes = settings.parsed(paper, kind, setting)
        methods, made = list(asked.methods.values()), settings.run(paper, kind, base, changes)
        common = _common([method.of_run for method in methods])
        made = variants.apply(type(made), options.vars_of(made), common, setting)
        owner, partition = settings.partition_of(paper, base, changes)
        needs = "features" in spec.NEEDS
        encoder = settings.encoder_of(paper, base, changes) if needs else None
        return Run(spec, made, methods, list(asked.metrics), owner, partition, encoder)

    def training(
        self, kind: str, paper: str, dataset: str, setting: str, job: str, seed: str
    ) -> Job:
        """Run some methods on a setting with a seed; on a GPU all clients are one batch."""
        run = self.run(kind, paper, dataset, setting, job)
        inputs = {
            "data": (self.files.dataset(dataset),),
            "partition": (self.files.partition(run.owner, dataset, run.partition, seed),),
        }
        if run.encoder:
            owner, name, own = run.encoder
            features = self.files.features(owner, dataset, name, seed if own is None else own)
            inputs["features"] = (features,)
        code, threads = self._code(kind, run), self._threads(run)
        return Job(
            SCRIPT,
            (kind, "--setting", setting, "--seed", seed, *_words(run, inputs)),
            inputs,
            code,
            threads,
            run.spec.MEMORY_MB,
            self.experiments.minutes(kind) if run.spec.TRAINS else SHORT,
            self.files.checkpoint(kind, paper, dataset, setting, job, seed, code),
        )

    def _code(self, kind: str, run: Run) -> str:
        """Digest of the code: of the kind of run, and of what the job names."""
        named = [(f"kinds/{kind}", "run", "run"), *plugins.named(run.options)]
        for method in run.methods:
            algorithm = (f"kinds/{kind}/algorithms", method.algorithm, "ALGORITHM")
            named += [algorithm, *plugins.named_by(plugins.load(*algorithm), method.options)]
        named += [("metrics", name, "METRIC") for name in run.metrics]
        return digest(SCRIPT, named)

    def _threads(self, run: Run) -> int:
        if self.experiments.gpus:
            return 1
        n_clients = self.settings.n_clients(run.owner, run.partition)
        return min(run.spec.threads(run.options, n_clients), self.experiments.how_much.threads)

    def kinds(self, trains: bool) -> str:
        """Kinds of run that train for long, or do not: what their wildcard may be."""
        names = [k for k in runs.kinds() if runs.part_of(k, "spec").TRAINS is trains]
        return "|".join(names) or "(?!)"


def _words(run: Run, inputs: Mapping[str, Sequence[str]]) -> list[str]:
    """Options of the command: files, options of the run, methods and metrics."""
    files = [word for name, paths in inputs.items() for word in (f"--{name}", *paths)]
    by_name = {m.name: {"algorithm": m.algorithm, **m.options, **m.of_run} for m in run.methods}
    methods = ["--methods", json.dumps(by_name, separators=(",", ":"))] if by_name else []
    metrics = ["--metrics", *run.metrics] if run.metrics else []
    return [*files, *options.words(options.changed(run.options)), *methods, *metrics]


def _common(mappings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of some mappings have."""
    if not mappings:
        return {}
    first, *rest = mappings
    return {k: v for k, v in first.items() if all(k in one and one[k] == v for one in rest)}
