"""Draw the clusters and clients of one partition and seed."""

from pathlib import Path

from _cli import atomic, parser, run

from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.partition import (
    SPLITS,
    drifting_partition,
    partition,
    partition_by_labels,
    partition_by_subject,
)


def main(args):
    """Read the dataset, draw, write."""
    drawn = draw(SeriesDataset.load(args.data), args)
    with atomic(args.output) as path:
        drawn.save(path)


def draw(data, args):
    """Draw a partition of the kind that is asked for."""
    sizes = {"samples_per_client": args.samples_per_client, "test_share": args.test_share}
    if args.split:
        if data.subject is None:
            raise UserError(f"partition: {args.data} does not say which subject a series is of")
        drawn = partition_by_subject(
            *(data.subject, args.seed, args.split, args.test_share, args.gap, data.trial)
        )
        if args.subjects not in (None, len(drawn.train)):
            raise UserError(
                f"partition: {args.data} has {len(drawn.train)} subjects, not {args.subjects}"
            )
        return drawn
    if data.regression:
        raise UserError(
            f"partition: {args.data} holds targets, not labels; give --split, for a client of each "
            "subject"
        )
    if args.cluster_sizes is None or args.beta is args.supports is args.labels is None:
        raise UserError(
            "partition: give --split, or --cluster-sizes and --beta, --supports or --labels"
        )
    if args.labels:
        return partition_by_labels(
            data.y, args.cluster_sizes, args.labels, args.seed, data.trial, **sizes
        )
    if data.trial is not None:
        raise UserError(
            f"partition: series of {args.data} belong to trials, which --beta and --supports would "
            "split; give --labels or --split"
        )
    if args.states == 2 or args.supports:
        return drifting_partition(
            data.y, args.cluster_sizes, args.seed, args.beta, args.supports, **sizes
        )
    sizes |= {"min_samples": args.min_samples}
    return partition(data.y, args.cluster_sizes, args.beta, args.seed, **sizes)


def numbers(text):
    """Read ``0,1`` as labels."""
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--data", type=Path, required=True, help="prepared dataset, npz")
    p.add_argument("--cluster-sizes", type=int, nargs="+", help="clients a cluster")
    p.add_argument("--beta", type=float, help="Dirichlet parameter")
    p.add_argument("--states", type=int, choices=[1, 2], default=1, help="distributions a cluster")
    p.add_argument("--supports", type=int, nargs="+", help="instead of beta: labels a cluster")
    p.add_argument(
        "--labels",
        type=numbers,
        nargs="+",
        help="instead of beta: each cluster's labels, e.g. 0 1 0,1",
    )
    p.add_argument("--split", choices=SPLITS, help="instead of clusters: a client of each subject")
    p.add_argument("--subjects", type=int, help="of a split: how many there should be")
    p.add_argument(
        "--gap", type=int, default=0, help="series left out before a chronological split"
    )
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--samples-per-client", type=int, default=2400)
    p.add_argument("--test-share", type=float, default=0.1)
    p.add_argument("--min-samples", type=int, default=100, help="smallest cluster accepted")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
