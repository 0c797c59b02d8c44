"""Clients trained together on one core: CPU time of a client's step for 1, 2, 4 and 8 at once.

Local training of each architecture on series of the shapes at which the papers use it (noise), with
Adam, on one thread. Steps of small models are mostly calls of kernels, which clients trained
together share; steps of large ones are products, which they do not.

    python benchmarks/stacked.py [--steps 10] [--turns 3] [NAME ...]
"""

import argparse
import time

import numpy as np
import torch

from fedreact import plugins
from fedreact.engine.engine import keep_heap
from fedreact.engine.local_training import LocalTraining, Work
from fedreact.kinds.synchronous.algorithms.fedst import FedST
from fedreact.losses.objective import Data
from fedreact.losses.orthogonal import OrthogonalLoss
from fedreact.losses.supervised import SupervisedLoss

TOGETHER = (1, 2, 4, 8)
SHAPES = {  # architecture: steps, channels, batches
    "logistic": [(1, 320, 10)],
    "cnn-small": [(128, 9, 16), (128, 9, 64)],
    "cnn": [(128, 9, 16), (128, 9, 128)],
    "cnn-eeg": [(178, 1, 16)],
    "lstm": [(8, 2, 4), (8, 2, 50), (216, 2, 4)],
    "patchtst": [(8, 2, 50), (216, 2, 4)],
    "timesnet": [(8, 2, 50), (216, 2, 4)],
    "causal-cnn": [(8, 2, 4), (216, 2, 2)],
    "cnn-image": [(28, 28, 10)],
    "fedst": [(128, 9, 16), (128, 9, 128)],
}
CLASSES = 6


def objective(name, steps, channels):
    """Make the loss of an architecture, or FedST's on the small CNN."""
    small = name == "fedst"
    kind = plugins.load("models/architectures", "cnn-small" if small else name, "ARCHITECTURE")
    model = kind(in_channels=channels, length=steps, n_out=CLASSES)
    if not small:
        return SupervisedLoss(model)
    model = FedST().on(model).model
    prototypes = torch.randn(2, CLASSES, model.base.n_features)
    known = torch.ones(CLASSES)
    return OrthogonalLoss(model, "classification", prototypes=prototypes, known=known)


def training(name, steps, channels, batch, n):
    """Return a function that trains k clients for n steps, and the GFLOPs of a client's step."""
    loss, rng = objective(name, steps, channels), np.random.default_rng(0)
    K = max(TOGETHER)
    X = torch.from_numpy(rng.normal(size=(K * batch, steps, channels)).astype(np.float32))
    data = Data(X, torch.from_numpy(rng.integers(CLASSES, size=len(X))))
    clients = np.split(np.arange(len(X)), K)
    local = LocalTraining(loss, n, batch)
    theta = loss.init(torch.Generator().manual_seed(0))

    def train(k):
        work = Work(data, clients[:k], lambda purpose: [np.random.default_rng(i) for i in range(k)])
        local.descend(work.start_weights(theta), work, local.draw(work))

    return train, 6 * loss.multiply_adds(steps) * batch / 1e9


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SHAPES)}")
    p.add_argument("--steps", type=int, default=10, help="of a training")
    p.add_argument("--turns", type=int, default=3, help="times that each variant runs")
    args = p.parse_args()
    torch.set_num_threads(1)
    keep_heap()
    head = "".join(f"{k:>8d}" for k in TOGETHER)
    print(f"{'ms of CPU a client and step, together:':48s}{head}    times as fast as alone")
    for name in args.names or SHAPES:
        for steps, channels, batch in SHAPES[name]:
            train, gflop = training(name, steps, channels, batch, args.steps)
            seconds = {k: [] for k in TOGETHER}
            for turn in range(args.turns + 1):
                for k in TOGETHER:
                    started = time.process_time()
                    for _ in range(max(TOGETHER) // k):
                        train(k)
                    if turn:  # the first maps memory
                        seconds[k].append(time.process_time() - started)
            spent = [np.median(turns) / max(TOGETHER) / args.steps for turns in seconds.values()]
            ratios = [np.median(np.divide(seconds[1], seconds[k])) for k in TOGETHER[1:]]
            case = f"{name}, {batch} x {steps} steps x {channels}, {gflop:.2g} GFLOP"
            beside = " / ".join(f"{r:.2f}" for r in ratios)
            print(f"{case:48s}{''.join(f'{1e3 * s:8.2f}' for s in spent)}    {beside}")


if __name__ == "__main__":
    main()
