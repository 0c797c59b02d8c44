"""Rounds of a synchronous federation: progress, and a checkpoint after each round."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.engine.engine import Arrays, Job, Stacked, Workers, open_engine, resolve_device
from fedreact.engine.place import Place
from fedreact.errors import Diverged, UserError

log = logging.getLogger("fedreact")

Score = Callable[[Workers | Stacked, Arrays, Arrays, int], Any]
"""``score(engine, server, state, t)``, called after each round; ``None``: it is not scored."""


def rounds_of(
    engine: Workers | Stacked,
    job: Job,
    server: Arrays,
    state: Arrays,
    rounds: range,
    on_progress: Callable[[int, float], None] = lambda done, loss: None,
) -> Iterator[tuple[int, Arrays, Arrays, float]]:
    """Run communication rounds, yielding ``(t, server_t, state_t, sent_t)`` after each round t.

    ``sent_t`` are the bytes that went both ways in the round, averaged over all clients.

    Parameters
    ----------
    server, state
        What the server and the clients keep, before the first of ``rounds``.
    rounds
        ``range(1, T + 1)``, or the part of it that is left after an interruption.
    """
    n_samples = np.array([len(indices) for indices in job.clients])
    for t in rounds:
        sent, which = job.algorithm.sent(server), job.participants(t)
        if which is None:
            uploads, state = engine.round(sent, state, t, on_progress)
            server = job.algorithm.aggregate(server, uploads, n_samples)
        else:
            own = {name: kept[which] for name, kept in state.items()}
            uploads, own = engine.round(sent, own, t, on_progress, which)
            state = {name: _renewed(kept, which, own[name]) for name, kept in state.items()}
            server = job.algorithm.aggregate(server, uploads, n_samples[which])
        for name, kept in server.items():  # the next round overwrites what workers uploaded
            if np.may_share_memory(kept, uploads["theta"]):
                server[name] = kept.copy()
        yield t, server, state, job.share * _bytes(sent, uploads)


def _renewed(kept, which, values):
    """What all clients keep, after some have trained."""
    kept = kept.copy()
    kept[which] = values
    return kept


def _bytes(sent, uploads):
    """What one client receives and uploads in a round."""
    n = len(uploads["theta"])
    received = sum(v.nbytes / (n if k == "theta" and v.ndim == 2 else 1) for k, v in sent.items())
    return received + sum(values.nbytes for values in uploads.values()) / n


def federate(
    job: Job,
    theta: np.ndarray,
    rounds: int,
    what: str,
    place: Place,
    score: Score = lambda *of_round: None,
    scored: str = "",
) -> tuple[Arrays, list[Any], list[float]]:
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

    Returns
    -------
    server, scores, megabytes
        What the server keeps after the last round, a score for each round, and what has gone both
        ways between a client and the server until then.

    Raises
    ------
    UserError
        The training diverges, a process of it ended, or another process is training the same.
    """
    if rounds < 0 or place.workers < 1:
        raise UserError(f"{rounds} rounds on {place.workers} workers; at least 0 rounds, 1 worker")
    torch.set_num_threads(1)
    K, device = len(job.clients), resolve_device(place.device)
    server, state = job.algorithm.server(theta, K), job.algorithm.start(theta, K)
    identity, scores, sent, done = fingerprint(job, theta, device, scored), [], [], 0
    saved = load_checkpoint(place.checkpoint, identity)
    if saved is not None and int(saved["t"]) <= rounds:
        done, scores = int(saved["t"]), list(saved["scores"])
        sent = saved["megabytes"].tolist()
        server, state = (parts_of(saved, name) for name in ("server", "state"))
        log.info("resuming after round %d of %d (%s)", done, rounds, place.checkpoint)

    steps = sum(job.training.n_steps(len(indices)) for indices in job.clients)
    a_round = round(job.algorithm.models * steps * job.share)
    started, left, before, mean_loss = time.monotonic(), range(done + 1, rounds + 1), 0, np.nan
    with (
        place.alone(),
        open_engine(job, device, place.workers) as engine,
        tqdm(total=len(left) * a_round, unit="step", disable=None) as bar,
    ):

        def on_progress(steps, loss):
            nonlocal mean_loss
            mean_loss = loss
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(before + steps - bar.n)

        ran = rounds_of(engine, job, server, state, left, on_progress)
        for t, server, state, a_client in ran:
            if not np.isfinite(server["theta"]).all():
                raise Diverged(f"{what}: diverged in round {t}; use a smaller learning rate")
            before += a_round
            scores.append(score(engine, server, state, t))
            sent.append(a_client / 1e6 + (sent[-1] if sent else 0.0))
            save_checkpoint(place.checkpoint, server, state, t, scores, sent, identity)
            said = scores[-1] is not None and np.size(scores[-1]) > 0
            log.info(
                "%s: round %d of %d, loss %.3f%s, %.0f s left",
                *(what, t, rounds, mean_loss),
                f", score {np.ravel(scores[-1])[0]:.3f}" if said else "",
                (time.monotonic() - started) / (t - done) * (rounds - t),
            )
    return server, scores, sent


