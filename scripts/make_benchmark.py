"""Put all regimes of the benchmark on one page."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.benchmark.page import page
from fedreact.benchmark.sources import BenchmarkSource
from fedreact.command import parser, run
from fedreact.reading import read_typed


def main(args):
    """Read the tables, write the page."""
    write_text(args.output, page(read_typed(args.sources, "--sources", BenchmarkSource)))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--sources", required=True, help="JSON: BenchmarkSource")
    p.add_argument("--output", type=Path, required=True, help="page to write")
    run(main, p)
