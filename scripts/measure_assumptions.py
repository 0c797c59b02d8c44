"""What the alternatives of the assumption ledger change: differences to what is taken, by seed."""

from pathlib import Path

import pandas as pd
from _cli import atomic, log, parser, run

from fedreact.paper.cells import summarise
from fedreact.variants import split_variant
from fedreact.workflow.config import variant_name
from fedreact.workflow.reading import read_yaml

METRICS = {"accuracy": "accuracy", "rmse": "root mean square error", "rand": "Rand score"}


def main(args):
    """Compare each variant's scores with those of its setting, write csv and Markdown."""
    ledger = read_yaml(args.ledger)
    scores = pd.concat([pd.read_csv(path) for path in args.scores])
    there = [metric for metric in METRICS if metric in scores]
    means = scores.groupby(["setting", "method", "seed"])[there].mean()
    run_settings = set(scores["setting"])
    table = pd.DataFrame(
        line
        for name, entry in ledger.items()
        for setting in entry.get("measured_on", [])
        for value in entry["alternatives"]
        if (variant := variant_name(setting, entry, value)) in run_settings
        for line in effect(name, entry, variant, means)
    )
    data = ", ".join(sorted(scores["data"].unique()))
    with atomic(args.output) as path:
        path.write_text(table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    text = markdown(table, data, args.scale)
    with atomic(args.output.with_suffix(".md")) as path:
        path.write_text(text)
    log.info("%s", text)


def effect(assumption, entry, variant, means):
    """A line for each method and metric: alternative less taken, mean over seeds and interval."""
    setting, changes = split_variant(variant)
    (alternative,) = changes.values()
    difference = means.loc[variant] - means.loc[setting]
    for method, by_seed in difference.groupby("method", sort=False):
        for metric in means:
            if by_seed[metric].isna().any():
                continue  # no accuracy of a regression, no Rand score of soft clusters
            s = summarise(by_seed[metric].to_numpy())
            yield {
                "assumption": assumption,
                "taken": str(entry["taken"]),
                "alternative": str(alternative),
                "setting": setting,
                "method": method,
                "metric": metric,
                "difference": s.mean,
                "ci_low": s.ci[0],
                "ci_high": s.ci[1],
                "n_seeds": s.n,
            }


def signed(value):
    """Three decimals with a sign, none for zero."""
    return f"{round(value, 3) + 0.0:+.3f}".replace("+0.000", "0.000")


def markdown(table, data, scale):
    """A line for each alternative and setting, a column for each method and metric."""
    table = table.assign(
        text=[
            "{} ({} to {})".format(*map(signed, values))
            for values in zip(table["difference"], table["ci_low"], table["ci_high"])
        ]
    )
    index = ["assumption", "taken", "alternative", "setting"]
    lines = [
        f"What the alternatives of the assumption ledger change ({data}, scale {scale}): the score "
        "under the alternative less the score under what is taken, mean over seeds of the "
        "difference by seed, with its 95% interval.",
    ]
    for metric, title in METRICS.items():
        part = table[table["metric"] == metric]
        if part.empty:
            continue
        wide = part.pivot(index=index, columns="method", values="text").reindex(
            part.set_index(index).index.unique()
        )
        columns = list(dict.fromkeys(part["method"]))
        lines += ["", f"**Difference in {title}**", ""]
        lines += ["| " + " | ".join([*index, *columns]) + " |"]
        lines += ["|---" * (len(index) + len(columns)) + "|"]
        for key, row in zip(wide.index, wide[columns].to_numpy()):
            lines.append("| " + " | ".join(map(str, [*key, *row])) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--ledger", type=Path, default=Path("config/assumptions.yaml"))
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of rounds, csv")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="the csv; the .md lies beside it")
    run(main, p)
