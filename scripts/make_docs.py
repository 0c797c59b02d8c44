"""Write README, docs/, their pictures and the kept tables from the runs kept in reference/."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reference import tables
from fedreact.reference.docs import render
from fedreact.reference.gallery import draw_all


def main(args):
    """Write each page beside the folder of its template; the README into the project's folder.

    Pictures are written into the folder ``pictures`` beside that of the templates.
    """
    templates = sorted(args.templates.glob("*.md"))
    pages = {template.name: render(template, args.references) for template in templates}
    for name, text in pages.items():
        folder = args.templates.parent.parent if name == "README.md" else args.templates.parent
        write_text(folder / name, text)
    log.info("%d pages of kept tables written", tables.write(args.references))
    log.info("%d pages written: %s", len(pages), ", ".join(pages))
    pictures = draw_all(args.references, args.templates.parent / "pictures")
    log.info("%d pictures drawn: %s", len(pictures), ", ".join(pictures))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("templates", type=Path, help="docs/templates")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
