"""Phase 1: train the shared encoder by federated contrastive learning (Algorithm 1).

Writes its weights and name, and the local steps and GFLOPs that a client's training has taken.
Progress is kept after each round; the same command resumes an interrupted training and ends in the
same weights, bit for bit.
"""

from functools import partial
from pathlib import Path

import numpy as np
import torch
from _cli import atomic, parser, run
from _encoders import make_encoder
from _federate import train, training_costs

from fedreact import npz
from fedreact.costs import contrastive_flops
from fedreact.data.dataset import SeriesDataset
from fedreact.federated.dtssgd import TimeSmoothedSGD
from fedreact.federated.engine import Job
from fedreact.federated.fedavg import FedAvg
from fedreact.federated.local import LocalTraining
from fedreact.losses import NEGATIVE_WEIGHTING, ContrastiveLoss
from fedreact.partition import Partition
from fedreact.rng import generator


def main(args):
    """Train, with a checkpoint after each round."""
    data = SeriesDataset.load(args.data)
    drawn = Partition.load(args.partition, len(data.y))
    encoder = make_encoder(args.encoder, data.X.shape[1])
    smoothed = partial(TimeSmoothedSGD, window=args.window, decay=args.decay)
    training = LocalTraining(
        ContrastiveLoss(encoder, args.negatives, args.negative_weighting),
        args.steps,
        args.batch_size,
        args.learning_rate,
        optimizer=smoothed if args.optimizer == "dtssgd" else None,
    )
    init = torch.Generator().manual_seed(int(generator(args.seed, "encoder").integers(2**62)))
    X = np.ascontiguousarray(data.X.transpose(0, 2, 1))
    job = Job(training, FedAvg(), X, drawn.train, args.seed)
    checkpoint = args.checkpoint or args.output.with_suffix(".checkpoint.npz")
    what = f"encoder {args.partition.parent.name}, seed {args.seed}"
    theta = encoder.init(init).numpy()
    theta, _ = train(job, theta, args.rounds, what, checkpoint, args.device, args.workers)
    per_round = training_costs(job, contrastive_flops(training.objective, X.shape[1]))
    with atomic(args.output) as path:
        npz.save(
            path,
            theta=theta,
            encoder=np.array(args.encoder),
            costs=args.rounds * np.array(per_round),
        )
    checkpoint.unlink(missing_ok=True)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--encoder", default="table12", help="table12, franceschi or own")
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--steps", type=int, default=500, help="local steps a round")
    p.add_argument("--batch-size", type=int, default=10)
    p.add_argument("--learning-rate", type=float, default=1e-3)
    p.add_argument("--optimizer", choices=["adam", "dtssgd"], default="adam")
    p.add_argument("--window", type=int, default=1, help="of dtssgd: gradients that are averaged")
    p.add_argument("--decay", type=float, default=1.0, help="of dtssgd: gamma")
    p.add_argument("--negatives", type=int, default=10, help="negative samples an anchor")
    p.add_argument("--negative-weighting", choices=NEGATIVE_WEIGHTING, default="mean")
    p.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--workers", type=int, default=1, help="processes, if on the CPU")
    p.add_argument("--checkpoint", type=Path, help="kept while training (default: beside output)")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
