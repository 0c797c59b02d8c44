"""Simulate the electric vehicles of one town with SUMO; writes their traces, second by second.

One process can hold one simulation, so each town is a run of this command.
"""

from pathlib import Path

from _cli import atomic, log, parser, run
from tqdm import tqdm

from fedreact import npz
from fedreact.data.sumo_ev.regions import REGIONS
from fedreact.data.sumo_ev.simulate import simulate


def main(args):
    """Simulate, write."""
    with tqdm(unit="step", disable=None) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        content = simulate(REGIONS[args.region], args.share, args.seed, progress)
    with atomic(args.output) as path:
        npz.save(path, **content)
    steps, planned = len(content["time"]), content["planned"]
    log.info(
        "%s: %d vehicles drove %d of %d planned steps; the rest ran empty or arrived (SUMO %s)",
        *(args.region, len(planned), steps, planned.sum(), content["sumo"]),
    )


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--region", choices=REGIONS, required=True)
    p.add_argument("--share", type=float, default=1.0, help="of the windows that a vehicle yields")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
