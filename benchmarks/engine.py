"""Rounds of supervised FedAvg: the engine against a plain PyTorch loop and Flower's simulation.

One round on series of 100 steps, 3 channels and 10 classes (noise), Adam, batches of 50:

* ``engine``: the package's :class:`Workers`, one process a core; in bfloat16 too if asked for;
* ``loop, all cores`` and ``loop, 1 thread``: modules of torch's own layers, one client after the
  other, as most people write it;
* ``flower``: the same modules as clients of Flower's simulation (Ray, one core a client), if
  ``--flower-python`` names the interpreter of an environment with ``flwr[simulation]`` and this
  package.

The variants run in turn, so that other work on the machine meets all of them; ratios are of turns.
CPU time is that of a variant's whole tree of processes, the server's included. On a machine that
others use too, ``loop, all cores`` says little: torch's threads spin while one of them waits for a
core. Rounds in which clients hand back the weights without a step are the overhead. The peak is
that of a matrix product on all cores, in turn with the variants; the share counts layers as
:mod:`fedreact.studies.costs` does, also what the package leaves out (a third of the LSTM).

    python benchmarks/engine.py --clients 100 --steps 1 [--flower-python PATH] [--architecture lstm]
"""

import argparse
import copy
import os
import sys
import time
from contextlib import ExitStack
from functools import cache, partial
from multiprocessing.connection import Connection
from statistics import median

import numpy as np
import torch
from plain import PLAIN
from rival import Rival
from torch.nn import functional as F
from tree import tree_cpu

from fedreact import plugins
from fedreact.engine.engine import TrainingJob, Workers
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.engine import rounds_of
from fedreact.losses.supervised import SupervisedLoss
from fedreact.studies.costs import flops

CHANNELS, LENGTH, CLASSES, BATCH, LEARNING_RATE = 3, 100, 10, 50, 1e-3
GEMM = 2048
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "RAY_USAGE_STATS_ENABLED": "0"}


def make_architecture(name):
    kind = plugins.load("models/architectures", name, "ARCHITECTURE")
    return kind(in_channels=CHANNELS, length=LENGTH, n_out=CLASSES)


@cache
def client_data(k, n):
    """Draw series ``[n, LENGTH, CHANNELS]`` and labels ``[n]`` of client k."""
    rng = np.random.default_rng(k)
    X = rng.normal(size=(n, LENGTH, CHANNELS)).astype(np.float32)
    return torch.from_numpy(X), torch.from_numpy(rng.integers(0, CLASSES, n))


def train_plain(model, X, y, steps):
    """Train a client as most people write it."""
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    order = torch.randperm(len(X))
    for batch in order.split(BATCH)[:steps]:
        optimizer.zero_grad()
        F.cross_entropy(model(X[batch]), y[batch]).backward()
        optimizer.step()


def plain_round(model, data, steps):
    """Train clients of one size, one after the other, and average their models (FedAvg)."""
    trained = []
    for X, y in data:
        local = copy.deepcopy(model)
        train_plain(local, X, y, steps)
        trained.append(local.state_dict())
    stacks = {name: torch.stack([state[name] for state in trained]) for name in trained[0]}
    # Counts of batches are integers, which have no mean.
    model.load_state_dict({name: stack.float().mean(0) for name, stack in stacks.items()})


def flower_client(message, context):
    """Train a client of Flower's simulation; without steps, hand back the weights."""
    from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict

    config = message.content["config"]
    state = message.content["arrays"].to_torch_state_dict()
    if config["steps"]:
        model = PLAIN[config["architecture"]](make_architecture(config["architecture"]))
        model.load_state_dict(state)
        data = client_data(context.node_config["partition-id"], config["samples"])
        train_plain(model, *data, config["steps"])
        state = model.state_dict()
    metrics = MetricRecord({"num-examples": config["samples"]})
    content = RecordDict({"arrays": ArrayRecord(state), "metrics": metrics})
    return Message(content=content, reply_to=message)


