"""Compare a run with the one kept in reference/<scale>/: list cells that moved beyond their
intervals and claims with another outcome. Exit with status 1 if there are any.
"""

import sys
from pathlib import Path

from fedreact.command import parser, run
from fedreact.reference.compare import compare


def main(args):
    """Compare, and print what differs."""
    kept = args.references / args.results.name
    found = compare(args.results, kept)
    for what, lines in (
        ("beyond its intervals", found.moved),
        ("another outcome", found.claims),
        ("cannot be compared", found.alone),
    ):
        for line in lines:
            print(f"{what}: {line}")
    if found.missing:
        print(f"not built here: {', '.join(found.missing)}")
    print(
        f"{args.results} beside {kept}: {found.same} cells are the same, {found.within} differ "
        f"within their intervals, {len(found.moved)} beyond them, {len(found.alone)} cannot be "
        "compared; "
        f"{len(found.claims)} claims have another outcome."
    )
    sys.exit(1 if found.moved or found.claims else 0)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="results of a scale, e.g. results/quick")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
