"""Put all tables, figures and ledgers of some papers on one HTML page that needs no other file."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import parser, run
from fedreact.reading import read_json, read_yaml
from fedreact.tables import report


def main(args):
    """Read cells and pictures, fill the template."""
    papers = [
        paper | {"ledger": read_yaml(Path(paper["ledger"])) if paper["ledger"] else {}}
        for paper in read_json(args.papers, "--papers")
    ]
    write_text(args.output, report.page(papers, args.scale, args.data))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--papers", required=True, help="JSON: titles, tables, figures, ledgers")
    p.add_argument("--data", required=True)
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
