"""Number of clusters: WCSS and silhouette score of 1, 2, ... clusters (arXiv, Figs. 3 and 4).

Fits task models to labelled samples drawn as in Phase 2, and writes a line for each number of
samples and of clusters: both criteria, averaged over rounds.
"""

import csv

import numpy as np
from _cli import atomic, parser, run
from _phase2 import add_arguments, read
from tqdm import tqdm

from fedreact import phase2
from fedreact.clustering.n_clusters import estimate
from fedreact.errors import UserError


def main(args):
    """Run all rounds of each number of samples and write the averaged curves."""
    if args.rounds < 1 or min(args.samples) < 1:
        raise UserError(f"{args.rounds} rounds of {args.samples} samples: use 1 or more of each")
    name, features, y, drawn, task, _ = read(args)
    largest = min(args.max_clusters, len(drawn.train))

    def curves(samples, t):
        at, valid = phase2.labelled_samples(drawn.train, samples, args.seed, t)
        models = task.fit(features[at], y[at], valid)
        return estimate(models.reshape(len(models), -1), largest, args.linkage)

    bar = tqdm(total=len(args.samples) * args.rounds, unit="round", disable=None)
    with atomic(args.output) as path, path.open("w", newline="") as file, bar:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["setting", "data", "seed", "samples", "n_clusters", "wcss", "silhouette"])
        for samples in args.samples:
            found = []
            for t in range(1, args.rounds + 1):
                found.append(curves(samples, t))
                bar.update()
            for n, (wcss, silhouette) in enumerate(np.mean(found, axis=0).T, 1):
                run_of = (args.setting, name, args.seed, samples)
                score = "" if np.isnan(silhouette) else f"{silhouette:.6f}"
                rows.writerow([*run_of, n, f"{wcss:.6f}", score])


if __name__ == "__main__":
    p = parser(__doc__)
    add_arguments(p)
    p.add_argument("--samples", type=int, nargs="+", required=True, help="|M|, labelled samples")
    p.add_argument("--rounds", type=int, default=10, help="rounds to average over")
    p.add_argument("--max-clusters", type=int, default=10, help="or as many as there are clients")
    run(main, p)