def flower_server(fd):
    """Serve rounds in Flower's environment: receive steps, run the round, answer."""
    from flwr.app import ArrayRecord, ConfigRecord
    from flwr.clientapp import ClientApp
    from flwr.serverapp import ServerApp
    from flwr.serverapp.strategy import FedAvg as FlowerFedAvg
    from flwr.simulation import run_simulation

    pipe = Connection(fd)
    name, clients, samples, rounds, processes = pipe.recv()

    class InTurn(FlowerFedAvg):
        def configure_train(self, server_round, arrays, config, grid):
            config["steps"] = pipe.recv()
            return super().configure_train(server_round, arrays, config, grid)

        def aggregate_train(self, server_round, replies):
            result = super().aggregate_train(server_round, replies)
            pipe.send(sum(not reply.has_error() for reply in replies))
            return result

    server, client = ServerApp(), ClientApp()
    client.train()(flower_client)

    @server.main()
    def main(grid, context):
        initial = ArrayRecord(PLAIN[name](make_architecture(name)).state_dict())
        config = ConfigRecord({"architecture": name, "samples": samples})
        strategy = InTurn(fraction_evaluate=0.0, min_available_nodes=clients)
        strategy.start(grid, initial, num_rounds=rounds, train_config=config)

    pipe.send("imported")
    one_core = {"client_resources": {"num_cpus": 1}, "init_args": {"num_cpus": processes}}
    run_simulation(server, client, num_supernodes=clients, backend_config=one_core)


class Idle(FedAvg):
    """Clients that do all but the steps of a round."""

    def local(self, training, sent, state, work):
        """Hand back the global weights."""
        training.draw(work)
        weights = work.start_weights(sent["theta"])
        training.make_optimizer(weights)
        return {"theta": weights}, state


def timed(work, root, without=None):
    """Return the wall-clock and CPU seconds of ``work``."""
    cpu, wall = tree_cpu(root, without), time.perf_counter()
    work()
    return time.perf_counter() - wall, tree_cpu(root, without) - cpu


def spread(values, digits=2):
    values = sorted(values)
    ends = f"{values[0]:.{digits}f} to {values[-1]:.{digits}f}"
    return f"{median(values):.{digits}f} ({ends})"


class Case:
    """An architecture and its clients, with a round of each variant but Flower's."""

    def __init__(self, name, args):
        self.name, self.args = name, args
        self.architecture = make_architecture(name)
        self.plain = PLAIN[name](self.architecture)
        n_weights = self.architecture.n_parameters - self.architecture.n_buffers
        assert sum(p.numel() for p in self.plain.parameters()) == n_weights
        self.theta = self.architecture.init(torch.Generator().manual_seed(0)).numpy()
        self.data = [client_data(k, BATCH * args.steps) for k in range(args.clients)]
        self.X, self.y = (torch.cat(parts).numpy() for parts in zip(*self.data))
        self.square = torch.randn(2, GEMM, GEMM)

    def make_engine(self, algorithm, precision):
        """Workers that train the clients by an algorithm."""
        loss = SupervisedLoss(self.architecture, "classification")
        training = LocalTraining(
            loss, self.args.steps, BATCH, learning_rate=LEARNING_RATE, precision=precision
        )
        clients = list(np.arange(len(self.y)).reshape(self.args.clients, -1))
        job = TrainingJob(training, algorithm, self.X, clients, seed=0, y=self.y)
        return Workers(job, self.args.processes)

    def engine_round(self, engine):
        """Run a round of the package."""
        list(rounds_of(engine, engine.job, {"theta": self.theta}, {}, range(1, 2)))

    def loop(self, threads):
        """Run a round of plain modules."""
        torch.set_num_threads(threads)
        plain_round(self.plain, self.data, self.args.steps)

    def matrix_product(self):
        """Multiply matrices five times, on all cores."""
        torch.set_num_threads(self.args.processes)
        first, second = self.square
        for _ in range(5):
            first @ second

    def start_flower(self, stack):
        """Start Flower's simulation, which answers the numbers of steps of rounds."""
        args = self.args
        rounds = 2 * args.turns + 2
        job = (self.name, args.clients, BATCH * args.steps, rounds, args.processes)
        rival = Rival("Flower", args.flower_python, "engine.flower_server", job, **QUIET)
        return stack.enter_context(rival)

    def variants(self, stack, idle, flower):
        """Make the variants by their labels, each a function that runs a round."""
        args, variants = self.args, {}
        for precision in dict.fromkeys(["float32", args.precision]):
            label = "engine" if precision == "float32" else f"engine, {precision}"
            engine = stack.enter_context(self.make_engine(FedAvg(), precision))
            variants[label] = partial(self.engine_round, engine)
        variants["loop, all cores"] = partial(self.loop, args.processes)
        variants["loop, 1 thread"] = partial(self.loop, 1)
        if flower:
            variants["flower"] = partial(flower.ask, args.steps, args.clients)
        variants["matrix product"] = self.matrix_product
        variants["engine, idle"] = partial(self.engine_round, idle)
        if flower:
            variants["flower, idle"] = partial(flower.ask, 0, args.clients)
        return variants


