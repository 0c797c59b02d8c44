"""Export a run as an RO-Crate: results, configuration and records of all steps, in one zip file."""

from pathlib import Path
from zipfile import ZipFile

from fedreact.atomic import atomic
from fedreact.command import log, parser, run
from fedreact.errors import UserError


def main(args):
    """Describe the run, write the file."""
    try:
        from fedreact.reference.crate import crate
    except ImportError as error:
        raise UserError(f"{error.name} is not installed; run: make setup") from error
    described = crate(args.results, args.licence, args.agent)
    with atomic(args.output) as temporary:
        described.write_zip(temporary)
        with ZipFile(temporary, "a") as file:  # validators look for the folder itself
            file.mkdir(str(args.results / "provenance"))
    log.info("%s: the run as an RO-Crate", args.output)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("results", type=Path, help="results of a scale, e.g. results/quick")
    p.add_argument("--licence", default="MIT", help="of the results, by its SPDX name")
    p.add_argument("--agent", nargs=2, metavar=("ORCID", "NAME"), help="who ran the workflow")
    p.add_argument("--output", type=Path, required=True, help="zip file to write")
    run(main, p)
