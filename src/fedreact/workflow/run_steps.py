"""What the rules of ``workflow/rules/runs.smk`` ask."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fedreact import options, plugins
from fedreact.clients.partitioners.contract import clients_of
from fedreact.errors import UserError
from fedreact.runs import contract as runs
from fedreact.workflow import variants
from fedreact.workflow.cells import Job
from fedreact.workflow.code import digest

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan

SHORT = 5  # minutes on a cluster of a job that takes seconds


@dataclass(frozen=True)
class RunJob:
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


class RunSteps:
    """Jobs of all kinds of run; ``w`` are the wildcards of their files."""

    def __init__(self, plan: "Plan"):
        self.plan = plan
        self._jobs: dict[tuple, RunJob] = {}

    def job(self, w: Any) -> RunJob:
        """What a job is run with."""
        key = (w.kind, w.paper, w.dataset, w.setting, w.job)
        if key not in self._jobs:
            self._jobs[key] = self._job(*key)
        return self._jobs[key]

    def _job(self, kind, paper, data, setting, name):
        steps, spec = self.plan.steps, runs.part_of(kind, "spec")
        base, changes = steps.parsed(paper, kind, setting)
        asked = self.plan.cells(paper).jobs().get((kind, data, setting, name))
        if asked is None and "method" in spec.INDEX:
            raise UserError(
                f"{kind} run {name!r} of {setting!r} on {data}: no table, figure, search or ledger "
                f"of {paper} asks for it"
            )
        asked = asked or Job()
        methods, of_run = list(asked.methods.values()), steps.run(paper, kind, base, changes)
        common = _common([m.of_run for m in methods])
        of_run = variants.apply(type(of_run), options.vars_of(of_run), common, setting)
        owner, partition = steps.partition_of(paper, base, changes)
        needs = "features" in spec.NEEDS
        encoder = steps.encoder_of(paper, base, changes) if needs else None
        return RunJob(spec, of_run, methods, list(asked.metrics), owner, partition, encoder)

    def inputs(self, w: Any) -> dict[str, str]:
        """Inputs, by the options of the command."""
        job, files = self.job(w), self.plan.files
        inputs = {
            "data": files.dataset(w.dataset),
            "partition": files.partition(job.owner, w.dataset, job.partition, w.seed),
        }
        if job.encoder:
            owner, name, seed = job.encoder
            seed = w.seed if seed is None else seed
            inputs["features"] = files.features(owner, w.dataset, name, seed)
        return inputs

    def words(self, w: Any) -> list[str]:
        """Options of ``scripts/run.py``, without its kind."""
        job = self.job(w)
        inputs = [word for name, path in self.inputs(w).items() for word in (f"--{name}", path)]
        given = {m.name: {"algorithm": m.algorithm, **m.options, **m.of_run} for m in job.methods}
        methods = ["--methods", json.dumps(given, separators=(",", ":"))] if given else []
        metrics = ["--metrics", *job.metrics] if job.metrics else []
        return [*inputs, *options.words(options.changed(job.options)), *methods, *metrics]

    def code(self, w: Any) -> str:
        """Digest of the code: of the kind of run, and of what the job names."""
        job = self.job(w)
        named = [(f"runs/{w.kind}", "run", "run"), *plugins.named(job.options)]
        for m in job.methods:
            of = (f"algorithms/{w.kind}", m.algorithm, "ALGORITHM")
            named += [of, *plugins.named_by(plugins.load(*of), m.options)]
        named += [("metrics", name, "METRIC") for name in job.metrics]
        return digest("scripts/run.py", named)

    def n_clients(self, paper: str, partition: str) -> int:
        """Clients of a partition, or one if only its data tells."""
        steps, sources = self.plan.steps, self.plan.sources
        owners = sources.owners(steps.dataset(paper, partition))
        return clients_of(steps.partition(paper, partition)[1], owners) or 1

    def threads(self, w: Any) -> int:
        """Cores; on a GPU all clients are one batch."""
        job = self.job(w)
        if self.plan.gpus:
            return 1
        wanted = job.spec.threads(job.options, self.n_clients(job.owner, job.partition))
        return min(wanted, self.plan.how_much.threads)

    def memory(self, w: Any, threads: int) -> int:
        """Megabytes."""
        base, each = runs.part_of(w.kind, "spec").MEMORY_MB
        return base + each * threads

    def minutes(self, w: Any) -> int:
        """Minutes on a cluster, after which it is stopped; trainings go on from checkpoints."""
        minutes = self.plan.how_much.minutes
        trains = runs.part_of(w.kind, "spec").TRAINS
        return minutes.get(w.kind, minutes["default"]) if trains else SHORT

    def kinds(self, trains: bool) -> str:
        """Kinds of run that train for long, or do not: what their wildcard may be."""
        found = [k for k in runs.kinds() if runs.part_of(k, "spec").TRAINS is trains]
        return "|".join(found) or "(?!)"

    def checkpoint(self, w: Any) -> str:
        """File that a training keeps: of this code, so that none of other work is taken up."""
        path = (w.kind, w.paper, w.dataset, w.setting, w.job)
        return self.plan.files.checkpoint(*path, w.seed, self.code(w))

    # ---- Studies -------------------------------------------------------------------------------

    def study_json(self, target: str) -> str:
        """What a table or figure says of its study."""
        return json.dumps(self.plan.outputs.study(target)[0], separators=(",", ":"))

    def study_code(self, target: str) -> str:
        """Digest of the code of a study."""
        given, study = self.plan.outputs.study(target)
        return digest(
            "scripts/study.py", [("studies", given["kind"], "STUDY"), *plugins.named(study)]
        )


def _common(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all of some mappings have."""
    if not given:
        return {}
    return {k: v for k, v in given[0].items() if all(k in g and g[k] == v for g in given[1:])}
