"""Draw the clusters and clients of one partition and seed.

The first word is the partitioner, a file of src/fedreact/clients/partitioners/; each has options of
its own: python scripts/make_partition.py dirichlet --help.
"""

from pathlib import Path

from fedreact import options, plugins
from fedreact.atomic import atomic
from fedreact.clients import apart, checks
from fedreact.command import log, parser, run, subparsers
from fedreact.data.dataset import SeriesDataset

FOLDER = "clients/partitioners"


def main(args):
    """Read the dataset, draw, write."""
    cls = plugins.load(FOLDER, args.by, "PARTITIONER")
    data, partitioner = SeriesDataset.load(args.data), options.from_words(cls, args, args.by)
    drawn = apart.deal(partitioner, data, args.seed, args.apart_from)
    for sentence in checks.findings(drawn):
        log.warning("note: %s", sentence)
    with atomic(args.output) as path:
        drawn.save(path)


def words():
    """The command line."""
    p = parser(__doc__)
    names = plugins.names(FOLDER, "PARTITIONER")
    for one in subparsers(p, "by", names, lambda name: plugins.load(FOLDER, name, "PARTITIONER")):
        one.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
        one.add_argument("--seed", type=int, required=True)
        one.add_argument(
            "--apart-from",
            type=Path,
            nargs="*",
            default=[],
            help="partitions, none of whose tests are dealt",
        )
        one.add_argument("--output", type=Path, required=True)
    return p


if __name__ == "__main__":
    run(main, words)
