"""A round of FedST: the engine against a plain PyTorch loop over the clients, on the same work.

Clients of HAR's shape (128 steps, 9 channels, 6 classes; noise), SGD with momentum: all losses of
the paper, prototypes at the round's end, means of classifiers and prototypes. First the paper's
CNN in batches of 128, then the CNN of a quarter of the channels in batches of 16, clients stacked,
as scales ``quick`` and ``overnight`` have it. The loop is what one would write first: modules of
torch's own layers, a client after the other. Without dropout both have the same loss (printed: the
largest difference).

The variants run in turn; what is printed is explained in benchmarks/engine.py.

    python benchmarks/fedst.py [--clients 10] [--turns 3]
"""

import argparse
import copy
import os
from dataclasses import replace

import numpy as np
import torch
from engine import GEMM, spread, timed
from plain import PlainCNN
from torch import nn
from torch.nn import functional as F

from fedreact.engine.engine import TrainingJob, Workers
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.algorithms.fedst import FedST
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.orthogonal import OrthogonalLoss
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.cnn import CNN
from fedreact.models.architectures.cnn_small import SmallCNN
from fedreact.models.layers import Training
from fedreact.optimizers.sgd import SGD

CHANNELS, LENGTH, CLASSES, RATE, MOMENTUM = 9, 128, 6, 0.01, 0.5
CASES = {"the paper's CNN": (CNN, 128, 5, 1), "a small CNN": (SmallCNN, 16, 20, 8)}
"""Architecture, batch size, local steps of a round, and clients that a core stacks."""


class PlainFedST(nn.Module):
    """Encoders and projectors of both views, and a classifier of all features."""

    def __init__(self, base, model):
        super().__init__()
        bodies = [nn.Sequential(*list(PlainCNN(base))[:-1]) for _ in model.views]
        self.encoders = nn.ModuleList(bodies)
        m = base.n_features
        self.projectors = nn.ModuleList(
            nn.Sequential(
                nn.Linear(m, model.hidden), nn.ReLU(), nn.Linear(model.hidden, 2 * model.projected)
            )
            for _ in model.views
        )
        self.head = nn.Linear(len(model.views) * m, model.n_out)

    def encode(self, x):
        """Return the features of both views of ``x [B, T, C]``."""
        views = x, torch.fft.rfft(x, dim=1).abs() / x.shape[1]
        return [encoder(view.mT) for encoder, view in zip(self.encoders, views)]

    def project(self, v, z):
        """Return the shared and the personal projection, of length 1."""
        return [F.normalize(h, dim=-1) for h in self.projectors[v](z).chunk(2, -1)]

    def loss(self, x, y, prototypes):
        """Return the loss of eq. 15, all weights 1, with ``prototypes [V, C, m]``."""
        z = self.encode(x)
        total = F.cross_entropy(self.head(torch.cat(z, -1)), y)
        h = [self.project(v, features) for v, features in enumerate(z)]
        same = torch.arange(len(x))
        for v in range(2):
            p = self.project(v, prototypes[v])
            aligned = [(a * b[y]).sum(-1).abs().mean() for a, b in zip(h[v], p)]
            pol = (h[v][0] * h[v][1]).sum(-1).abs().mean()
            shared, personal = (
                F.cross_entropy((a @ b.T).abs(), same) for a, b in zip(h[v], h[1 - v])
            )
            total = total + aligned[1] - aligned[0] + pol + shared - personal
        return total


def copy_weights(plain, model, theta):
    """Give a plain model the weights ``[P]`` of the package's."""
    w, state = model.unpack(theta[None]), {}
    for v, view in enumerate(model.views):
        layers = enumerate(plain.encoders[v])
        places = [place for place, layer in layers if isinstance(layer, nn.Conv1d)]
        for i, place in enumerate(places):
            state[f"encoders.{v}.{place}.weight"] = w[f"{view}.conv{i}.weight"]
            state[f"encoders.{v}.{place + 1}.weight"] = w[f"{view}.norm{i}.weight"]
            state[f"encoders.{v}.{place + 1}.bias"] = w[f"{view}.norm{i}.bias"]
        for place, name in ((0, "hidden"), (2, "out")):
            for key in ("weight", "bias"):
                state[f"projectors.{v}.{place}.{key}"] = w[f"{view}.{name}.{key}"]
    state |= {f"head.{key}": w[f"head.{key}"] for key in ("weight", "bias")}
    plain.load_state_dict({name: values[0] for name, values in state.items()}, strict=False)


def train_plain(model, X, y, prototypes, batch_size, steps):
    """Train a client for a round; return the means of its features by class."""
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    model.train()
    for batch in torch.randperm(len(X)).split(batch_size)[:steps]:
        optimizer.zero_grad()
        model.loss(X[batch], y[batch], prototypes).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        z = torch.stack(model.encode(X))
    return torch.stack([z[:, y == c].mean(1) for c in range(CLASSES)], 1)


def plain_round(models, data, prototypes, batch_size, steps):
    """Train clients one after the other; classifiers and prototypes become their means."""
    own = [
        train_plain(model, X, y, prototypes, batch_size, steps)
        for model, (X, y) in zip(models, data)
    ]
    with torch.no_grad():
        for name in ("weight", "bias"):
            parameters = [getattr(model.head, name) for model in models]
            mean = torch.stack(parameters).mean(0)
            for parameter in parameters:
                parameter.copy_(mean)
    prototypes.copy_(torch.stack(own).mean(0))


