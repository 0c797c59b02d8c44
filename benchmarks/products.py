"""Products of float32 matrices, ``x w'`` and both of its gradients: oneDNN against torch's own.

One thread, in turn, CPU time; GFLOP/s of each, and how much faster oneDNN is. Torch takes MKL,
which on AMD's processors leaves AVX-512 unused. Beside them what oneDNN needs for a shape that it
meets for the first time, and the largest errors of both.

    python benchmarks/products.py [--repeat 7]
"""

import argparse
import time
from statistics import median

import torch

from fedreact.models.products import ONEDNN

SHAPES = [(1000, 276, 276), (1000, 276, 256), (2000, 12, 256), (5000, 40, 40), (1000, 40, 40)]
SHAPES += [(975, 64, 192), (200, 40, 40), (64, 320, 10)]


def onednn(x, w):
    return ONEDNN(x, w, None, "none", [], "")


def milliseconds(work, times):
    begun = time.process_time()
    for _ in range(times):
        work()
    return 1e3 * (time.process_time() - begun) / times


def pair(x, w, repeat):
    """Measure the milliseconds of oneDNN and of torch for ``x w'``."""
    times = max(5, int(2e8 / (x.numel() * len(w))))
    ways = (lambda: onednn(x, w)), (lambda: x @ w.mT)
    for way in ways:
        way()
    turns = [[milliseconds(way, times) for way in ways] for _ in range(repeat)]
    return [median(spent) for spent in zip(*turns)]


@torch.inference_mode()
def main(repeat):
    torch.set_num_threads(1)
    print(f"{'rows, in, out':>20s}  {'x w':>24s} {'of x':>24s} {'of w':>24s}")
    for m, n, out in SHAPES:
        x, w, g = torch.randn(m, n), torch.randn(out, n), torch.randn(m, out)
        cells = []
        for a, b in ((x, w), (g, w.mT), (g.mT, x.mT)):
            ours, torchs = pair(a, b, repeat)
            rate = 2 * m * n * out / 1e6
            cells.append(f"{rate / ours:5.0f} / {rate / torchs:4.0f} = {torchs / ours:4.2f} times")
        print(f"{m:8d} {n:5d} {out:5d}  " + " ".join(f"{cell:>24s}" for cell in cells))
    x, w = torch.randn(1000, 276), torch.randn(256, 276)
    exact = x.double() @ w.double().mT
    results = onednn(x, w), x @ w.mT
    errors = (float((result - exact).abs().max()) for result in results)
    print("largest error of sums of 276 products: {:.0e}, of torch's {:.0e}".format(*errors))
    w, new = torch.randn(256, 276), range(1001, 1101)
    first, again = (
        sum(milliseconds(lambda m=m: onednn(torch.empty(m, 276), w), 1) for m in new)
        for _ in range(2)
    )
    print(f"a shape for the first time: {(first - again) / len(new):.2f} ms more")


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--repeat", type=int, default=7)
    main(p.parse_args().repeat)
