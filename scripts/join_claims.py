"""Put the claims of several papers together: one csv, one Markdown."""

from pathlib import Path

import pandas as pd

from fedreact.atomic import write_text
from fedreact.claims import render
from fedreact.command import parser, run


def main(args):
    """Read what was judged of each paper, write both forms."""
    parts = [pd.read_csv(path, keep_default_na=False) for path in args.claims]
    together = pd.concat(parts)
    write_text(args.output, together.to_csv(index=False, lineterminator="\n"))
    texts = [path.with_suffix(".md").read_text() for path in args.claims]
    first = [f"{render.counts(together)}\n"] if len(texts) > 1 else []
    write_text(args.output.with_suffix(".md"), "\n".join([*first, *texts]))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--claims", type=Path, nargs="+", required=True, help="csv of each paper")
    p.add_argument("--output", type=Path, required=True, help="the csv; the .md lies beside it")
    run(main, p)