def measure(name, args):
    case, startup = Case(name, args), {}
    with ExitStack() as stack:
        flower = case.start_flower(stack) if args.flower_python else None
        flower_pid = flower.process.pid if flower else None
        if flower:
            startup["flower"] = timed(partial(flower.ask, 0, args.clients), flower_pid)[0]
        started = time.perf_counter()
        idle = stack.enter_context(case.make_engine(Idle(), "float32"))
        case.engine_round(idle)
        startup["engine"] = time.perf_counter() - started
        variants = case.variants(stack, idle, flower)
        # Once without measuring the time: processes start, memory is mapped, data is cached.
        for label, work in variants.items():
            if label != "flower, idle":
                work()
        times = {label: [] for label in variants}
        for _ in range(args.turns):
            for label, work in variants.items():
                if label.startswith("flower"):
                    times[label].append(timed(work, flower_pid))
                else:
                    times[label].append(timed(work, os.getpid(), without=flower_pid))
    report(name, case.architecture, args, times, startup)


def report(name, architecture, args, times, startup):
    steps = args.clients * args.steps
    print(
        f"\n{name}: {args.clients} clients x {args.steps} steps of batch {BATCH}, "
        f"{args.turns} turns, {args.processes} cores"
    )
    head = "the engine is faster by (wall clock)"
    print(f"{'':18s}{'steps/s':>8s}{'CPU s/step':>12s}   {head:40s}and in CPU time")
    ours = np.array(times["engine"])
    for label, seconds in times.items():
        if label == "matrix product" or label.endswith("idle"):
            continue
        wall, cpu = np.median(seconds, axis=0)
        ratios = np.array(seconds) / ours
        beside = "" if label == "engine" else f"{spread(ratios[:, 0]):40s}{spread(ratios[:, 1])}"
        print(f"{label:18s}{steps / wall:8.1f}{cpu / steps:12.4f}   {beside}")

    # Three passes: forward, and backward to activations and weights.
    useful, product = 3 * BATCH * steps * flops(architecture), 5 * 2 * GEMM**3
    peak = np.array(times["matrix product"])
    share = useful / ours * peak / product
    print(
        f"peak {product / np.median(peak[:, 0]) / 1e9:.0f} GFLOP/s; the engine reaches "
        f"{spread(100 * share[:, 0], 0)}% of it, {spread(100 * share[:, 1], 0)}% in CPU time"
    )
    for label, seconds in startup.items():
        overhead = [wall for wall, _ in times[f"{label}, idle"]]
        print(
            f"{label}: round without steps {spread(overhead, 3)} s, "
            f"start-up {seconds - median(overhead):.1f} s"
        )
    if "flower" in startup:
        ratio = [f[0] / e[0] for f, e in zip(times["flower, idle"], times["engine, idle"])]
        print(f"overhead of Flower's round: {spread(ratio, 1)} times the engine's")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--architecture", nargs="+", choices=PLAIN, default=[*PLAIN])
    p.add_argument("--clients", type=int, default=10)
    p.add_argument("--steps", type=int, default=5, help="local steps a round")
    p.add_argument("--turns", type=int, default=3, help="times that each variant runs")
    p.add_argument("--processes", type=int, default=os.cpu_count())
    p.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    p.add_argument("--flower-python", help="interpreter with flwr[simulation] and this package")
    args = p.parse_args()
    if not args.flower_python:
        print("Flower's simulation is skipped: --flower-python is not given", file=sys.stderr)
    for name in args.architecture:
        measure(name, args)


if __name__ == "__main__":
    main()
