"""Which options suit a method best: accuracy under each, over the settings and seeds searched."""

from pathlib import Path

import pandas as pd
from _cli import atomic, log, parser, run

from fedreact.variants import split_variant
from fedreact.workflow.reading import read_yaml


def main(args):
    """Average over seeds, write csv and Markdown."""
    taken = read_yaml(args.experiments)["methods"]
    scores = pd.concat([pd.read_csv(path) for path in args.scores])
    scores["setting"] = scores["setting"].str.split("+").str[0]
    means = scores.groupby(["method", "setting"], sort=False)["accuracy"].mean().unstack()
    settings = list(means.columns)
    means.insert(0, "mean", means.mean(axis=1))
    table = means.reset_index(names="variant")
    table.insert(0, "method", [split_variant(v)[0] for v in table["variant"]])
    table.insert(2, "taken", [is_taken(v, taken) for v in table["variant"]])
    table = table.sort_values(["method", "mean"], ascending=[True, False], kind="stable")
    with atomic(args.output) as path:
        path.write_text(table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    data = ", ".join(sorted(scores["data"].unique()))
    text = markdown(table, settings, data, args.scale, scores["seed"].nunique())
    with atomic(args.output.with_suffix(".md")) as path:
        path.write_text(text)
    log.info("%s", text)


def is_taken(variant, taken):
    """Whether the configuration gives the method these options."""
    method, options = split_variant(variant)
    return taken.get(method, {}) | options == taken.get(method, {})


def markdown(table, settings, data, scale, n_seeds):
    """The options of each method, the best first."""
    out = [
        f"Accuracy under the options that were searched ({data}, scale {scale}, mean over "
        f"{n_seeds} seeds that no table uses), best first; bold: taken in config/experiments.yaml.",
        "",
        "| " + " | ".join(["method and options", "mean", *settings]) + " |",
        "|---|" + "---:|" * (1 + len(settings)),
    ]
    for row in table.to_dict("records"):
        name = f"**{row['variant']}**" if row["taken"] else row["variant"]
        out.append(
            "| " + " | ".join([name, *(f"{row[c]:.4f}" for c in ["mean", *settings])]) + " |"
        )
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of rounds, csv")
    p.add_argument("--experiments", type=Path, default=Path("config/experiments.yaml"))
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="the csv; the .md lies beside it")
    run(main, p)
