"""Which learning rate suits a supervised architecture best, tested on train samples held back."""

from pathlib import Path

import pandas as pd
from _cli import atomic, log, parser, run

from fedreact.variants import assignments, split_variant
from fedreact.workflow.reading import read_yaml


def main(args):
    """Take the last round, average over seeds, write csv and Markdown."""
    supervised = read_yaml(args.experiments)["supervised"]
    scores = pd.concat([pd.read_csv(path) for path in args.scores])
    scores = scores[scores["round"] == scores["round"].max()]
    scores["options"] = [
        " ".join(assignments({k: v for k, v in split_variant(s)[1].items() if k != "tune"}))
        for s in scores["setting"]
    ]
    means = scores.groupby(["method", "options"], sort=False)["accuracy"].mean().reset_index()
    means["taken"] = [
        options == " ".join(assignments(supervised["tuned"].get(method.rsplit("-", 1)[0], {})))
        for method, options in zip(means["method"], means["options"])
    ]
    means = means.sort_values(["method", "accuracy"], ascending=[True, False], kind="stable")
    with atomic(args.output) as path:
        path.write_text(means.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    data, n = ", ".join(sorted(scores["data"].unique())), scores["seed"].nunique()
    out = [
        f"Accuracy on train samples held back ({data}, scale {args.scale}, {n} seed(s) that no "
        "table uses), best first; bold: `tuned` in config/experiments.yaml.",
        "",
        "| method | options | accuracy |",
        "|---|---|---:|",
    ]
    for row in means.to_dict("records"):
        options = f"**{row['options']}**" if row["taken"] else row["options"]
        out.append(f"| {row['method']} | {options} | {row['accuracy']:.4f} |")
    text = "\n".join(out) + "\n"
    with atomic(args.output.with_suffix(".md")) as path:
        path.write_text(text)
    log.info("%s", text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of rounds, csv")
    p.add_argument("--experiments", type=Path, default=Path("config/experiments.yaml"))
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="the csv; the .md lies beside it")
    run(main, p)
