"""Trainings on the simulated clock, done on all cores: progress, and a checkpoint now and then."""

import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from fedreact.clock.clock import Clock, Flight
from fedreact.engine.engine import Job, Stacked, Workers, open_engine, resolve_device
from fedreact.engine.place import Place
from fedreact.errors import Diverged, UserError
from fedreact.kinds.asynchronous.contract import Algorithm, Arrays
from fedreact.kinds.synchronous.engine import (
    fingerprint,
    load_checkpoint,
    parts_of,
    save_checkpoint,
)

log = logging.getLogger("fedreact")

SECONDS = 20.0
"""Between checkpoints."""

Score = Callable[[Workers | Stacked, Arrays, Arrays], Any]
"""``score(engine, server, state)``: numbers, of which the first is shown."""


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


def costs(job: Job, held: int, new: int) -> tuple[float, float]:
    """Local steps and GFLOPs of a trip of a client that has so many samples, so many of them new.

    A backward pass takes two forward passes.
    """
    half, training = job.algorithm, job.training
    forward = 2 * training.objective.multiply_adds(job.X.shape[1]) / 1e9
    drawn = half.models * training.n_drawn(held)
    passes = getattr(half, "passes", 0) * held
    if hasattr(half, "tested"):
        passes += half.tested(training, held, new)
    return half.models * training.n_steps(held), (3 * drawn + passes) * forward


def foresee(
    job: Job, algorithm: Algorithm, clock: Clock, gflops: float | None, minutes: float | None
) -> tuple[list[int], float]:
    """Numbers of the flights that end until a budget is spent, and the GFLOPs that they take.

    Nothing is trained: when flights end does not depend on what is learnt. Where an algorithm
    chooses by it (``chooses``), clients are drawn here, and its flights are as many.
    """
    of_trip: dict[tuple[int, int], float] = {}
    ended, spent, K = [], 0.0, len(job.clients)
    algorithm.begin(clock)
    while (flight := clock.next()) is not None:
        if minutes is not None and clock.now > 60 * minutes:
            break
        taken = 0.0
        for had in zip(flight.held.tolist(), flight.new.tolist()):
            if had not in of_trip:
                of_trip[had] = costs(job, *had)[1]
            taken += of_trip[had]
        if gflops is not None and ended and spent + taken / 2 > K * gflops:
            break
        ended.append(flight.number)
        spent += taken
        algorithm.proceed(clock, flight, None)
    return ended, spent


