"""Phase 1: train the shared encoder by federated contrastive learning (Algorithm 1).

Progress is kept after each round; the same command resumes an interrupted training and ends in the
same weights, bit for bit.
"""

import hashlib
import json
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from _cli import atomic, log, parser, run
from tqdm import tqdm

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.federated.engine import LocalTraining, open_engine, resolve_device
from fedreact.federated.fedavg import fedavg
from fedreact.losses import NEGATIVE_WEIGHTING, ContrastiveLoss
from fedreact.models.causal_cnn import VARIANTS
from fedreact.partition import Partition
from fedreact.rng import generator


def main(args):
    """Train, with a checkpoint after each round."""
    data, drawn = SeriesDataset.load(args.data), Partition.load(args.partition)
    torch.set_num_threads(1)
    encoder = replace(VARIANTS[args.encoder], in_channels=data.X.shape[1])
    training = LocalTraining(
        encoder,
        ContrastiveLoss(args.negatives, args.negative_weighting),
        args.steps,
        args.batch_size,
        args.learning_rate,
    )
    init = torch.Generator().manual_seed(int(generator(args.seed, "encoder").integers(2**62)))
    theta, done = encoder.init(init).numpy(), 0

    checkpoint = args.checkpoint or args.output.with_suffix(".checkpoint.npz")
    device = resolve_device(args.device)
    identity = fingerprint(training, args.seed, device, data, drawn)
    saved = load_checkpoint(checkpoint, identity)
    if saved is not None and saved[1] <= args.rounds:
        theta, done = saved
        log.info("resuming after round %d of %d (%s)", done, args.rounds, checkpoint)

    K = len(drawn.train)
    n_samples = np.array([len(indices) for indices in drawn.train])
    X = np.ascontiguousarray(data.X.transpose(0, 2, 1))
    engine = open_engine(training, X, drawn.train, args.seed, device, args.workers)
    started, rounds = time.monotonic(), range(done + 1, args.rounds + 1)
    total = len(rounds) * K * args.steps
    with engine, tqdm(total=total, unit="step", disable=None) as bar:
        before, mean_loss = 0, float("nan")

        def on_progress(steps, loss):
            nonlocal mean_loss
            mean_loss = loss
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(before + steps - bar.n)

        for t, trained in fedavg(engine, theta, n_samples, rounds, on_progress):
            theta = trained
            before += K * args.steps
            save_checkpoint(checkpoint, theta, t, identity)
            spent = time.monotonic() - started
            left = spent / before * (total - before)
            log.info(
                "encoder %s, seed %d: round %d of %d, loss %.3f, %.0f s left",
                *(args.partition.parent.name, args.seed, t, args.rounds, mean_loss, left),
            )
    with atomic(args.output) as path:
        npz.save(path, theta=theta, encoder=np.array(json.dumps(asdict(encoder))))
    checkpoint.unlink(missing_ok=True)


def fingerprint(training, seed, device, data, drawn) -> str:
    """Digest of the work; a checkpoint of other work is not resumed.

    The code is not part of it: the workflow names checkpoints after the digest of the code.
    """
    digest = hashlib.sha256(f"{training} {seed=} {device=}".encode())
    for array in (data.X, *drawn.train):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def save_checkpoint(path, theta, t, identity):
    """Keep the weights after round t."""
    with atomic(path) as temporary:
        npz.save(temporary, theta=theta, t=np.array(t), identity=np.array(identity))


def load_checkpoint(path, identity):
    """Weights and round of a checkpoint of the same work, else ``None``."""
    if not path.exists():
        return None
    try:
        saved = npz.load(path, "checkpoint", ["theta", "t", "identity"])
    except UserError as error:
        log.info("%s: starting anew", error)
        return None
    if str(saved["identity"]) != identity:
        log.info("%s is of other data or settings: starting anew", path)
        return None
    return saved["theta"], int(saved["t"])


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--encoder", choices=VARIANTS, default="table12")
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--steps", type=int, default=500, help="local steps a round")
    p.add_argument("--batch-size", type=int, default=10)
    p.add_argument("--learning-rate", type=float, default=1e-3)
    p.add_argument("--negatives", type=int, default=10, help="negative samples an anchor")
    p.add_argument("--negative-weighting", choices=NEGATIVE_WEIGHTING, default="mean")
    p.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--workers", type=int, default=1, help="processes, if on the CPU")
    p.add_argument("--checkpoint", type=Path, help="kept while training (default: beside output)")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
