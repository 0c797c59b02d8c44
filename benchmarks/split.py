"""Tasks side by side: a step of FATHOM against a plain loop over tasks in torch, on the same work.

The loop is what one would write first: a torch module a task, one graph over all tasks, one Adam.
Without dropout it has torch's own LSTM, which computes all steps in one call, and its losses are
those of the package (printed: the largest difference). With dropout from step to step, as the
papers have it, that LSTM cannot be used; the loop then has torch's LSTM cells. Penalties are left
out of both. The package also counts what would be sent.

    python benchmarks/split.py [--repeat 5]
"""

import argparse
import time
from functools import partial
from statistics import median

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.kinds.split.engine import Federation, Learning
from fedreact.losses.objective import Data
from fedreact.losses.of_tasks import LossOfTasks
from fedreact.models.passing import unpack
from fedreact.optimizers.adam import Adam
from fedreact.task import Task

CASES = {
    "12 people of ExtraSensory": (Task("multi-label", 51, 276, 20), 12, 50),
    "9 stations": (Task("regression", 6, 12, 20), 9, 100),
}
HIDDEN, RATE, STEPS, DROPOUT = 64, 1e-3, 3, (0.2, 0.2)


class Stepped(nn.LSTM):
    """The same layer, with a draw of dropout of inputs and one of h for all steps of a series."""

    def forward(self, x):
        """All h, ``[B, T, H]``, and nothing."""
        of_inputs, of_h = DROPOUT
        x = F.dropout1d(x.mT, of_inputs).mT
        h = c = x.new_zeros(len(x), HIDDEN)
        kept, found = F.dropout(torch.ones_like(h), of_h), []
        weights = self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0
        for now in x.unbind(1):
            h, c = torch.lstm_cell(now, (h * kept, c), *weights)
            found.append(h)
        return torch.stack(found, 1), None


class One(nn.Module):
    """A task's layers."""

    def __init__(self, task, lstm):
        super().__init__()
        D = task.channels
        self.features = nn.Linear(D, D, bias=False)
        self.first = lstm(D, HIDDEN, batch_first=True)
        self.second = lstm(D, HIDDEN, batch_first=True)
        self.wide, self.out = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, task.outputs)

    def up(self, x):
        """Eqs. 4.8 to 4.11."""
        return self.first((x * self.features(x).softmax(-1)).tanh())[0]

    def down(self, x, a):
        """Eqs. 4.14 to 4.17."""
        last = self.second(a[..., None] * x)[0][:, -1]
        return self.out(self.wide(last).relu())


def loop(task, federation, lstm):
    """Modules with the federation's weights, and a step of theirs."""
    tasks = [One(task, lstm) for _ in range(federation.K)]
    attention = nn.Linear(task.steps * HIDDEN * federation.K, task.steps)
    given, k = {"input": "weight_ih_l0", "recurrent": "weight_hh_l0", "bias": "bias_ih_l0"}, 0
    with torch.no_grad():
        for side in federation.clients:
            w = unpack(side.theta, side.layers)
            for i in range(len(side.theta)):
                for name, of in w.items():
                    layer, _, key = name.partition(".")
                    into = getattr(tasks[k], layer)
                    lstm = isinstance(into, nn.LSTM)
                    getattr(into, given[key] if lstm else key).copy_(of[i])
                    if lstm:
                        into.bias_hh_l0.zero_()
                k += 1
        for key, of in unpack(federation.server.theta, federation.server.layers).items():
            getattr(attention, key.partition(".")[2]).copy_(of[0])
    weights = [
        w for m in (*tasks, attention) for n, w in m.named_parameters() if "bias_hh" not in n
    ]
    adam = torch.optim.Adam(weights, RATE, fused=True)

    def step(x, y):
        h = torch.cat([one.up(of) for one, of in zip(tasks, x)], -1)
        a = attention(h.flatten(1)).tanh().softmax(-1)
        z = torch.stack([one.down(of, a) for one, of in zip(tasks, x)])
        losses = federation.learning.loss(z, y).mean(1)
        adam.zero_grad()
        losses.sum().backward()
        adam.step()
        return losses.detach().numpy()

    return step


def timed(step, repeat):
    """Milliseconds a step, of wall and of CPU time, and the losses of the first steps."""
    losses, times = np.array([step(i) for i in range(STEPS)]), []
    for _ in range(repeat):
        begun = time.perf_counter(), time.process_time()
        for i in range(STEPS):
            step(i)
        ended = time.perf_counter(), time.process_time()
        times.append([1e3 * (b - a) / STEPS for a, b in zip(begun, ended)])
    return [median(of) for of in zip(*times)], losses


def compare(task, K, batch, repeat, dropout):
    """Both on one thread and on two: milliseconds by variant and threads, and losses."""
    drawn, n = torch.Generator().manual_seed(0), batch * STEPS
    X = torch.rand(K * n, task.steps, task.channels, generator=drawn)
    y = torch.rand(K * n, task.outputs, generator=drawn)
    y = y > 0.8 if task.kind == "multi-label" else y
    learning = Learning(LossOfTasks(task.kind), Adam(), RATE, DROPOUT if dropout else (0.0, 0.0))
    start = partial(Federation, Fathom(l2=0.0), task, K, Data(X, y), learning, 0)
    at = [np.arange(K)[:, None] * n + i * batch + np.arange(batch) for i in range(STEPS)]
    found = {}
    for threads in (1, 2):
        federation = start(workers=threads)
        plain = loop(task, start(), Stepped if dropout else nn.LSTM)
        found["package", threads] = timed(partial(both_numbers, federation.step, at), repeat)
        federation.close()
        torch.set_num_threads(threads)
        batches = [(X[of], y[of]) for of in at]
        found["loop", threads] = timed(partial(of_batches, plain, batches), repeat)
    return found


def both_numbers(step, at, i):
    """A step of the package."""
    return step(at[i], i)


def of_batches(step, batches, i):
    """A step of the loop."""
    return step(*batches[i])


def main(repeat):
    """Time both in turn."""
    for name, case in CASES.items():
        for dropout in (False, True):
            found = compare(*case, repeat, dropout)
            apart = np.abs(found["package", 1][1] - found["loop", 1][1]).max()
            what = "with dropout" if dropout else f"losses differ by {apart:.0e} at most"
            print(f"{name}, {what}")
            for (variant, threads), ((wall, cpu), _) in found.items():
                print(
                    f"  {variant:8} {threads} thread(s) {wall:7.0f} ms a step {cpu:7.0f} ms of CPU"
                )


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--repeat", type=int, default=5)
    main(p.parse_args().repeat)