def make_job(clients, base, batch_size, steps, stacked):
    """Make the noise of so many clients, and their training."""
    rng = np.random.default_rng(0)
    n = batch_size * steps
    X = rng.normal(size=(clients * n, LENGTH, CHANNELS)).astype(np.float32)
    y = rng.integers(0, CLASSES, len(X))
    algorithm = FedST().on(base)
    training = LocalTraining(
        SupervisedLoss(algorithm.model, "classification"),
        steps,
        batch_size,
        learning_rate=RATE,
        optimizer=SGD(MOMENTUM),
        stacked=stacked,
    )
    own = np.arange(len(X)).reshape(clients, n)
    return TrainingJob(training, algorithm, X, list(own), seed=0, y=y)


def difference(job, prototypes):
    """Return the largest difference between losses of both on batches, without dropout."""
    model = job.algorithm.model
    model, differences = replace(model, base=replace(model.base, drop=0.0)), []
    known = torch.ones(CLASSES)
    loss = OrthogonalLoss(model, "classification", prototypes=prototypes, known=known)
    plain = PlainFedST(model.base, model)
    theta = model.init(torch.Generator().manual_seed(1))
    copy_weights(plain, model, theta)
    n = job.training.batch_size
    for samples in np.split(np.arange(3 * n), 3):
        x, y = torch.from_numpy(job.X[samples]), torch.from_numpy(job.y[samples])
        counts = torch.ones(1, n, dtype=torch.bool)
        ours = loss.of_batch(theta[None], x[None], y[None], counts, Training([0], counts), None)
        differences.append(abs(float(ours[0] - plain.loss(x, y, prototypes).detach())))
    return max(differences)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--clients", type=int, default=10)
    p.add_argument("--turns", type=int, default=3, help="times that each variant runs")
    p.add_argument("--processes", type=int, default=os.cpu_count())
    args = p.parse_args()
    for name, (kind, batch_size, steps, stacked) in CASES.items():
        print(f"{name}, {args.clients} clients x {steps} steps of batch {batch_size}")
        base = kind(in_channels=CHANNELS, length=LENGTH, n_out=CLASSES)
        measure(args, make_job(args.clients, base, batch_size, steps, stacked))


def measure(args, job):
    base, steps, batch_size = job.algorithm.model.base, job.training.steps, job.training.batch_size
    theta = job.algorithm.model.init(torch.Generator().manual_seed(0))
    prototypes = torch.randn(2, CLASSES, base.n_features)
    print(f"largest difference of losses: {difference(job, prototypes):.1g}")
    first = PlainFedST(base, job.algorithm.model)
    copy_weights(first, job.algorithm.model, theta)
    models = [copy.deepcopy(first) for _ in range(args.clients)]
    data = [(torch.from_numpy(job.X[own]), torch.from_numpy(job.y[own])) for own in job.clients]

    def loop(threads):
        torch.set_num_threads(threads)
        plain_round(models, data, prototypes, batch_size, steps)

    a, b = torch.randn(2, GEMM, GEMM)

    def gemm():
        torch.set_num_threads(args.processes)
        for _ in range(5):
            a @ b

    with Workers(job, args.processes) as engine:
        theta = theta.numpy()
        server = job.algorithm.server(theta, args.clients)
        state = job.algorithm.start(theta, args.clients)
        for of in rounds_of(engine, job, server, state, range(1, 2)):
            server, state = of[1:3]  # the warm-up, without the losses of prototypes
        variants = {
            "engine": lambda: list(rounds_of(engine, job, server, state, range(2, 3))),
            "loop, all cores": lambda: loop(args.processes),
            "loop, 1 thread": lambda: loop(1),
            "matrix product": gemm,
        }
        times = {label: [] for label in variants}
        for turn in range(args.turns + 1):
            for label, work in variants.items():
                seconds = timed(work, os.getpid())
                if turn:  # the first maps memory and fills caches
                    times[label].append(seconds)
    report(args, times, job)


def report(args, times, job):
    training, ours = job.training, np.array(times["engine"])
    steps = args.clients * training.steps
    print(f"{args.turns} turns, {args.processes} cores")
    head = "the engine is faster by (wall clock)"
    print(f"{'':18s}{'steps/s':>8s}{'CPU s/step':>12s}   {head:40s}and in CPU time")
    for label in ("engine", "loop, all cores", "loop, 1 thread"):
        wall, cpu = np.median(times[label], axis=0)
        ratios = np.array(times[label]) / ours
        beside = "" if label == "engine" else f"{spread(ratios[:, 0]):40s}{spread(ratios[:, 1])}"
        print(f"{label:18s}{steps / wall:8.1f}{cpu / steps:12.4f}   {beside}")
    # Three passes of a step, and one for the prototypes at the end.
    useful = 2 * job.algorithm.model.multiply_adds() * training.batch_size * steps * 4
    peak = np.array(times["matrix product"])
    share = useful / ours * peak / (5 * 2 * GEMM**3)
    rate = 5 * 2 * GEMM**3 / np.median(peak[:, 0]) / 1e9
    print(f"peak {rate:.0f} GFLOP/s; the engine reaches {spread(100 * share[:, 0], 0)}% of it")


if __name__ == "__main__":
    main()
