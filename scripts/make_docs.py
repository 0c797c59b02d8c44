"""Write the pages of docs/: templates with numbers of kept runs, and the generated reference."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reference import generated
from fedreact.reference.docs import render


def main(args):
    """Write each page beside the folder of its template; the README into the project's folder."""
    templates = sorted(args.templates.glob("*.md"))
    pages = {template.name: render(template, args.references) for template in templates}
    for name, text in pages.items():
        folder = args.templates.parent.parent if name == "README.md" else args.templates.parent
        write_text(folder / name, text)
    for name, text in generated.pages(args.references).items():
        write_text(args.templates.parent / "reference" / name, text)
    log.info("%d pages written: %s", len(pages), ", ".join(pages))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("templates", type=Path, help="docs/templates")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
