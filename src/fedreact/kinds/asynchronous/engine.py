"""Trainings on the simulated clock, done on all cores: progress, and a checkpoint now and then."""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from fedreact.clock.clock import Clock, Flight
from fedreact.engine.engine import Engine, TrainingJob, open_engine, resolve_device
from fedreact.engine.place import Place
from fedreact.errors import Diverged, UserError
from fedreact.kinds.asynchronous.contract import Algorithm, Arrays
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.engine import (
    fingerprint,
    load_checkpoint,
    parts_of,
    save_checkpoint,
)

log = logging.getLogger("fedreact")

SECONDS = 20.0
"""Between checkpoints."""


@dataclass
class Spent:
    """What has been spent until now, by all clients together.

    Attributes
    ----------
    steps, gflops
        In training.
    up, down
        Bytes to the server, and from it.
    """

    steps: float = 0.0
    gflops: float = 0.0
    up: float = 0.0
    down: float = 0.0

    def each(self, n_clients: int, travels: bool) -> np.ndarray:
        """Return steps, GFLOPs, and megabytes up and down ``[4]`` of a client on average."""
        megabytes = (self.up / 1e6, self.down / 1e6) if travels else (0, 0)
        return np.array([self.steps, self.gflops, *megabytes]) / n_clients


@dataclass(frozen=True)
class Points:
    """Points at which models are scored.

    Attributes
    ----------
    flights
        After how many flights that is.
    score
        ``score(engine, server, state)``: numbers, of which the first is shown.
    identity
        What is scored, and on what: a checkpoint with other scores is not resumed.
    """

    flights: Sequence[int]
    score: Callable[[Engine, Arrays, Arrays], npt.ArrayLike]
    identity: str = ""


def costs(job: TrainingJob[ClientAlgorithm], held: int, new: int) -> tuple[float, float]:
    """Count local steps and GFLOPs of a trip of a client with ``held`` samples, some of them new.

    A backward pass takes two forward passes.
    """
    client, training = job.algorithm, job.training
    forward = 2 * training.objective.multiply_adds(job.X.shape[1]) / 1e9
    drawn = client.models * training.n_drawn(held)
    passes = client.passes * held + client.tested(training, held, new)
    return client.models * training.n_steps(held), (3 * drawn + passes) * forward


def foresee(
    job: TrainingJob[ClientAlgorithm],
    algorithm: Algorithm,
    clock: Clock,
    gflops: float | None,
    minutes: float | None,
) -> tuple[list[int], float]:
    """Find the numbers of the flights that end until a budget is spent, and their GFLOPs.

    Nothing is trained: when flights end does not depend on what is learnt. Where an algorithm
    chooses by it (``chooses``), clients are drawn here, and its flights are as many.
    """
    trip_gflops: dict[tuple[int, int], float] = {}
    ended: list[int] = []
    spent, K = 0.0, len(job.clients)
    algorithm.begin(clock)
    while (flight := clock.next()) is not None:
        if minutes is not None and clock.now > 60 * minutes:
            break
        flight_gflops = 0.0
        for samples in flight.samples:
            if samples not in trip_gflops:
                trip_gflops[samples] = costs(job, *samples)[1]
            flight_gflops += trip_gflops[samples]
        if gflops is not None and ended and spent + flight_gflops / 2 > K * gflops:
            break
        ended.append(flight.number)
        spent += flight_gflops
        algorithm.proceed(clock, flight, None)
    return ended, spent


