"""Keep a run in reference/<scale>/: tables, claims, effects of the ledger, searches, figures that
pages show, and what it took. `make docs` writes pages from it.
"""

from pathlib import Path

from fedreact.command import log, parser, run
from fedreact.reference.docs import shown
from fedreact.reference.keep import keep


def main(args):
    """Copy what is kept of the run's results."""
    templates = sorted(args.templates.glob("*.md"))
    folder = args.references / args.results.name
    kept = keep(args.results, folder, shown(templates, args.results.name))
    log.info("%d files kept in %s; `make docs` writes pages from them", len(kept), folder)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="results of a scale, e.g. results/quick")
    p.add_argument("--references", type=Path, default=Path("reference"))
    p.add_argument("--templates", type=Path, default=Path("docs/templates"))
    run(main, p)
