"""Seconds that Fed-REACT at scale smoke takes with and without the fork server, in turn.

Steps are forks of one Python process that has loaded torch, or a Python process each. Each run
starts from nothing, in this checkout's results/smoke/. Nothing else should run meanwhile.

    python benchmarks/forks.py > reference/speed/forks.txt
"""

import os
import shutil
import subprocess
import sys
from time import monotonic

from fedreact import provenance
from fedreact.command import parser, run
from fedreact.errors import UserError

COMMAND = ["snakemake", "--cores", "2", "all_tables", "claims", "--config", "scale=smoke"]


def seconds(forks):
    """Measure the seconds of a run; its output goes to stderr.

    Raises :class:`UserError` where it fails.
    """
    shutil.rmtree("results/smoke", ignore_errors=True)
    environment = {k: v for k, v in os.environ.items() if k != "FEDREACT_FORKS"}
    environment |= {} if forks else {"FEDREACT_FORKS": "no"}
    begin = monotonic()
    ended = subprocess.run(COMMAND, env=environment, stdout=sys.stderr, check=False)
    if ended.returncode:
        raise UserError(f"`{' '.join(COMMAND)}` failed, with {ended.returncode}")
    return monotonic() - begin


def main(args):
    """Print a line for each way, with a time for each repetition, then where they ran."""
    ways = {"a Python process for each step": False, "forks of one process": True}
    times = {way: [] for way in ways}
    for _ in range(args.repetitions):
        for way, forks in ways.items():
            times[way].append(seconds(forks))
    for way, measured in times.items():
        print(f"{way:<31} {', '.join(f'{each:.0f} s' for each in measured)}")
    here, commit = provenance.machine(), provenance.commit()
    print(f"on {here['processor']}, {here['cores']} cores, commit {commit['id'][:7]}")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--repetitions", type=int, default=2)
    run(main, p)
