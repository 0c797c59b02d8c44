"""Make one table of the paper, rebuilt beside published: csv, LaTeX, Markdown, and its origins."""

import json
from pathlib import Path

import pandas as pd
from _cli import atomic, log, parser, run

from fedreact.paper import cells, origins, render
from fedreact.workflow.reading import read_yaml


def main(args):
    """Read the scores of all rounds and seeds, write the three forms and where they come from."""
    spec = read_yaml(args.outputs)["tables"][args.table]
    published = read_yaml(args.published)
    cells.check_published(published, str(args.published))
    scores = pd.concat([pd.read_csv(path).assign(file=str(path)) for path in args.scores])
    found = cells.build(args.table, spec, published, scores, args.differences)
    text = render.caption(spec["title"], found, args.scale, published["source"])
    notes = render.notes(cells.reasons(found, published, args.differences))
    if not published["rows"] and args.differences:
        notes.append("At this scale: " + "; ".join(args.differences) + ".")
    notes += spec.get("notes", [])
    as_markdown = render.markdown(found, text, notes)
    forms = {
        ".csv": found.to_csv(index=False, float_format="%.6f", lineterminator="\n"),
        ".tex": render.latex(found, args.table, text, notes),
        ".md": as_markdown,
    }
    for suffix, content in forms.items():
        with atomic(args.output.with_suffix(suffix)) as path:
            path.write_text(content)
    came_from = origins.origins(
        *(args.table, found, published, str(args.published), args.output),
        *(spec, scores, args.differences),
    )
    with atomic(args.output.with_suffix(origins.SUFFIX)) as path:
        path.write_text(json.dumps(came_from, indent=1) + "\n")
    log.info("%s", as_markdown)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--table", required=True, help="its name in the outputs file")
    p.add_argument("--outputs", type=Path, default=Path("config/outputs.yaml"))
    p.add_argument("--published", type=Path, required=True, help="the paper's values, yaml")
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of rounds, csv")
    p.add_argument("--scale", required=True)
    p.add_argument("--differences", nargs="*", default=[], help="of this scale from the paper")
    p.add_argument("--output", type=Path, required=True, help="the csv; the rest lies beside it")
    run(main, p)
