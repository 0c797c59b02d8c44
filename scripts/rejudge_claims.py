"""Judge the claims of kept runs again, e.g. after a margin is changed.

It needs no scores: a csv of claims has what the rule asks for, and the kept tables beside it say
which methods are at chance level. Margins, texts and whether a claim is about every comparison or
the average are today's. What only scores can tell is left as it is.
"""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.claims import judged, rejudge, render
from fedreact.command import log, parser, run
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError
from fedreact.reading import read_yaml
from fedreact.reference import store


def main(args):
    """Rewrite csv and Markdown of each paper and scale."""
    files = sorted(args.references.glob("*/*/claims/*.csv"))
    if not files:
        raise UserError(f"{args.references}: no <scale>/<paper>/claims/<paper>.csv there")
    registered = load_registry(*registries(args.papers.parent))
    tasks = {name: entry.task for name, entry in registered.items()}
    for path in files:
        before = judged.read(path)
        tables = path.parents[1] / store.TABLES
        inputs = rejudge.RejudgeInputs.read(args.papers / path.stem, tables, tasks)
        try:
            after = rejudge.rejudged(before, inputs)
        except UserError as error:
            log.warning("%s: left as it is: %s", path, error)
            continue
        if not args.dry_run:
            _write(path, after, args.papers / path.stem, inputs.about["title"])
        outcomes = [_outcomes(table) for table in (before, after)]
        changed = outcomes[0] != outcomes[1]
        log.info("%s: %d outcomes changed. %s", path, changed.sum(), render.counts(after))


def _outcomes(table):
    return table[table["at"] == ""].set_index(["claim", "reading"])["outcome"]


def _write(path, table, paper, title):
    entries = read_yaml(paper / "claims.yaml")
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