def fly(
    job: TrainingJob[ClientAlgorithm],
    algorithm: Algorithm,
    clock: Clock,
    theta: np.ndarray,
    ended: Sequence[int],
    points: Points,
    name: str,
    place: Place,
) -> list[np.ndarray]:
    """Go through the flights that end on the clock until a budget is spent.

    A flight's trainings begin when the server sends it off, and their uploads are used when it ends
    on the clock; in between others may end. The results are the same for any number of workers.

    Parameters
    ----------
    job
        Its algorithm is the client side.
    clock
        Nothing has been sent off by it.
    theta
        ``[P]`` first weights.
    ended
        The flights that :func:`foresee` found; what would end later is not trained.
    points
        When models are scored, and how.
    name
        Name of the work in messages.

    Returns
    -------
    list
        For each of ``points``: minutes, steps, GFLOPs, megabytes up and down of a client on
        average, then the scores.

    Raises
    ------
    UserError
        Nothing ends in time, the training diverges, or a process of it ended.
    """
    if not ended:
        raise UserError(f"{name}: no update arrives in time; set more minutes")
    torch.set_num_threads(1)
    device = resolve_device(place.device)
    options = f"{algorithm} {vars(clock.devices.network)} {len(ended)} {list(points.flights)}"
    digest = hashlib.sha256(f"{options} {points.identity}".encode()).hexdigest()
    identity = fingerprint(job, theta, device, digest)
    K, client = len(job.clients), job.algorithm
    progress = _ClockProgress(
        job=job,
        algorithm=algorithm,
        clock=clock,
        ended=frozenset(ended),
        name=name,
        server=algorithm.server(client, theta, K),
        # It is changed in place.
        state={key: np.array(values) for key, values in client.start(theta, K).items()},
    )
    if progress.load(place, identity):
        log.info("resuming after update %d of %d (%s)", progress.done, len(ended), place.checkpoint)
    progress.replay()
    first, started = progress.done, time.monotonic()
    saved_at = started
    with (
        place.alone(),
        open_engine(job, device, place.workers) as engine,
        tqdm(total=len(ended), initial=first, unit="update", disable=None) as bar,
    ):
        for flight in clock.under_way:
            progress.send(engine, flight)
        while progress.done < len(ended):
            progress.send_new(engine)
            progress.end_next()
            bar.update()
            if progress.done in points.flights:
                scores = progress.score(engine, points)
                log.info(
                    "%s: minute %.1f, update %d of %d, score %.3f, %.0f s left",
                    name,
                    clock.now / 60,
                    progress.done,
                    len(ended),
                    scores[0],
                    (time.monotonic() - started)
                    / (progress.done - first)
                    * (len(ended) - progress.done),
                )
            if time.monotonic() - saved_at > SECONDS or progress.done == len(ended):
                progress.send_new(engine)
                progress.save(place, identity)
                saved_at = time.monotonic()
    return progress.rows


