"""Make one table of a paper, rebuilt beside published: csv, LaTeX, Markdown, and its origins."""

import json
from pathlib import Path

import pandas as pd

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reading import read_entry, read_json
from fedreact.tables import cells, origins, render
from fedreact.tables import published as values
from fedreact.tables.reached import reached


def main(args):
    """Read scores, or what a study found, write the three forms and where cells come from."""
    spec = read_entry(args.tables, args.name)
    published = values.read(args.published)
    doubts = values.doubts(published)
    table = args.output.stem
    if args.layout is None:
        (study,) = args.scores
        found, of_runs = cells.computed(table, pd.read_csv(study), published), {"study": study}
        text = render.caption_of_study(spec["title"], published["source"])
        notes = render.notes({}, doubts=doubts)
    else:
        layout = [cells.Place(*line) for line in read_json(args.layout, "--layout")]
        about = cells.About.of(spec)
        scores = reached(layout, about, cells.read_scores(args.scores))
        found = cells.build(table, layout, about, published, scores, args.differences)
        of_runs = {"layout": layout, "scores": scores, "last": about.last}
        text = render.caption(spec["title"], found, args.scale, published["source"], about.when)
        reasons = cells.reasons(found, published, args.differences, layout)
        notes = render.notes(reasons, cells.skipped(layout), doubts)
        if not published["rows"] and args.differences:
            notes.append("At this scale: " + "; ".join(args.differences) + ".")
        notes += render.limits(found, about.metrics)
        notes += render.findings(cells.findings(layout, args.scores))
    notes += spec.get("notes", [])
    reference = spec.get("reference")
    as_markdown = render.markdown(found, text, notes, reference)
    as_csv = {"index": False, "float_format": "%.6f", "lineterminator": "\n"}
    write_text(args.output, found.to_csv(**as_csv))
    write_text(args.output.with_suffix(".tex"), render.latex(found, table, text, notes, reference))
    write_text(args.output.with_suffix(".md"), as_markdown)
    whose = (table, found, published, str(args.published), args.output)
    came_from = origins.origins(*whose, differences=args.differences, **of_runs)
    came_from |= {"caption": text, "notes": notes, "reference": reference}
    write_text(args.output.with_suffix(origins.SUFFIX), json.dumps(came_from, indent=1) + "\n")
    log.info("%s", as_markdown)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--tables", type=Path, required=True, help="tables.yaml of its paper")
    p.add_argument("--name", required=True, help="its name there")
    p.add_argument("--published", type=Path, nargs="?", help="its published values, yaml")
    p.add_argument("--layout", help="JSON: row, column, folder, method, why skipped, of each cell")
    p.add_argument("--scores", type=Path, nargs="*", default=[], help="csv of runs or of a study")
    p.add_argument("--scale", required=True)
    p.add_argument("--differences", nargs="*", default=[], help="of this scale from the paper")
    p.add_argument("--output", type=Path, required=True, help="the csv; the rest lies beside it")
    run(main, p)
