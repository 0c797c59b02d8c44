"""Put a result on a user's own data on one page."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import parser, run
from fedreact.reading import read_typed
from fedreact.result.page import page
from fedreact.result.sources import ResultSource


def main(args):
    """Read scores and data, write the page."""
    write_text(args.output, page(read_typed(args.sources, "--sources", ResultSource)))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--sources", required=True, help="JSON: ResultSource")
    p.add_argument("--output", type=Path, required=True, help="page to write")
    run(main, p)
