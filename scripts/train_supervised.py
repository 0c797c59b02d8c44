"""Table 1's baselines: supervised federated training of one architecture by each algorithm.

Writes a line for each algorithm and scored round: accuracy (or root mean square error) averaged
over clients, each with the model that the algorithm gives it, on its own test samples; and what a
client's training has taken so far, in local steps and GFLOPs. Progress is kept after each round, as
in Phase 1.
"""

import csv
from pathlib import Path

import numpy as np
import torch
from _cli import atomic, parser, run
from _federate import train, training_costs

from fedreact import costs
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.federated.algorithms import ALGORITHMS
from fedreact.federated.engine import Job
from fedreact.federated.local import LocalTraining
from fedreact.losses import SupervisedLoss
from fedreact.models.supervised import ARCHITECTURES
from fedreact.partition import Partition
from fedreact.rng import generator
from fedreact.scoring import client_scores
from fedreact.standardise import standardise
from fedreact.variants import split_variant


def main(args):
    """Train by each algorithm, score, write the scores."""
    data = SeriesDataset.load(args.data)
    drawn = Partition.load(args.partition, len(data.y))
    X = np.ascontiguousarray(data.X.transpose(0, 2, 1))
    clients, tests = drawn.train, drawn.test
    if args.validate:
        clients, tests = validation(clients, args.seed)
    if data.regression:
        metric, n_outputs = "rmse", 1
        y, unit = standardise(data.y, clients)
    else:
        metric, n_outputs = "accuracy", int(data.y.max()) + 1
        y, unit = data.y, 1.0
    architecture = ARCHITECTURES[args.architecture](X.shape[2], X.shape[1], n_outputs)
    training = LocalTraining(
        SupervisedLoss(architecture),
        args.steps,
        args.batch_size,
        args.learning_rate,
        args.epochs,
        precision=args.precision,
    )
    init = torch.Generator().manual_seed(int(generator(args.seed, "supervised").integers(2**62)))
    theta = architecture.init(init).numpy()
    _, options = split_variant("+".join(["", *args.algorithm_options]))

    rows, checkpoints = [], []
    for name in args.algorithms:
        algorithm = make(name, options)
        job = Job(training, algorithm, X, clients, args.seed, y)

        def score(theta, state, t, algorithm=algorithm):
            if args.score == "last" and t < args.rounds:
                return np.nan
            weights = torch.from_numpy(algorithm.personal(theta, state))
            with torch.inference_mode():
                scores = client_scores(architecture.forward, weights, torch.from_numpy(X), y, tests)
            return float(unit * scores.mean())

        # Of an algorithm that is done, too, until all are.
        checkpoints.append(args.checkpoint.with_name(f"{args.checkpoint.stem}-{name}.npz"))
        method = f"{args.architecture}-{name}"
        what = f"{method}, {args.setting}, seed {args.seed}"
        run_on = (checkpoints[-1], args.device, args.workers)
        _, scores = train(job, theta, args.rounds, what, *run_on, score=score)
        steps, gflops = training_costs(job, costs.flops(architecture))
        for t, value in enumerate(scores, start=1):
            if not np.isnan(value):
                run_of = [args.setting, data.name, args.seed, method, t]
                rows.append([*run_of, f"{value:.6f}", f"{t * steps:.6g}", f"{t * gflops:.6g}"])
    with atomic(args.output) as path, path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["setting", "data", "seed", "method", "round", metric, "steps", "gflops"])
        lines.writerows(rows)
    for checkpoint in checkpoints:
        checkpoint.unlink(missing_ok=True)


def make(name, options):
    """Make an algorithm with its own options."""
    own = {key.split(".", 1)[1]: v for key, v in options.items() if key.startswith(f"{name}.")}
    try:
        return ALGORITHMS[name](**own)
    except TypeError as error:
        raise UserError(f"algorithm {name}: {error}") from error


def validation(clients, seed):
    """Split a tenth off each client's train samples, to be tested on instead."""
    train, test = [], []
    for k, indices in enumerate(clients):
        order = generator(seed, "validation", k).permutation(indices)
        n = max(1, len(order) // 10)
        test.append(np.sort(order[:n]))
        train.append(np.sort(order[n:]))
    return train, test


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--partition", type=Path, required=True, help="clients' samples, npz")
    p.add_argument("--setting", required=True, help="name that the results carry")
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--architecture", choices=ARCHITECTURES, required=True)
    p.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, required=True)
    p.add_argument("--algorithm-options", nargs="*", default=[], help="algorithm.option=value")
    p.add_argument("--rounds", type=int, default=10)
    p.add_argument("--epochs", type=int, default=100, help="local epochs a round")
    p.add_argument("--steps", type=int, help="local steps a round, instead of epochs")
    p.add_argument("--batch-size", type=int, default=50)
    p.add_argument("--learning-rate", type=float, default=1e-3, help="of Adam")
    p.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    p.add_argument("--validate", action="store_true", help="test on a tenth of the train samples")
    p.add_argument("--score", choices=["all", "last"], default="all", help="rounds to score")
    p.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    p.add_argument("--workers", type=int, default=1, help="processes, if on the CPU")
    p.add_argument("--checkpoint", type=Path, required=True, help="kept while training")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
