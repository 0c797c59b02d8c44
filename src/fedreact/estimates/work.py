"""How much work a job is, and how fast this machine does it where no earlier run has shown it."""

import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from fedreact import npz, options
from fedreact.encoding import train as encoding
from fedreact.engine.engine import Stacked, TrainingJob, keep_heap
from fedreact.engine.local_training import LocalTraining
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.kinds.client_records import MOST
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.multiverse.run import Universe, candidates, drawn
from fedreact.resolve import multiverse_asked
from fedreact.resolve.plan import Plan
from fedreact.resolve.run_jobs import Run
from fedreact.task import Task

SECONDS_A_GFLOP = 0.03
"""CPU seconds of what trains no model by gradients: many small products of matrices."""

BYTES_A_SCORE = 12
"""Of a client in a round: its score, its cluster and the true one, before they are compressed."""


class PlannedWork:
    """Work of the jobs of a plan, by their rule and wildcards."""

    def __init__(self, plan: Plan):
        self.plan = plan

    def gflops(self, rule: str, wildcards: Mapping[str, str]) -> float | None:
        """Of all clients; ``None`` for what always takes about the same."""
        w = SimpleNamespace(**self.plan.named(wildcards))
        if rule == "train_encoder":
            encoder = self.plan.settings.encoder(w.paper, w.encoder)
            (partition,) = self.plan.job(rule, **wildcards).inputs["partition"]
            sizes = self._sizes(w, partition)
            return encoding.work(encoder, self.plan.datasets.task(w.dataset), sizes)
        if rule in ("run", "train"):
            job, run = self.run(w), runs.part_of(w.kind, "run")
            sizes = self._sizes(w, self._partition(w))
            task = self.plan.datasets.task(w.dataset)
            trained: float = run.work(job.options, job.methods, task, sizes)
            return trained + self._scoring(w, job, task)
        if rule == "multiverse_part":
            universes = [
                Universe(**one)
                for one in self.plan.multiverse.universes_of_part(
                    w.paper, w.view, w.setting, w.part
                )
            ]
            return sum(self._of_universe(w, universe) for universe in universes)
        return None

    def run(self, w: SimpleNamespace) -> Run:
        """What a job of a kind of run is run with."""
        return self.plan.runs.run(w.kind, w.paper, w.dataset, w.setting, w.job)

    def _scoring(self, w, job: Run, task: Task) -> float:
        """Count the GFLOPs of scoring each method's models on all test samples after rounds.

        Only of kinds whose module ``run`` says which rounds are scored, and what a client trains.
        """
        run = runs.part_of(w.kind, "run")
        is_scored, local = (getattr(run, name, None) for name in ("is_scored", "local_training"))
        file = Path(self._partition(w))
        if is_scored is None or local is None or not file.exists():
            return 0.0
        n_rounds = sum(is_scored(t, job.options) for t in range(1, job.options.rounds + 1))
        n_test = npz.load(file, "partition", ["n_test"])["n_test"].sum()
        passes = len(job.methods) * n_rounds * float(n_test)
        multiply_adds: float = local(job.options, task).objective.multiply_adds(task.steps)
        return passes * 2 * multiply_adds / 1e9

    def _partition(self, w):
        run = self.run(w)
        return self.plan.files.partition(run.owner, w.dataset, run.partition, w.seed)

    def _of_universe(self, w, universe):
        """Count the GFLOPs of a universe, its methods' candidates included.

        A method that chooses among candidates then runs with the options of the configuration.
        """
        settings = self.plan.settings
        kind = multiverse_asked.spec_of(settings.paper(w.paper)).kind
        task = self.plan.datasets.task(
            settings.dataset(*settings.partition_of(w.paper, w.setting, {}))
        )
        spec, run = (runs.part_of(kind, part) for part in ("spec", "run"))
        methods, total = multiverse_asked.methods(self.plan.experiments, w.paper), 0.0
        tried, validation = candidates(methods, universe)
        pairs: list[tuple[Mapping[str, Mapping[str, Any]], Universe]] = [
            (drawn(methods, universe), universe),
            (tried, validation),
        ]
        for entries, one in pairs:
            made = [runs.method(kind, name, entries[name], f"method {name}") for name in entries]
            checked = options.check(spec.Options, dict(one.options), f"universe {one.number}")
            total += run.work(checked, made, task, self._sizes(w, one.partition)) if made else 0.0
        return total

    def megabytes_of_clients(self, rule: str, wildcards: Mapping[str, str]) -> float:
        """At most so many, of what is kept of each client in each round that is scored."""
        if rule not in ("run", "train"):
            return 0.0
        w = SimpleNamespace(**self.plan.named(wildcards))
        job = self.run(w)
        n_clients = len(self._sizes(w, self._partition(w)))
        n_rounds = getattr(job.options, "rounds", None) or 1
        n_scores = len(job.methods) * n_rounds * n_clients
        return min(n_scores, MOST) * BYTES_A_SCORE / 1e6

    def _sizes(self, w, file):
        """Train samples of the clients: of the partition, if it is there, else about as many."""
        if Path(file).exists():
            return npz.load(Path(file), "partition", ["n_train"])["n_train"].tolist()
        owner, name = Path(file).parts[3], self.plan.files.name(Path(file).parts[5])
        dealer = self.plan.settings.partition(owner, name)[1]
        each = getattr(dealer, "samples_per_client", 1000) * (
            1 - getattr(dealer, "test_share", 0.1)
        )
        return [round(each)] * self.plan.settings.n_clients(owner, name)

    def training(
        self, rule: str, wildcards: Mapping[str, str]
    ) -> tuple[LocalTraining, Task] | None:
        """What clients of a job do in a round, to be timed; ``None`` if they train nothing."""
        w = SimpleNamespace(**self.plan.named(wildcards))
        if "dataset" not in wildcards:
            return None
        task = self.plan.datasets.task(w.dataset)
        if rule == "train_encoder":
            encoder = self.plan.settings.encoder(w.paper, w.encoder)
            return encoding.local_training(encoder, task.channels), task
        if rule in ("run", "train"):
            of_kind = getattr(runs.part_of(w.kind, "run"), "local_training", None)
            return of_kind and (of_kind(self.run(w).options, task), task)
        return None


