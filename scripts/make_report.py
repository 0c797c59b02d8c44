"""Put all tables, figures, claims and ledgers of some papers on one page, and in one PDF."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.command import parser, run
from fedreact.reading import read_json
from fedreact.report import content, document, page


def main(args):
    """Read what was made, write both."""
    told = read_json(args.told, "--told")
    papers = content.read(told["papers"])
    write_text(args.output, page.page(papers, told))
    with atomic(args.output.with_suffix(".pdf")) as pdf:
        pdf.write_bytes(document.document(papers, told))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--told", required=True, help="JSON: scale, papers with their files, datasets")
    p.add_argument("--output", type=Path, required=True, help="page to write, PDF beside it")
    run(main, p)
