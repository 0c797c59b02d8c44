"""Rounds of a synchronous federation: progress, and a checkpoint after each round."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.engine.engine import (
    Arrays,
    Engine,
    OnProgress,
    TrainingJob,
    ignore_progress,
    open_engine,
    resolve_device,
)
from fedreact.engine.place import Place
from fedreact.errors import Diverged, UserError
from fedreact.kinds.synchronous.contract import Algorithm

log = logging.getLogger("fedreact")

Score = Callable[[Engine, Arrays, Arrays, int], npt.ArrayLike | None]
"""``score(engine, server, state, t)``, called after each round; ``None``: it is not scored."""


Stop = Callable[[Sequence[npt.ArrayLike | None]], bool]
"""``stop(scores)``, called after each round with the scores of all rounds until then."""


def score_nothing(engine: Engine, server: Arrays, state: Arrays, t: int) -> None:
    """Score no round."""


def never(scores: Sequence[npt.ArrayLike | None]) -> bool:
    """Train all rounds."""
    return False


def rounds_of(
    engine: Engine,
    job: TrainingJob[Algorithm],
    server: Arrays,
    state: Arrays,
    rounds: range,
    on_progress: OnProgress = ignore_progress,
) -> Iterator[tuple[int, Arrays, Arrays, float]]:
    """Run communication rounds, yielding ``(t, server_t, state_t, sent_t)`` after each round t.

    ``sent_t`` are the bytes that went both ways in the round, averaged over all that train.

    Parameters
    ----------
    server, state
        What the server and the clients keep, before the first of ``rounds``.
    rounds
        ``range(1, T + 1)``, or the part of it that is left after an interruption.
    """
    n_samples = np.array([len(indices) for indices in job.clients])
    for t in rounds:
        sent, clients = job.algorithm.sent(server), job.participants(t)
        if clients is None:
            uploads, state = engine.round(sent, state, t, on_progress)
            server = job.algorithm.aggregate(server, uploads, n_samples)
        else:
            own = {name: values[clients] for name, values in state.items()}
            uploads, own = engine.round(sent, own, t, on_progress, clients.tolist())
            state = {name: _renewed(all_, clients, own[name]) for name, all_ in state.items()}
            server = job.algorithm.aggregate(server, uploads, n_samples[clients])
        for name, values in server.items():  # the next round overwrites what workers uploaded
            if np.may_share_memory(values, uploads["theta"]):
                server[name] = values.copy()
        yield t, server, state, job.share * _bytes(sent, uploads)


def _renewed(values: np.ndarray, clients: np.ndarray, own: np.ndarray) -> np.ndarray:
    """What all clients keep, after some have trained."""
    values = values.copy()
    values[clients] = own
    return values


def _bytes(sent: Arrays, uploads: Arrays) -> float:
    """Bytes that one client receives and uploads in a round."""
    n = len(uploads["theta"])
    received = sum(v.nbytes / (n if k == "theta" and v.ndim == 2 else 1) for k, v in sent.items())
    return received + sum(values.nbytes for values in uploads.values()) / n


def federate(
    job: TrainingJob[Algorithm],
    theta: np.ndarray,
    rounds: int,
    what: str,
    place: Place,
    score: Score = score_nothing,
    scored: str = "",
    stop: Stop = never,
) -> tuple[Arrays, list[npt.ArrayLike | None], list[float]]:
    """Train ``rounds`` rounds, or what is left of them.

    Parameters
    ----------
    job
        The clients, their data, and what they do in a round.
    theta
        ``[P]`` global weights before round 1.
    rounds
        How many there are in all, those before an interruption too.
    what
        Name of the work in messages.
    place
        Where it runs, and where its checkpoint lies.
    score
        ``score(engine, server, state, t)``, called after each round t; ``None``: it is not scored.
    scored
        What ``score`` finds, and on what: a checkpoint with other scores is not resumed.
    stop
        ``stop(scores)``, called after each round: whether it was the last one.

    Returns
    -------
    server, scores, megabytes
        What the server keeps after the last round, a score for each trained round, and what has
        gone both ways between a client and the server until then.

    Raises
    ------
    UserError
        The training diverges, a process of it ended, or another process is training the same.
    """
    if rounds < 0 or place.workers < 1:
        raise UserError(f"{rounds} rounds on {place.workers} workers; at least 0 rounds, 1 worker")
    torch.set_num_threads(1)
    K, device = len(job.clients), resolve_device(place.device)
    server = job.algorithm.server(theta, job.n_members)
    state = job.algorithm.start(theta, K)
    identity, done = fingerprint(job, theta, device, scored), 0
    scores: list[npt.ArrayLike | None] = []
    megabytes: list[float] = []
    saved = load_checkpoint(place.checkpoint, identity)
    if saved is not None and int(saved["t"]) <= rounds:
        done, scores = int(saved["t"]), [*scores_of(saved)]
        megabytes = saved["megabytes"].tolist()
        server, state = (parts_of(saved, name) for name in ("server", "state"))
        log.info("resuming after round %d of %d (%s)", done, rounds, place.checkpoint)

    steps = sum(job.training.n_steps(n) for n in job.sizes)
    a_round = round(job.algorithm.models * steps * job.share)
    if stop(scores):
        rounds = done
    started, left, before, mean_loss = time.monotonic(), range(done + 1, rounds + 1), 0, np.nan
    with (
        place.alone(),
        open_engine(job, device, place.workers) as engine,
        tqdm(total=len(left) * a_round, unit="step", disable=None) as bar,
    ):

        def on_progress(steps: int, loss: float) -> None:
            nonlocal mean_loss
            mean_loss = loss
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(before + steps - bar.n)

        run = rounds_of(engine, job, server, state, left, on_progress)
        for t, server, state, sent in run:
            if not np.isfinite(server["theta"]).all():
                raise Diverged(f"{what}: diverged in round {t}; use a smaller learning rate")
            before += a_round
            latest = score(engine, server, state, t)
            scores.append(latest)
            megabytes.append(sent / 1e6 + (megabytes[-1] if megabytes else 0.0))
            save_checkpoint(place.checkpoint, server, state, t, scores, megabytes, identity)
            shown = np.zeros(0) if latest is None else np.ravel(np.asarray(latest, float))
            log.info(
                "%s: round %d of %d, loss %.3f%s, %.0f s left",
                what,
                t,
                rounds,
                mean_loss,
                f", score {shown[0]:.3f}" if len(shown) else "",
                (time.monotonic() - started) / (t - done) * (rounds - t),
            )
            if stop(scores):
                log.info("%s: stands still after round %d of %d", what, t, rounds)
                break
    return server, scores, megabytes


def training_costs(job: TrainingJob[Algorithm]) -> tuple[float, float]:
    """Count local steps and GFLOPs of a client in a round, averaged over all that train.

    By the usual count, a backward pass takes two forward passes; an algorithm may take more of
    these.
    """
    sizes, models = job.sizes, job.share * job.algorithm.models
    forward = 2 * job.training.objective.multiply_adds(job.X.shape[1])
    steps = models * np.mean([job.training.n_steps(n) for n in sizes])
    drawn = models * np.mean([job.training.n_drawn(n) for n in sizes])
    passes = job.share * job.algorithm.passes * np.mean(sizes)
    return float(steps), float((3 * drawn + passes) * forward / 1e9)


def fingerprint(
    job: TrainingJob[Algorithm], theta: np.ndarray, device: str, scored: str = ""
) -> str:
    """Digest the work; a checkpoint of other work is not resumed.

    The code is not part of it: the workflow names checkpoints after the digest of the code.
    """
    who = f"{job.per_round=} {job.members=}"
    options = f"{job.training} {job.algorithm} {job.seed=} {who} {device=} {scored}"
    X = job.X
    digest = hashlib.sha256(f"{options} {X.shape}".encode())
    series = [X] if isinstance(X, np.ndarray) else [X.values, X.starts]
    for array in (theta, *series, *([] if job.y is None else [job.y]), *job.clients):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def save_checkpoint(
    path: Path,
    server: Arrays,
    state: Arrays,
    t: int,
    scores: Sequence[npt.ArrayLike | None],
    megabytes: list[float],
    identity: str,
    **more: Arrays,
) -> None:
    """Keep what the next round starts from, and ``more`` by name."""
    parts = {"server": server, "state": state, **more}
    arrays = {
        f"{part}_{name}": values for part, named in parts.items() for name, values in named.items()
    }
    numbers = [np.zeros(0) if s is None else np.ravel(np.asarray(s, float)) for s in scores]
    table = np.full((len(numbers), max(map(len, numbers), default=0)), np.nan)
    for row, values in zip(table, numbers):
        row[: len(values)] = values
    scored = np.array([len(values) > 0 for values in numbers], dtype=bool)
    with atomic(path) as temporary:
        npz.save(
            temporary,
            t=np.array(t),
            scores=table,
            scored=scored,
            megabytes=np.array(megabytes),
            identity=np.array(identity),
            **arrays,
        )


def load_checkpoint(path: Path, identity: str) -> Arrays | None:
    """Read the arrays of a checkpoint of the same work, or return ``None``."""
    if not path.exists():
        return None
    try:
        saved = npz.load(path, "checkpoint", ["t", "scores", "scored", "megabytes", "identity"])
    except UserError as error:
        log.info("%s: starting anew", error)
        return None
    if str(saved["identity"]) != identity:
        log.info("%s is of other data or settings: starting anew", path)
        return None
    return saved


def scores_of(saved: Arrays) -> list[np.ndarray | None]:
    """Return the scores of a checkpoint, one for each round; ``None``: it was not scored."""
    return [row if scored else None for row, scored in zip(saved["scores"], saved["scored"])]


def parts_of(saved: Arrays, name: str) -> Arrays:
    """Return the arrays of a checkpoint whose names begin with one of its parts'."""
    return {
        key.removeprefix(f"{name}_"): value
        for key, value in saved.items()
        if key.startswith(f"{name}_")
    }
