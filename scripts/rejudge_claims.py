"""Judge the claims of kept runs again, e.g. after a margin is changed.

It needs no scores: a csv of claims has what the rule asks for. Margins, texts and whether a claim
is about every comparison or the average are today's.
"""

from pathlib import Path

from fedreact import options
from fedreact.atomic import write_text
from fedreact.claims import judged, rejudge, render
from fedreact.claims.contract import Claim
from fedreact.command import log, parser, run
from fedreact.errors import UserError
from fedreact.reading import read_yaml


def main(args):
    """Rewrite csv and Markdown of each paper and scale."""
    files = sorted(args.references.glob("*/*/claims/*.csv"))
    if not files:
        raise UserError(f"{args.references}: no <scale>/<paper>/claims/<paper>.csv there")
    for path in files:
        before = judged.read(path)
        folder = args.papers / path.stem
        entries = read_yaml(folder / "claims.yaml")
        about = read_yaml(folder / "paper.yaml")
        claims = options.check_all(Claim, entries, f"{folder}/claims.yaml")
        after = rejudge.rejudged(before, claims, about.get("margins", {}))
        if not args.dry_run:
            _write(path, after, entries, about["title"])
        changed = (before["outcome"] != after["outcome"]) & (after["at"] == "")
        log.info("%s: %d outcomes changed. %s", path, changed.sum(), render.counts(after))


def _write(path, table, entries, title):
    scale, title = path.parents[2].name, f"Claims of {title}"
    notes = render.notes_of(path.with_suffix(".md").read_text())
    judged.write(table, path)
    text = render.markdown(table, entries, title, scale, notes)
    write_text(path.with_suffix(".md"), text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("references", type=Path, help="kept runs, e.g. reference")
    p.add_argument("--papers", type=Path, default=Path("config/papers"))
    p.add_argument("--dry-run", action="store_true", help="only say what would change")
    run(main, p)
