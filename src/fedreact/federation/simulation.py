"""The same plan as a simulation in one process, to be set beside a federation."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding import train as encoding
from fedreact.engine.engine import Engine, TrainingJob
from fedreact.engine.place import Place
from fedreact.federation.client import OwnData
from fedreact.federation.outcome import Arrays, Outcome
from fedreact.federation.plan import Plan, settled
from fedreact.kinds import supervised
from fedreact.kinds.clustered import engine as clustered
from fedreact.kinds.clustered import run as clustered_run
from fedreact.kinds.clustered.contract import Algorithm, Uploads
from fedreact.kinds.contract import Inputs
from fedreact.kinds.scoring import client_scores
from fedreact.kinds.synchronous import run as synchronous_run
from fedreact.kinds.synchronous.contract import PREPARE
from fedreact.kinds.synchronous.engine import federate
from fedreact.metrics.contract import PRIMARY
from fedreact.metrics.grammar import load_metric


@dataclass
class Simulated:
    """What came of a simulation.

    Attributes
    ----------
    outcome
        As that of a federation, without traffic.
    state
        What clients keep in the end, each ``[K, ...]``.
    megabytes
        To and from a client, as the simulation counts: models alone.
    """

    outcome: Outcome
    state: Arrays
    megabytes: float


def pooled(files: Sequence[Path]) -> tuple[SeriesDataset, Partition]:
    """Put the files of clients together, in the order of their numbers."""
    own = [OwnData(file) for file in files]
    arrays = [
        np.concatenate([getattr(one.data, name) for one in own]) for name in ("X", "lengths", "y")
    ]
    firsts = np.cumsum([0, *(len(one.data.y) for one in own)])
    zeros = np.zeros(len(own), dtype=np.int64)
    partition = Partition(
        clusters=zeros,
        train=[first + one.train for first, one in zip(firsts, own)],
        test=[first + one.test for first, one in zip(firsts, own)],
        label_counts=np.zeros((1, 0), np.int64),
        distributions=np.zeros((1, 1, 0)),
        held_out=NOTHING,
    )
    return SeriesDataset("federation", *arrays), partition


def simulate(plan: Plan, files: Sequence[Path]) -> Simulated:
    """Run a plan on the files of all clients, in this process."""
    data, partition = pooled(files)
    plan = settled(plan, data.task, [len(train) for train in partition.train])
    run = _clustered if plan.kind == "clustered" else _synchronous
    with tempfile.TemporaryDirectory() as folder:
        return run(plan, data, partition, Place(checkpoint=Path(folder) / "checkpoint.npz"))


def _synchronous(plan: Plan, data: SeriesDataset, partition: Partition, place: Place) -> Simulated:
    run, task = plan.synchronous, data.task
    algorithm = synchronous_run.make(plan.method, run, task)
    training = synchronous_run.local_training(run, task, algorithm.model)
    K = len(partition.train)
    targets = supervised.scaled_targets(data, partition.train)
    job = TrainingJob(
        training,
        algorithm,
        supervised.series(data, supervised.model_of(training)),
        partition.train,
        plan.seed,
        targets.y,
        synchronous_run.per_round(run, K),
    )
    scores, state_, name = np.full((run.rounds, K), np.nan), dict[str, Any](), PRIMARY[task.kind]

    def score(engine: Engine, server: Arrays, state: Arrays, t: int) -> None:
        state_.clear()
        state_.update({key: values.copy() for key, values in state.items()})
        if not synchronous_run.is_scored(t, run):
            return
        if algorithm.prepares:
            sent = algorithm.sent(server) | {PREPARE: np.ones(1, np.float32)}
            _, state = engine.round(sent, state, t + 1)
        scores[t - 1] = client_scores(
            engine,
            algorithm.personal(server, state),
            algorithm.at_test(server, state) if algorithm.adapts else None,
            partition.test,
            targets,
            {name: load_metric(name)},
        )[name]

    theta = supervised.first_weights(training, plan.seed)
    server, _, megabytes = federate(job, theta, run.rounds, "simulation", place, score)
    return Simulated(Outcome(server=server, scores=scores), state_, megabytes[-1])


@dataclass
class _Recorded:
    """An algorithm that notes what it gives in each round."""

    algorithm: Algorithm
    models: np.ndarray | None = None
    labels: list[np.ndarray | None] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.labels = []

    def init(self, n_clients: int, shape: tuple[int, int]) -> Any:
        return self.algorithm.init(n_clients, shape)

    def round(self, state: Any, uploads: Uploads) -> tuple[Any, np.ndarray, np.ndarray | None]:
        result = self.algorithm.round(state, uploads)
        self.models = result[1]
        self.labels.append(result[2])
        return result


def _clustered(plan: Plan, data: SeriesDataset, partition: Partition, place: Place) -> Simulated:
    theta, costs = encoding.train(data, partition, plan.phase_1, plan.seed, "simulation", place)
    encoder = encoding.make_encoder(plan.phase_1.encoder, data.task.channels)
    inputs = Inputs(data, partition, encoding.encode(data, encoder, theta), tuple(costs))
    run, K = plan.clustered, len(partition.train)
    features, y, task = clustered_run.linear_task(inputs, run, plan.seed)
    phase2 = clustered.Phase2(
        features,
        y,
        partition,
        clustered_run.drawn_schedule(partition, run, plan.seed),
        task,
        plan.seed,
        run.samples_per_round,
        run.test_on,
    )
    (algorithm,) = clustered_run.make_all([plan.method], phase2, run).values()
    recorded, name = _Recorded(algorithm), PRIMARY[data.task.kind]
    lines = list(clustered.run(phase2, {"it": recorded}, {name: load_metric(name)}))
    labels = [np.full(K, -1) if of_round is None else of_round for of_round in recorded.labels]
    model = 4 * int(np.prod(phase2.shape)) / 1e6
    models = run.participation * run.rounds * sum(clustered_run.traffic(algorithm))
    outcome = Outcome(
        encoder=theta,
        models=recorded.models,
        labels=np.stack(labels),
        present=phase2.schedule.present,
        scores=np.stack([line.clients["score"] for line in lines]),
    )
    return Simulated(outcome, {}, float(costs[2]) + models * model)