def calibrate(training: LocalTraining, task: Task, device: str = "cpu") -> float:
    """Seconds a GFLOP, from a few training steps on random series: of CPU time, or on a GPU.

    As many clients at once as a core trains together, ten on a GPU; the first step is not counted.
    Steps of Phase 1 are of random length, so more of them are measured.
    """
    rng, n = np.random.default_rng(0), 100
    steps = 3 if training.objective.whole_epochs else 20
    X = rng.standard_normal((n, task.steps, task.channels), dtype=np.float32)
    y: np.ndarray = rng.integers(0, task.outputs, n)
    if task.kind == "multi-label":
        y = rng.random((n, task.outputs)) < 0.5
    elif task.kind == "regression":
        y = rng.standard_normal((n, task.outputs) if task.outputs > 1 else n, dtype=np.float32)
    K = training.stacked if device == "cpu" else 10
    theta = training.objective.init(torch.Generator().manual_seed(0)).numpy()
    torch.set_num_threads(1)
    keep_heap()
    clock = time.process_time if device == "cpu" else time.perf_counter
    batch = min(training.batch_size, n)
    gflops = steps * batch * K * 6 * training.objective.multiply_adds(task.steps) / 1e9
    if not np.isfinite(gflops):
        raise UserError("a model that does not count its operations cannot be estimated")

    def seconds(n_steps):
        local = LocalTraining(training.objective, n_steps, batch, optimizer=training.optimizer)
        engine = Stacked(TrainingJob(local, FedAvg(), X, [np.arange(n)] * K, 0, y), device)
        begun = clock()
        engine.round({"theta": theta}, {}, 1)
        return clock() - begun

    seconds(1)
    return seconds(steps) / gflops
