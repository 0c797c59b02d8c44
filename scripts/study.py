"""Run a study, which needs no data: its lines as csv."""

import csv
from pathlib import Path

from tqdm import tqdm

from fedreact import plugins
from fedreact.atomic import atomic
from fedreact.command import parser, run
from fedreact.reading import read_json


def main(args):
    """Run, write."""
    study = plugins.make("studies", read_json(args.study, "--study"), "STUDY", "--study")
    with atomic(args.output) as path, path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(study.COLUMNS)
        rows.writerows(tqdm(study.run(args.seeds), unit="line", disable=None))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--study", required=True, help='JSON: {"kind": a file of studies/, options}')
    p.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
