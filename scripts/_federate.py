"""Federated training as a command runs it: progress, and a checkpoint after each round."""

import hashlib
import time
from pathlib import Path

import numpy as np
import torch
from _cli import atomic, log
from tqdm import tqdm

from fedreact import npz
from fedreact.costs import training_flops
from fedreact.errors import UserError
from fedreact.federated.engine import Job, open_engine, resolve_device
from fedreact.federated.fedavg import federate


def train(
    job: Job,
    theta: np.ndarray,
    rounds: int,
    what: str,
    checkpoint: Path,
    device: str,
    workers: int,
    score=None,
):
    """Train ``rounds`` rounds, or what is left of them; returns weights and scores.

    Parameters
    ----------
    theta
        ``[P]`` global weights before round 1.
    what
        Name of the work in messages.
    score
        ``score(theta, state, t) -> float``, called after each round; NaN or ``None``: no score.

    Returns
    -------
    theta, scores
        Global weights after the last round, and a score for each round, or an empty list.
    """
    if rounds < 1 or workers < 1:
        raise UserError(f"{rounds} rounds on {workers} workers: use 1 or more of each")
    torch.set_num_threads(1)
    K, device = len(job.clients), resolve_device(device)
    n_samples = np.array([len(indices) for indices in job.clients])
    state, scores, done = job.algorithm.start(theta, K), [], 0
    identity = fingerprint(job, theta, device)
    saved = load_checkpoint(checkpoint, identity)
    if saved is not None and int(saved["t"]) <= rounds:
        theta, done, scores = saved["theta"], int(saved["t"]), saved["scores"].tolist()
        state = {name: saved[f"state_{name}"] for name in state}
        log.info("resuming after round %d of %d (%s)", done, rounds, checkpoint)

    a_round = sum(job.training.n_steps(n) for n in n_samples)
    started, left, before, mean_loss = time.monotonic(), range(done + 1, rounds + 1), 0, np.nan
    with (
        open_engine(job, device, workers) as engine,
        tqdm(total=len(left) * a_round, unit="step", disable=None) as bar,
    ):

        def on_progress(steps, loss):
            nonlocal mean_loss
            mean_loss = loss
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(before + steps - bar.n)

        for t, theta, state in federate(engine, theta, state, n_samples, left, on_progress):  # noqa: B020
            if not np.isfinite(theta).all():
                raise UserError(f"{what}: diverged in round {t}; use a smaller learning rate")
            before += a_round
            if score is not None:
                scores.append(score(theta, state, t))
            scored = bool(scores) and not np.isnan(scores[-1])
            save_checkpoint(checkpoint, theta, state, t, scores, identity)
            log.info(
                "%s: round %d of %d, loss %.3f%s, %.0f s left",
                *(what, t, rounds, mean_loss, f", score {scores[-1]:.3f}" if scored else ""),
                (time.monotonic() - started) / (t - done) * (rounds - t),
            )
    return theta, scores


def training_costs(job: Job, forward: float) -> tuple[float, float]:
    """Local steps and GFLOPs that a client's training takes in a round, averaged over clients.

    ``forward`` are the FLOPs of the forward passes of one sample.
    """
    sizes, models = [len(indices) for indices in job.clients], job.algorithm.models
    steps = models * np.mean([job.training.n_steps(n) for n in sizes])
    drawn = models * np.mean([job.training.n_drawn(n) for n in sizes])
    return float(steps), float(drawn * training_flops(forward) / 1e9)


def fingerprint(job: Job, theta: np.ndarray, device: str) -> str:
    """Digest of the work; a checkpoint of other work is not resumed.

    The code is not part of it: the workflow names checkpoints after the digest of the code.
    """
    digest = hashlib.sha256(f"{job.training} {job.algorithm} {job.seed=} {device=}".encode())
    for array in (theta, job.X, *([] if job.y is None else [job.y]), *job.clients):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def save_checkpoint(path, theta, state, t, scores, identity):
    """Keep what the next round starts from."""
    kept = {f"state_{name}": value for name, value in state.items()}
    with atomic(path) as temporary:
        npz.save(
            temporary,
            theta=theta,
            t=np.array(t),
            scores=np.array(scores),
            identity=np.array(identity),
            **kept,
        )


def load_checkpoint(path, identity):
    """Content of a checkpoint of the same work, else ``None``."""
    if not path.exists():
        return None
    try:
        saved = npz.load(path, "checkpoint", ["theta", "t", "scores", "identity"])
    except UserError as error:
        log.info("%s: starting anew", error)
        return None
    if str(saved["identity"]) != identity:
        log.info("%s is of other data or settings: starting anew", path)
        return None
    return saved
