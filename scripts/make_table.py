"""Make one table of a paper, rebuilt beside published: csv, LaTeX, Markdown, and its origins."""

from pathlib import Path

import pandas as pd

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.notes.table import notes_of_table
from fedreact.reading import read_entry, read_json, read_typed
from fedreact.tables import cells, notes, origins, render
from fedreact.tables import published as values
from fedreact.tables.grid import grid
from fedreact.tables.labels import Names
from fedreact.tables.reached import reached
from fedreact.tables.sources import CellSource


def main(args):
    """Read scores, or what a study found, write the three forms and where cells come from."""
    spec = read_entry(args.tables, args.name)
    published = values.read(args.published)
    table = args.output.stem
    names = Names(**read_json(args.names, "--names")) if args.names else Names()
    if args.layout is None:
        (study,) = args.scores
        built = cells.computed(table, pd.read_csv(study), published)
        source, findings, runs = study, {}, None
    else:
        layout = read_typed(args.layout, "--layout", list[CellSource])
        rules = cells.CellRules.of_entry(spec, args.trivial)
        scores = reached(layout, rules, cells.read_scores(args.scores))
        built = cells.build(table, layout, rules, published, scores, args.differences)
        source = origins.ScoredRuns(layout, scores, args.differences, rules.last)
        findings = cells.findings(layout, args.scores)
        runs = notes.TableOfRuns(
            args.scale, names, rules, layout, args.differences, findings, args.own is not None
        )
    as_csv = {"index": False, "float_format": "%.6f", "lineterminator": "\n"}
    write_text(args.output, built.to_csv(**as_csv))
    lines = cells.read(args.output)  # as whoever reads the csv sees them
    caption, below = notes.around(spec, lines, published, runs)
    if args.own:
        below = [*notes.plain(notes_of_table(layout, rules, scores, args.own)), *below]
    shown = grid(lines, caption, below, names, spec.get("reference"), args.own is not None)
    text = render.markdown(shown)
    write_text(args.output.with_suffix(".tex"), render.latex(shown, table))
    write_text(args.output.with_suffix(".md"), text)
    labels = names.labels(lines, "column") | names.labels(lines, "row")
    said = {"caption": caption, "notes": [note.alone(labels) for note in below]}
    said |= {"reference": spec.get("reference"), "findings": findings}
    came_from = origins.origins(args.output, built, published, str(args.published), source)
    origins.write(args.output, came_from | said)
    log.info("%s", text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--tables", type=Path, required=True, help="tables.yaml of its paper")
    p.add_argument("--name", required=True, help="its name there")
    p.add_argument("--published", type=Path, nargs="?", help="its published values, yaml")
    p.add_argument("--layout", help="JSON: CellSource of each cell")
    p.add_argument("--scores", type=Path, nargs="*", default=[], help="csv of runs or of a study")
    p.add_argument("--scale", required=True)
    p.add_argument("--differences", nargs="*", default=[], help="of this scale from the paper")
    p.add_argument("--trivial", nargs="*", default=[], help="methods that learn nothing")
    p.add_argument("--own", help="JSON: Comparison of the methods, if the data is a user's own")
    p.add_argument("--names", help="JSON: what the paper calls roles of data, titles of datasets")
    p.add_argument("--output", type=Path, required=True, help="the csv; the rest lies beside it")
    run(main, p)
