"""Phase 2: local task models, clustering and aggregation, all methods side by side (Algorithm 2).

Writes a line for each round and method: accuracy (or root mean square error) averaged over
clients, Rand score, the score of the worst cluster, and what a client's training in Phase 1 took:
local steps and GFLOPs. The fits of Phase 2 take no gradient steps; they are not counted.
"""

import csv
from dataclasses import replace

import numpy as np
from _cli import atomic, parser, run
from _phase2 import add_arguments, read
from tqdm import tqdm

from fedreact import phase2
from fedreact.clustering.n_clusters import choose
from fedreact.drift import DRIFTS, schedule
from fedreact.errors import UserError
from fedreact.methods import METHODS, Phase2Setting
from fedreact.variants import split_variant
from fedreact.workflow import own


def main(args):
    """Run all rounds and write the scores."""
    name, features, y, drawn, task, taken = read(args)
    of_drift = assigned(args.drift_parameters)
    if unknown := sorted(set(of_drift) - {"p01", "p10", "probability"}):
        raise UserError(f"drift {args.drift}: {unknown[0]} is none of its parameters")
    plan = schedule(
        drawn.clusters,
        drawn.distributions,
        args.rounds,
        args.seed,
        args.drift,
        args.participation,
        **of_drift,
    )
    setting = Phase2Setting(
        n_clusters=len(np.unique(drawn.clusters)),
        seed=args.seed,
        truth=plan.truth,
        linkage=args.linkage,
        iterations=args.affect_iterations,
        start=args.affect_start,
        first_alpha=args.affect_first_alpha,
        send=args.send,
        unsent=args.unsent,
        identity=args.identity,
    )

    def n_clusters(how):
        """Number that a method is given: as it stands, or by a criterion (appendix E)."""
        if isinstance(how, int):
            return how
        at, valid = phase2.labelled_samples(drawn.train, args.samples_per_round, args.seed, 1)
        models = task.fit(features[at], y[at], valid)
        return choose(how, models.reshape(len(models), -1), args.linkage)

    if args.clusters is not None:
        setting = replace(setting, n_clusters=n_clusters(args.clusters))
    methods = {
        method: make(method, setting, assigned(args.method_options), n_clusters)
        for method in args.methods
    }
    scores = phase2.run(
        *(features, y, drawn, plan, methods, task, args.seed),
        *(args.samples_per_round, args.test_on),
    )
    bar = tqdm(scores, total=args.rounds * len(args.methods), unit="score", disable=None)
    with atomic(args.output) as path, path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        scored = [task.metric, "rand", "worst_cluster", "steps", "gflops"]
        rows.writerow(["setting", "data", "seed", "method", "round", *scored])
        for s in bar:
            values = (s.score, s.rand, s.worst_cluster)
            texts = ["" if np.isnan(value) else f"{value:.6f}" for value in values]
            texts += ["" if np.isnan(value) else f"{value:.6g}" for value in taken]
            rows.writerow([args.setting, name, args.seed, s.method, s.t, *texts])


def make(name, setting, options, n_clusters):
    """Make the method ``name``, or ``name+option=value...``, with its options.

    The option ``n_clusters`` is there for every method: a number, ``elbow`` or ``silhouette``.
    """
    base, changes = split_variant(name)
    kind = METHODS[base] if base in METHODS else own.load("methods", base, list(METHODS))
    options = {key.split(".", 1)[1]: v for key, v in options.items() if key.startswith(f"{base}.")}
    options |= changes
    if "n_clusters" in options:
        setting = replace(setting, n_clusters=n_clusters(options.pop("n_clusters")))
    if not 1 <= setting.n_clusters <= setting.truth.shape[1]:
        raise UserError(
            f"method {name}: {setting.truth.shape[1]} clients cannot be "
            f"{setting.n_clusters} clusters"
        )
    try:
        return kind(setting, **options)
    except TypeError as error:
        raise UserError(f"method {name}: {error}") from error


def number_or_word(text):
    """Read ``3`` or ``elbow``."""
    return int(text) if text.isdecimal() else text


def assigned(words):
    """Read ``key=value`` words."""
    return split_variant("+".join(["", *words]))[1]


if __name__ == "__main__":
    p = parser(__doc__)
    add_arguments(p)
    p.add_argument("--methods", nargs="+", required=True, help="names, or name+option=value")
    p.add_argument("--method-options", nargs="*", default=[], help="method.option=value")
    p.add_argument("--rounds", type=int, required=True)
    p.add_argument("--samples-per-round", type=int, default=64, help="|M|, labelled samples")
    p.add_argument("--drift", choices=DRIFTS, default="none", help="how clients' data changes")
    p.add_argument("--drift-parameters", nargs="*", default=[], help="name=value")
    p.add_argument("--participation", type=float, default=1.0, help="share of clients a round")
    p.add_argument("--test-on", choices=phase2.TEST_ON, default="round", help="if data drifts")
    p.add_argument(
        "--clusters", type=number_or_word, help="where none are known: a number, elbow, silhouette"
    )
    p.add_argument("--affect-iterations", type=int, default=5)
    p.add_argument("--affect-start", choices=["zeros", "first"], default="zeros")
    p.add_argument("--affect-first-alpha", choices=["before", "zero"], default="before")
    p.add_argument("--send", choices=["unchanged", "always"], default="unchanged")
    p.add_argument("--unsent", choices=["kept", "own"], default="kept")
    p.add_argument("--identity", choices=["cluster", "client"], default="cluster")
    run(main, p)