def fly(
    job: Job,
    algorithm: Algorithm,
    clock: Clock,
    theta: np.ndarray,
    ended: Sequence[int],
    scored: Sequence[int],
    score: Score,
    what: str,
    place: Place,
    of_scores: str = "",
) -> list[np.ndarray]:
    """Go through the flights that end on the clock until a budget is spent.

    A flight's trainings begin when the server sends it off, and their uploads are used when it ends
    on the clock; in between others may end. What is found is the same for any number of workers.

    Parameters
    ----------
    job
        Its algorithm is the clients' half.
    clock
        Nothing has been sent off by it.
    theta
        ``[P]`` first weights.
    ended
        What :func:`foresee` gave; what would end later is not trained.
    scored
        After how many flights models are scored.
    of_scores
        What is scored, and on what: a checkpoint with other scores is not resumed.

    Returns
    -------
    list
        For each of ``scored``: minutes, steps, GFLOPs, megabytes up and down of a client on
        average, then what ``score`` gives.

    Raises
    ------
    UserError
        Nothing ends in time, the training diverges, or a process of it ended.
    """
    if not ended:
        raise UserError(f"{what}: no update arrives in time; set more minutes")
    torch.set_num_threads(1)
    half, K, device = job.algorithm, len(job.clients), resolve_device(place.device)
    n_flights, needed = len(ended), set(ended)
    server, state = algorithm.server(half, theta, K), half.start(theta, K)
    of = f"{algorithm} {vars(clock.devices.network)} {n_flights} {list(scored)} {of_scores}"
    identity = fingerprint(job, theta, device, hashlib.sha256(of.encode()).hexdigest())
    state = {name: np.array(of) for name, of in state.items()}  # changed in place
    spent, rows, done, snapshots = Spent(), [], 0, {}
    saved = load_checkpoint(place.checkpoint, identity)
    if saved is not None:
        done, rows = int(saved["t"]), list(saved["scores"])
        server, state = (parts_of(saved, name) for name in ("server", "state"))
        spent = Spent(*saved["megabytes"].tolist())
        snapshots = _unstacked(parts_of(saved, "flying"))
        log.info("resuming after update %d of %d (%s)", done, n_flights, place.checkpoint)
    algorithm.begin(clock)
    for _ in range(done):  # what had been sent off by then; its trainings are done or kept
        algorithm.proceed(clock, _next(clock, what), server)
    counted = -1 if saved is None else max(of.number for of in clock.sent_off())
    clock.sent_off()
    started = last = time.monotonic()
    with (
        place.alone(),
        open_engine(job, device, place.workers) as engine,
        tqdm(total=n_flights, initial=done, unit="update", disable=None) as bar,
    ):
        waiting: dict[int, Callable] = {}

        def send(flight: Flight) -> None:
            """Begin the trainings of a flight, with what it was sent before an interruption.

            What is sent counts; but where no update will come in time, nothing is trained.
            """
            if flight.number > counted:
                sent = algorithm.sent(half, server, flight)
                theta, size = algorithm.coded(sent["theta"])
                rest = sum(v.nbytes for name, v in sent.items() if name != "theta")
                spent.down += (size + rest) * len(flight.all)
                snapshots[flight.number] = sent | {"theta": theta}
            if flight.number not in needed or not len(flight.clients):
                snapshots.pop(flight.number, None)
                return
            own = {name: of[flight.clients] for name, of in state.items()}
            held = [job.clients[k][:n] for k, n in zip(flight.clients, flight.held)]
            given = snapshots[flight.number], own, flight.clients.tolist()
            waiting[flight.number] = engine.submit(*given, (flight.trips + 1).tolist(), held)

        for flight in clock.under_way:
            send(flight)
        for number in range(done, n_flights):
            for flight in clock.sent_off():
                send(flight)
            flight = _next(clock, what)
            if len(flight.clients):
                sent = snapshots.pop(flight.number)
                uploads, own = waiting.pop(flight.number)()
                uploads = _decoded(algorithm, uploads, spent)
                server = algorithm.arrived(half, server, uploads, sent, flight, clock)
                if not np.isfinite(server["theta"]).all():
                    raise Diverged(
                        f"{what}: diverged after {number + 1} updates; use a smaller learning rate"
                    )
                for name, kept in state.items():
                    kept[flight.clients] = own[name]
                for had in zip(flight.held.tolist(), flight.new.tolist()):
                    steps, gflops = costs(job, *had)
                    spent.steps, spent.gflops = spent.steps + steps, spent.gflops + gflops
            algorithm.proceed(clock, flight, server)
            bar.update()
            if number + 1 in scored:
                travelled = (spent.up / 1e6, spent.down / 1e6) if algorithm.travels else (0, 0)
                each = np.array([spent.steps, spent.gflops, *travelled]) / K
                found = np.ravel(score(engine, server, state))
                rows.append(np.concatenate([[clock.now / 60], each, found]))
                log.info(
                    "%s: minute %.1f, update %d of %d, score %.3f, %.0f s left",
                    *(what, clock.now / 60, number + 1, n_flights, found[0]),
                    (time.monotonic() - started) / (number + 1 - done) * (n_flights - number - 1),
                )
            if time.monotonic() - last > SECONDS or number + 1 == n_flights:
                for flight in clock.sent_off():
                    send(flight)
                kept = {n: s for n, s in snapshots.items() if n in waiting}
                taken = [spent.steps, spent.gflops, spent.up, spent.down]
                save_checkpoint(
                    *(place.checkpoint, server, state, number + 1, rows, taken, identity),
                    flying=_stacked(kept),
                )
                last = time.monotonic()
    return rows


def _next(clock, what):
    flight = clock.next()
    if flight is None:
        raise UserError(f"{what}: all clients have left; set leaving to less")
    return flight


def _decoded(algorithm, uploads, spent):
    """Uploads as they arrive; their bytes are added."""
    coded = [algorithm.coded(theta) for theta in uploads["theta"]]
    spent.up += sum(size for _, size in coded)
    spent.up += sum(of.nbytes for name, of in uploads.items() if name != "theta")
    return uploads | {"theta": np.stack([theta for theta, _ in coded])}


def _stacked(snapshots):
    """What flights were sent, by name, with their numbers."""
    if not snapshots:
        return {}
    names = next(iter(snapshots.values()))
    together = {name: np.stack([sent[name] for sent in snapshots.values()]) for name in names}
    return together | {"numbers": np.array(list(snapshots))}


def _unstacked(together):
    if not together:
        return {}
    numbers = together.pop("numbers").tolist()
    each = [{name: np.asarray(of[i]) for name, of in together.items()} for i in range(len(numbers))]
    return dict(zip(numbers, each))
