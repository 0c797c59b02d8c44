"""The plan of a federation: which algorithm, on what options; the same in a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import yaml

from fedreact import options
from fedreact.encoding import spec as encoding
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.clustered import spec as clustered
from fedreact.kinds.contract import Method
from fedreact.kinds.synchronous import spec as synchronous
from fedreact.options import Count, Natural, Positive
from fedreact.task import Task

if TYPE_CHECKING:
    from fedreact.kinds.clustered.contract import Algorithm as ClusteredAlgorithm
    from fedreact.kinds.synchronous.contract import Algorithm

SPECS = {"clustered": clustered.Options, "synchronous": synchronous.Options}


@dataclass(frozen=True)
class Plan:
    """What server and clients do.

    Attributes
    ----------
    kind
        Kind of run: ``clustered`` or ``synchronous``.
    algorithm
        A file of ``kinds/<kind>/algorithms/``.
    options
        Options of the algorithm.
    run
        Options of the run.
    encoder
        Options of Phase 1, for a clustered kind.
    seed
        Seed of all draws.
    """

    kind: Literal["clustered", "synchronous"]
    algorithm: str
    options: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    encoder: dict[str, Any] = field(default_factory=dict)
    seed: Natural = 0

    @property
    def method(self) -> Method:
        """The method, with its options checked."""
        entry = {"algorithm": self.algorithm, **self.options}
        return contract.method(self.kind, self.algorithm, entry, "federation")

    @property
    def synchronous(self) -> synchronous.Options:
        """Options of a synchronous run."""
        return options.check(synchronous.Options, self.run, "federation: run")

    @property
    def clustered(self) -> clustered.Options:
        """Options of Phase 2."""
        return options.check(clustered.Options, self.run, "federation: run")

    @property
    def phase_1(self) -> encoding.Options:
        """Options of Phase 1."""
        return options.check(encoding.Options, self.encoder, "federation: encoder")

    @property
    def rounds(self) -> int:
        """Rounds of the run, without those of Phase 1."""
        return self.clustered.rounds if self.kind == "clustered" else self.synchronous.rounds

    def as_text(self) -> str:
        """Return the plan as text for a message."""
        return yaml.safe_dump(options.vars_of(self), sort_keys=True, default_flow_style=True)

    def check(self) -> None:
        """Refuse what cannot be done where each client alone sees its data.

        Raises
        ------
        UserError
            One line that says what.
        """
        _ = self.method
        if self.kind == "synchronous":
            run = self.synchronous
            reasons = {
                "exchange": run.exchange and "clients would test on each other's samples",
                "validate": run.validate and "clients hold no samples back yet",
                "plateau": run.plateau is not None and "clients hold no samples back yet",
                "stacked": run.stacked > 1 and "each client trains alone",
                "encoder": bool(self.encoder) and "only a clustered kind has Phase 1",
            }
        else:
            phase_2, _ = self.clustered, self.phase_1
            number = self.options.get("n_clusters", phase_2.n_clusters)
            reasons = {
                "drift": phase_2.drift is not None
                and "clients would draw from the samples of all others",
                "exchange": phase_2.exchange and "clients would test on each other's samples",
                "validate": phase_2.validate and "clients hold no samples back yet",
                "feature_scaling": phase_2.feature_scaling != "none"
                and "it takes statistics over the samples of all clients; use none",
                "n_clusters": not isinstance(number, int) and "give a number",
            }
        for name, why in reasons.items():
            if why:
                raise UserError(f"federation: {name}: {why}")
        if self.kind == "clustered" and getattr(clustered_algorithm(self), "knows_truth", False):
            raise UserError(
                f"federation: {self.algorithm} looks at the true clusters, which nobody knows"
            )

    def check_task(self, task: Task) -> None:
        """Refuse a task that needs statistics over all clients, or that the method cannot do.

        Raises
        ------
        UserError
            One line that says why.
        """
        if task.kind == "regression":
            raise UserError(
                "federation: targets of a regression are scaled by all clients' targets, which "
                "stay where they are; use labels"
            )
        if why := contract.skipped(self.kind, self.algorithm, task):
            raise UserError(f"federation: {self.algorithm}: {why}")


def plan_of(content: Any, where: str = "federation") -> Plan:
    """Make a plan of a mapping, as a YAML file has it.

    Raises
    ------
    UserError
        One line: which key is wrong, and what is allowed.
    """
    made = options.check(Plan, content, where)
    made.check()
    return made


def plan_from_text(text: str) -> Plan:
    """Read what :meth:`Plan.as_text` wrote."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"not the plan of a federation ({error})") from error
    return plan_of(content)


@dataclass(frozen=True)
class Serving:
    """How long a server waits, and for whom.

    Attributes
    ----------
    clients
        Number of clients, present or not; theirs are the numbers from 0.
    wait
        Seconds in which all may join before the first round begins without the others.
    answer
        Seconds in which a client must answer; later it counts as absent from the round.
    least
        Clients that a round needs; with fewer it is tried again.
    tries
        Times that a round is tried before the server gives up.
    folder
        Folder in which the server keeps its progress and its results.
    """

    clients: Count
    wait: Positive = 120.0
    answer: Positive = 120.0
    least: Count = 1
    tries: Count = 3
    folder: str = "federation"


def read(path: Path) -> tuple[Plan, Serving]:
    """Read a file with the keys ``plan`` and ``serving``.

    Raises
    ------
    UserError
        One line: which key is wrong, and what is allowed.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{path}: {error}") from error
    if not isinstance(content, Mapping) or set(content) != {"plan", "serving"}:
        raise UserError(f"{path}: wanted two keys, plan and serving")
    plan = plan_of(content["plan"], f"{path}: plan")
    return plan, options.check(Serving, content["serving"], f"{path}: serving")


def settled(plan: Plan, task: Task, sizes: Sequence[int]) -> Plan:
    """Return the plan with steps and samples in place of GFLOPs, for clients of these sizes."""
    if plan.kind == "synchronous":
        from fedreact.kinds.synchronous import run as of_run

        before = plan.synchronous
        after = of_run.settled(before, of_run.make(plan.method, before, task), task, sizes)
        return replace(plan, run=plan.run | options.changed(after, before))
    if plan.phase_1.gflops is None:
        return plan
    from fedreact.encoding.train import settled as of_encoder

    after_1 = of_encoder(plan.phase_1, task, sizes)
    return replace(plan, encoder=plan.encoder | options.changed(after_1, plan.phase_1))


def clustered_algorithm(plan: Plan) -> "ClusteredAlgorithm":
    """Make the server's half of a clustered algorithm."""
    from fedreact.kinds.clustered.run import make, setting_of

    method, run = plan.method, plan.clustered
    number = method.of_run.get("n_clusters", run.n_clusters)
    return make(method, setting_of(run, number, plan.seed))


def synchronous_algorithm(plan: Plan, task: Task) -> "Algorithm":
    """Make a synchronous algorithm on the architecture of the run."""
    from fedreact.kinds.synchronous.run import make

    return make(plan.method, plan.synchronous, task)


def present(plan: Plan, n_clients: int) -> np.ndarray:
    """Draw who takes part in each round of Phase 2, ``bool [T, K]``, as a simulation does.

    A simulation draws a share of each true cluster. Here nobody knows these: it is a share of all.
    """
    from fedreact.clients.drifts.schedule import taking_part
    from fedreact.rng import generator

    run = plan.clustered
    together = np.zeros((run.rounds, n_clients), dtype=int)
    return taking_part(together, run.participation, generator(plan.seed, "participation"))