def training_costs(job: Job) -> tuple[float, float]:
    """Local steps and GFLOPs that a client's training takes in a round, averaged over all clients.

    By the usual count, a backward pass takes two forward passes; an algorithm may take more of
    these.
    """
    sizes, models = [len(of) for of in job.clients], job.share * job.algorithm.models
    forward = 2 * job.training.objective.multiply_adds(job.X.shape[1])
    steps = models * np.mean([job.training.n_steps(n) for n in sizes])
    drawn = models * np.mean([job.training.n_drawn(n) for n in sizes])
    passes = job.share * getattr(job.algorithm, "passes", 0) * np.mean(sizes)
    return float(steps), float((3 * drawn + passes) * forward / 1e9)


def fingerprint(job: Job, theta: np.ndarray, device: str, scored: str = "") -> str:
    """Digest of the work; a checkpoint of other work is not resumed.

    The code is not part of it: the workflow names checkpoints after the digest of the code.
    """
    of = f"{job.training} {job.algorithm} {job.seed=} {job.per_round=} {device=} {scored}"
    X = job.X
    digest = hashlib.sha256(f"{of} {X.shape}".encode())
    series = [X] if isinstance(X, np.ndarray) else [X.values, X.starts]
    for array in (theta, *series, *([] if job.y is None else [job.y]), *job.clients):
        digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()


def save_checkpoint(
    path: Path,
    server: Arrays,
    state: Arrays,
    t: int,
    scores: list,
    megabytes: list[float],
    identity: str,
    **more: Arrays,
) -> None:
    """Keep what the next round starts from, and ``more`` by name."""
    parts = {"server": server, "state": state, **more}
    kept = {f"{part}_{name}": value for part, of in parts.items() for name, value in of.items()}
    unscored = np.zeros(0)
    listed = [unscored if one is None else np.asarray(one, float) for one in scores]
    width = max((np.size(one) for one in listed), default=0)
    table = np.full((len(listed), width), np.nan)
    for row, one in zip(table, listed):
        row[: np.size(one)] = np.ravel(one)
    scored = np.array([np.size(one) > 0 for one in listed], dtype=bool)
    with atomic(path) as temporary:
        npz.save(
            temporary,
            t=np.array(t),
            scores=table,
            scored=scored,
            megabytes=np.array(megabytes),
            identity=np.array(identity),
            **kept,
        )


def load_checkpoint(path: Path, identity: str) -> dict | None:
    """Content of a checkpoint of the same work, else ``None``."""
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
    saved["scores"] = [row if was else None for row, was in zip(saved["scores"], saved["scored"])]
    return saved


def parts_of(saved: Arrays, name: str) -> Arrays:
    """Arrays of a checkpoint whose names begin so."""
    return {
        key.removeprefix(f"{name}_"): value
        for key, value in saved.items()
        if key.startswith(f"{name}_")
    }
