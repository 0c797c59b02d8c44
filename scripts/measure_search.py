"""Compare the options of a search: scores of each method, over its settings and seeds."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reading import read_entry, read_json, read_typed
from fedreact.tables import cells, search
from fedreact.tables.sources import CellSource


def main(args):
    """Average over seeds, write csv and Markdown."""
    spec = read_entry(args.searches, args.name)
    layout = read_typed(args.layout, "--layout", list[CellSource])
    scores = cells.read_scores(args.scores)
    metric, last = spec.get("metric", "accuracy"), spec.get("score") == "last"
    table = search.ranked(layout, metric, scores, set(read_json(args.taken, "--taken")), last)
    write_text(args.output, table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    data = ", ".join(sorted(scores["data"].unique()))
    settings = table.columns[4:] if spec.get("by_dataset") else []
    best_of = {setting: search.best(table, setting, metric) for setting in settings}
    seeds = scores["seed"].nunique()
    text = search.markdown(table, spec["title"], data, args.scale, seeds, best_of)
    write_text(args.output.with_suffix(".md"), text)
    log.info("%s", text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--searches", type=Path, required=True, help="search.yaml of its paper")
    p.add_argument("--name", required=True, help="its name in that file")
    p.add_argument("--layout", required=True, help="JSON: CellSource of each setting and variant")
    p.add_argument("--taken", required=True, help="JSON: variants that the configuration uses")
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of runs, csv")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="csv to write, .md beside it")
    run(main, p)
