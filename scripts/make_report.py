"""Put all tables, figures, claims and ledgers of some papers on one page, and in one PDF."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.command import parser, run
from fedreact.reading import read_typed
from fedreact.report import content, document, page
from fedreact.report.sources import ReportSource


def main(args):
    """Read what was made, write both."""
    source = read_typed(args.sources, "--sources", ReportSource)
    papers = content.read(source.papers)
    write_text(args.output, page.page(papers, source))
    with atomic(args.output.with_suffix(".pdf")) as pdf:
        pdf.write_bytes(document.document(papers, source))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--sources", required=True, help="JSON: ReportSource, the files of all papers")
    p.add_argument("--output", type=Path, required=True, help="page to write, PDF beside it")
    run(main, p)
