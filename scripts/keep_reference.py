"""Keep a run in reference/<scale>/<paper>/: tables, claims, their values by seed, effects of the
ledger, searches, figures that pages show, and what it took. `make docs` writes pages from it.

Searches, effects and the multiverse that the run has not built stay as they were kept.
"""

from pathlib import Path

from fedreact.command import log, parser, run
from fedreact.errors import UserError
from fedreact.reference.docs import shown
from fedreact.reference.keep import keep, keep_alone, keep_multiverse, names
from fedreact.resolve.config import load_scale
from fedreact.resolve.papers import load_paper


def main(args):
    """Copy what is kept of the run's results, paper by paper."""
    for paper in args.multiverse:
        kept = keep_multiverse(args.results, args.references / args.results.name / paper)
        log.info("%d files kept in %s", len(kept), kept[0].parent)
    for paper in args.alone:
        targets = names(Path("config/papers", paper))
        kept = keep_alone(args.results, args.references / args.results.name / paper, targets)
        log.info("%d files kept in %s", len(kept), kept[0].parent)
    if args.multiverse or args.alone:
        return
    templates = sorted(args.templates.rglob("*.md"))
    papers = {
        path.parent.name: names(path.parent) for path in Path("config/papers").glob("*/paper.yaml")
    }
    built = {path.stem for path in args.results.glob("tables/*.csv")}
    if not (chosen := [paper for paper, targets in sorted(papers.items()) if targets & built]):
        raise UserError(f"{args.results}: no tables there; build some first: snakemake all_tables")
    for paper in chosen:
        folder = args.references / args.results.name / paper
        figures = shown(templates, args.results.name, paper)
        scale = load_paper(paper, args.results.name, load_scale(args.results.name).like).scale
        kept = keep(args.results, folder, papers[paper], figures, args.drop, scale)
        log.info("%d files kept in %s; `make docs` writes pages from them", len(kept), folder)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="results of a scale, e.g. results/quick")
    p.add_argument("--drop", nargs="*", default=[], help="kept tables that are built no more")
    p.add_argument("--multiverse", nargs="+", default=[], help="papers of which to keep it alone")
    p.add_argument("--alone", nargs="+", default=[], help="papers of which to keep searches alone")
    p.add_argument("--references", type=Path, default=Path("reference"))
    p.add_argument("--templates", type=Path, default=Path("docs/templates"))
    run(main, p)
