"""Put the claims of several papers together: one csv, one Markdown that begins with their sums."""

from pathlib import Path

import pandas as pd

from fedreact.atomic import write_text
from fedreact.claims import judged, summary
from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.reading import read_yaml


def main(args):
    """Read what was judged of each paper, write both forms.

    Raises
    ------
    UserError
        No paper has claims.
    """
    if not args.claims:
        raise UserError(
            "no paper of this run has claims; claims.yaml in its folder would state them"
        )
    together = pd.concat([judged.read(path) for path in args.claims], ignore_index=True)
    judged.write(together, args.output)
    entries = {
        paper: read_yaml(args.papers / paper / "claims.yaml") for paper in set(together["paper"])
    }
    first = [f"- {line}\n" for line in summary.summary_lines(args.output, args.papers)]
    sums = "\n".join(summary.counts_table(together, entries))
    texts = [path.with_suffix(".md").read_text() for path in args.claims]
    write_text(args.output.with_suffix(".md"), "\n".join(["".join(first), f"{sums}\n", *texts]))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--claims", type=Path, nargs="*", required=True, help="csv of each paper")
    p.add_argument("--papers", type=Path, default=Path("config/papers"), help="their folder")
    p.add_argument("--output", type=Path, required=True, help="the csv; the .md lies beside it")
    run(main, p)
