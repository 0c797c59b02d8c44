"""Cut simulated traces into windows: the dataset sumo-ev."""

from pathlib import Path

import numpy as np
from _cli import atomic, log, parser, run

from fedreact import npz
from fedreact.data.sumo_ev.windows import SCALES, THERMOMETERS, cut_windows

NEEDED = [*SCALES, "vehicle", "charge", "number", "type", "region"]


def main(args):
    """Read, cut, write."""
    traces = [npz.load(path, "simulated region", NEEDED) for path in args.regions]
    data = cut_windows(traces, args.thermometer, args.seed)
    with atomic(args.output) as path:
        data.save(path)
    each = np.unique(data.subject, return_counts=True)[1]
    words = "%s: %d windows of %d vehicles, %d to %d each"
    log.info(words, data.name, len(data.X), len(each), each.min(), each.max())


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--regions", type=Path, nargs="+", required=True, help="simulated traces")
    p.add_argument("--thermometer", choices=THERMOMETERS, default="noisy")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
