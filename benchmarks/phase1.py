"""Phase 1: local steps a second and core, against the plain Conv1d formulation.

Runs the same steps (same sub-sequences, same weights) in turn through

* the package's encoder (float32, time-major matrix products), and in bfloat16 by autocast,
* the formulation of Franceschi et al. (padded ``conv1d`` then cut, a forward and a backward pass
  for each negative sample) in float32, and
* the same in float64, as its authors run it,

single-threaded, in CPU time. Sub-sequences have other lengths at each step, as in training, which
matters to libraries that prepare themselves for a shape. In between it measures the peak of a
matrix product: torch's, and oneDNN's; and the products of the steps alone, one for each tap, with
nothing between them: more than that no pass of these products can reach. The share of a peak counts
the multiply-adds that the result needs: not those on padding, nor those on taps that reach before a
series' first step.

    python benchmarks/phase1.py [--rounds 3] [--steps 40]
"""

import argparse
import os
import time
from statistics import median

# Before torch: oneDNN, which multiplies in bfloat16, prepares itself for each shape and forgets all
# but the last 1,024 of them, of which a step has dozens. With room for all, it is seen at its best.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "20000")

import numpy as np
import torch
from conv1d_encoder import Conv1dEncoder, train_step

from fedreact.encoding.train import make_encoder
from fedreact.engine.engine import keep_heap
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data
from fedreact.models import products

LENGTH, BATCH, N_SERIES, CHANNELS = 100, 10, 200, 3


def useful_flops(encoder, length, series):
    """Count the operations of both passes over ``series`` series of ``length`` steps."""
    total = 0
    for n_in, n_out, dilation in encoder.blocks:
        lags = [j * dilation for j in range(encoder.kernel_size)]
        steps = sum(max(0, length - lag) for lag in lags)
        total += steps * (n_in + n_out) * n_out + (length * n_in * n_out if n_in != n_out else 0)
    total += encoder.reduced_size * encoder.out_channels
    return 3 * 2 * total * series


def products_of(encoder, length, series):
    """Yield the sizes ``(rows, in, out)`` of the products of a forward pass, a tap each."""
    for n_in, n_out, dilation in encoder.blocks:
        for width in (n_in, n_out):
            for j in range(encoder.kernel_size):
                if rows := max(0, length - j * dilation) * series:
                    yield rows, width, n_out
        if n_in != n_out:
            yield length * series, n_in, n_out


def cpu_time(work):
    started = time.process_time()
    work()
    return time.process_time() - started


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--rounds", type=int, default=3, help="times that each variant runs")
    p.add_argument("--steps", type=int, default=40, help="training steps a run")
    p.add_argument("--encoder", choices=["table12", "franceschi"], default="table12")
    args = p.parse_args()
    torch.set_num_threads(1)
    keep_heap()

    encoder = make_encoder(args.encoder, CHANNELS)
    loss = ContrastiveLoss(encoder, n_negatives=10)
    theta = encoder.init(torch.Generator().manual_seed(0))
    rng = np.random.default_rng(0)
    X = torch.from_numpy(rng.normal(size=(N_SERIES, LENGTH, CHANNELS)).cumsum(1) / 10)
    draws = loss.draw(rng, np.arange(N_SERIES), LENGTH, BATCH, args.steps)
    flops = sum(
        useful_flops(encoder, int(long), BATCH)
        + useful_flops(encoder, int(short), BATCH * (1 + loss.n_negatives))
        for long, short in zip(draws.anchor_length, draws.short_length)
    )

    def package(dtype):
        local = theta[None].clone().requires_grad_()
        for step in range(args.steps):
            with torch.autocast("cpu", torch.bfloat16, dtype == torch.bfloat16):
                losses, _ = loss.value(local, Data(X.float()), [draws], step)
            losses.sum().backward()

    passes = [
        sizes
        for long, short in zip(draws.anchor_length, draws.short_length)
        for length, series in ((int(long), BATCH), (int(short), BATCH * (1 + loss.n_negatives)))
        for sizes in products_of(encoder, length, series)
    ]
    most, widest = max(rows for rows, *_ in passes), max(out for *_, out in passes)
    rows_in, rows_out = torch.randn(2, most * widest)

    def products_alone():
        for rows, n_in, n_out in passes:
            x = rows_in[: rows * n_in].view(rows, n_in)
            y = rows_out[: rows * n_out].view(rows, n_out)
            w = rows_in[: n_in * n_out].view(n_in, n_out)
            torch.mm(x, w)
            torch.mm(x.T, y)
            torch.mm(y, w.T)

    def conv1d(dtype):
        reference = Conv1dEncoder(encoder, theta.to(dtype))
        series = X.to(dtype).mT.contiguous()
        for step in range(args.steps):
            train_step(reference, series, draws, step, 1 / loss.n_negatives)

    a, b = torch.randn(2, 2048, 2048)
    variants = {
        "package, float32": lambda: package(torch.float32),
        "package, bfloat16": lambda: package(torch.bfloat16),
        "conv1d, float32": lambda: conv1d(torch.float32),
        "conv1d, float64": lambda: conv1d(torch.float64),
        "products alone": products_alone,
        "torch's product": lambda: [a @ b for _ in range(5)],
        "oneDNN's product": lambda: [products.ONEDNN(a, b, None, "none", [], "") for _ in range(5)],
    }
    times = {name: [] for name in variants}
    for work in variants.values():
        work()
    for _ in range(args.rounds):
        for name, work in variants.items():
            times[name].append(cpu_time(work))

    gemm = 5 * 2 * 2048**3
    alone = times.pop("products alone")
    ours = times.pop("package, float32")
    peaks = {name: times.pop(name) for name in ("torch's product", "oneDNN's product")}
    print(
        f"encoder {args.encoder}, {args.steps} steps, {flops / args.steps / 1e9:.2f} GFLOP a step"
    )
    print(f"package, float32     {args.steps / median(ours):6.1f} steps/s/core")
    for name, other in times.items():
        ratios = sorted(t / o for t, o in zip(other, ours))
        rate = args.steps / median(other)
        print(
            f"{name:20s} {rate:6.1f} steps/s/core; the first is {median(ratios):.2f} times as "
            f"fast ({ratios[0]:.2f} to {ratios[-1]:.2f} pair by pair)"
        )
    work = sum(6 * rows * n_in * n_out for rows, n_in, n_out in passes)
    share = median(work / t * p / gemm for t, p in zip(alone, peaks["torch's product"]))
    rate = work / median(alone) / 1e9
    print(
        f"products alone       {rate:6.1f} GFLOP/s, which is {100 * share:.0f}% of torch's product"
    )
    for name, peak in peaks.items():
        share = median(flops / t * p / gemm for t, p in zip(ours, peak))
        rate = gemm / median(peak) / 1e9
        print(f"{name:20s} {rate:6.1f} GFLOP/s; the package reaches {100 * share:.0f}% of it")


if __name__ == "__main__":
    main()