@dataclass
class _ClockProgress:
    """How far a training on the clock is.

    Attributes
    ----------
    ended
        Numbers of the flights that end in time.
    server, state
        What server and clients keep.
    done
        Flights that have ended.
    spent, rows
        What has been spent, and what was scored so far.
    snapshots
        What the flights that are under way were sent, by their numbers.
    waiting
        By their numbers, what waits for the uploads and new states of those that train.
    counted
        Number of the last flight whose bytes were counted before an interruption.
    """

    job: TrainingJob[ClientAlgorithm]
    algorithm: Algorithm
    clock: Clock
    ended: frozenset[int]
    name: str
    server: Arrays
    state: Arrays
    done: int = 0
    spent: Spent = field(default_factory=Spent)
    rows: list[np.ndarray] = field(default_factory=list)
    snapshots: dict[int, Arrays] = field(default_factory=dict)
    waiting: dict[int, Callable[[], tuple[Arrays, Arrays]]] = field(default_factory=dict)
    counted: int = -1

    def load(self, place: Place, identity: str) -> bool:
        """Go on from a checkpoint of the same work, and tell whether there is one."""
        saved = load_checkpoint(place.checkpoint, identity)
        if saved is None:
            return False
        self.done, self.rows = int(saved["t"]), list(saved["scores"])
        self.server, self.state = parts_of(saved, "server"), parts_of(saved, "state")
        self.spent = Spent(*saved["megabytes"].tolist())
        self.snapshots = _unstacked(parts_of(saved, "flying"))
        return True

    def replay(self) -> None:
        """Bring the clock to where the training is: what was sent off by then, was or is saved."""
        self.algorithm.begin(self.clock)
        for _ in range(self.done):
            self.algorithm.proceed(self.clock, self._next(), self.server)
        sent = self.clock.sent_off()
        if self.done:
            self.counted = max(flight.number for flight in sent)

    def _next(self) -> Flight:
        flight = self.clock.next()
        if flight is None:
            raise UserError(f"{self.name}: all clients have left; set leaving to less")
        return flight

    def send(self, engine: Engine, flight: Flight) -> None:
        """Begin the trainings of a flight, with what it was sent before an interruption.

        What is sent counts; but where no update will come in time, nothing is trained.
        """
        if flight.number > self.counted:
            sent = self.algorithm.sent(self.job.algorithm, self.server, flight)
            theta, size = self.algorithm.coded(sent["theta"])
            rest = sum(values.nbytes for name, values in sent.items() if name != "theta")
            self.spent.down += (size + rest) * len(flight.all)
            self.snapshots[flight.number] = sent | {"theta": theta}
        if flight.number not in self.ended or not len(flight.clients):
            self.snapshots.pop(flight.number, None)
            return
        self.waiting[flight.number] = engine.submit(
            self.snapshots[flight.number],
            {name: values[flight.clients] for name, values in self.state.items()},
            flight.clients.tolist(),
            (flight.trips + 1).tolist(),
            [self.job.clients[k][:n] for k, n in zip(flight.clients, flight.held)],
        )

    def send_new(self, engine: Engine) -> None:
        """Begin the trainings of the flights that were sent off since the last call."""
        for flight in self.clock.sent_off():
            self.send(engine, flight)

    def end_next(self) -> None:
        """Go on to the next flight that ends, use its updates, and send off what follows.

        Raises
        ------
        Diverged
            The server's weights are no numbers after it.
        """
        flight = self._next()
        if len(flight.clients):
            self._receive(flight)
        self.algorithm.proceed(self.clock, flight, self.server)
        self.done += 1

    def _receive(self, flight: Flight) -> None:
        """Bring updates of a flight into what server and clients keep, and count their costs."""
        sent = self.snapshots.pop(flight.number)
        uploads, own = self.waiting.pop(flight.number)()
        self.server = self.algorithm.arrived(
            self.job.algorithm, self.server, self._decoded(uploads), sent, flight, self.clock
        )
        if not np.isfinite(self.server["theta"]).all():
            raise Diverged(
                f"{self.name}: diverged after {self.done + 1} updates; use a smaller learning rate"
            )
        for name, values in self.state.items():
            values[flight.clients] = own[name]
        for samples in flight.samples:
            steps, gflops = costs(self.job, *samples)
            self.spent.steps += steps
            self.spent.gflops += gflops

    def _decoded(self, uploads: Arrays) -> Arrays:
        """Uploads as they arrive; their bytes are counted."""
        coded = [self.algorithm.coded(theta) for theta in uploads["theta"]]
        self.spent.up += sum(size for _, size in coded)
        self.spent.up += sum(values.nbytes for name, values in uploads.items() if name != "theta")
        return uploads | {"theta": np.stack([theta for theta, _ in coded])}

    def score(self, engine: Engine, points: Points) -> np.ndarray:
        """Score the models, add a row of time, costs and scores, and return the scores."""
        spent = self.spent.each(len(self.job.clients), self.algorithm.travels)
        scores = np.ravel(np.asarray(points.score(engine, self.server, self.state)))
        self.rows.append(np.concatenate([[self.clock.now / 60], spent, scores]))
        return scores

    def save(self, place: Place, identity: str) -> None:
        """Keep what the training goes on from after an interruption."""
        save_checkpoint(
            place.checkpoint,
            self.server,
            self.state,
            self.done,
            self.rows,
            [self.spent.steps, self.spent.gflops, self.spent.up, self.spent.down],
            identity,
            flying=_stacked({n: sent for n, sent in self.snapshots.items() if n in self.waiting}),
        )


def _stacked(snapshots: dict[int, Arrays]) -> Arrays:
    """What flights were sent, by name, with their numbers."""
    if not snapshots:
        return {}
    names = next(iter(snapshots.values()))
    together = {name: np.stack([sent[name] for sent in snapshots.values()]) for name in names}
    return together | {"numbers": np.array(list(snapshots))}


def _unstacked(together: Arrays) -> dict[int, Arrays]:
    """What each flight was sent, by its number."""
    if not together:
        return {}
    sent = {name: values for name, values in together.items() if name != "numbers"}
    return {
        number: {name: np.asarray(values[i]) for name, values in sent.items()}
        for i, number in enumerate(together["numbers"].tolist())
    }
