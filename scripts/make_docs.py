"""Write the pages of docs/templates/: their numbers come from the runs kept in reference/."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.command import log, parser, run
from fedreact.reference.docs import pages, render


def main(args):
    """Write all pages, if each can be made; a template's page lies as its template does."""
    texts = {
        page: render(template, args.references, args.templates)
        for template, page in pages(args.templates).items()
    }
    for page, text in texts.items():
        path = args.templates.parents[1] / page
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    log.info("%d pages written, from README.md on", len(texts))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("templates", type=Path, help="docs/templates")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
