"""Minutes that the commands of the README take, one after the other, in a fresh clone.

The clone is of the last commit of this checkout, and the first command sets it up. With
``FEDREACT_DATA_MIRROR`` set no data is downloaded. Nothing else should run meanwhile.

    python benchmarks/main_job.py > reference/speed/main_job.txt
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from fedreact import provenance
from fedreact.command import parser, run
from fedreact.errors import UserError


def minutes(command, folder):
    """Measure the minutes of `command`, a list of words, in `folder`; its output goes to stderr.

    Raises :class:`UserError` where it fails.
    """
    # The virtual environment of this checkout is no part of the clone.
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    begin = monotonic()
    ended = subprocess.run(command, cwd=folder, env=environment, stdout=sys.stderr, check=False)
    if ended.returncode:
        raise UserError(f"`{' '.join(command)}` failed in a fresh clone, with {ended.returncode}")
    return (monotonic() - begin) / 60


def main(args):
    """Print a line for each command, then one that says where they ran."""
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "fedreact"
        subprocess.run(["git", "clone", "-q", ".", str(clone)], check=True)
        for command in args.commands:
            print(f"{command}: {minutes(command.split(), clone):.1f} min", flush=True)
    here, commit = provenance.machine(), provenance.commit()
    data = "from a local mirror" if os.environ.get("FEDREACT_DATA_MIRROR") else "downloaded"
    where = f"on {here['processor']}, {here['cores']} cores, commit {commit['id'][:7]}"
    print(f"{where}, in a fresh clone; the first command sets it up; data {data}")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("commands", nargs="*", default=["make tables", "make test"])
    run(main, p)
