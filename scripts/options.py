"""List the options of kinds of run, partitioners, datasets and all else in the configuration.

A name is that of a file, as in the configuration; without one, everything is listed.
"""

from fedreact import options
from fedreact.catalogue import everything
from fedreact.command import parser, run
from fedreact.errors import UserError


def main(args):
    """Print them, a section each."""
    there = list(everything())
    known = dict.fromkeys(name for name, _, _ in there)
    if wrong := [name for name in args.names if name not in known]:
        raise UserError(f"{wrong[0]!r} is unknown; known: {', '.join(known)}")
    for name, what, cls in there:
        if args.names and name not in args.names:
            continue
        print(f"{name} ({what})")
        lines = list(options.table(cls)) if cls else []
        for option, default, text in lines or [("no options", "", "")]:
            print(f"  {option}{' = ' if default else ''}{default}\n      {text}".rstrip())
        print()


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("names", nargs="*", help="e.g. clustered dirichlet (default: all)")
    run(main, p)
