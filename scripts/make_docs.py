"""Write the pages of docs/templates/ and of kept tables, with the numbers of reference/."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reference import tables
from fedreact.reference.docs import render


def main(args):
    """Write each page beside the folder of its template; the README into the project's folder."""
    templates = sorted(args.templates.glob("*.md"))
    pages = {template.name: render(template, args.references) for template in templates}
    for name, text in pages.items():
        folder = args.templates.parent.parent if name == "README.md" else args.templates.parent
        write_text(folder / name, text)
    log.info("%d pages of kept tables written", tables.write(args.references))
    log.info("%d pages written: %s", len(pages), ", ".join(pages))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("templates", type=Path, help="docs/templates")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
