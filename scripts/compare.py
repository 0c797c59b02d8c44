"""Compare a run with the one kept in reference/<scale>/: list cells that moved beyond their
intervals and claims with another outcome. Exit with status 1 if there are any.
"""

import sys
from pathlib import Path

from fedreact.command import parser, run
from fedreact.reference.compare import compare


def main(args):
    """Compare, and print what differs."""
    reference = args.references / args.results.name
    comparison = compare(args.results, reference)
    for kind, lines in (
        ("beyond its intervals", comparison.moved),
        ("another outcome", comparison.claims),
        ("cannot be compared", comparison.alone),
    ):
        for line in lines:
            print(f"{kind}: {line}")
    if comparison.missing:
        print(f"not built here: {', '.join(comparison.missing)}")
    print(
        f"{args.results} beside {reference}: {comparison.same} cells are the same, "
        f"{comparison.within} differ within their intervals, {len(comparison.moved)} beyond them, "
        f"{len(comparison.alone)} cannot be compared; "
        f"{len(comparison.claims)} claims have another outcome."
    )
    sys.exit(1 if comparison.moved or comparison.claims else 0)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="results of a scale, e.g. results/quick")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
