"""Write README, docs/, its pictures and the pages of kept tables from the runs in reference/."""

from pathlib import Path

from fedreact.atomic import write_text
from fedreact.cli import reference as command_line
from fedreact.command import log, parser, run
from fedreact.reference import generated, tables
from fedreact.reference.docs import pages, render
from fedreact.reference.gallery import draw_all


def main(args):
    """Write all pages, if each can be made; a template's page lies as its template does."""
    log.info("%d pages of kept tables written", tables.write(args.references))
    texts = {
        page: render(template, args.references, args.templates)
        for template, page in pages(args.templates).items()
    }
    for name, text in generated.pages(args.references).items():
        texts[Path("docs/reference", name)] = text
    texts[Path("docs/reference/cli.md")] = command_line.page()
    for page, text in texts.items():
        path = args.templates.parents[1] / page
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    log.info("%d pages written, from README.md on", len(texts))
    pictures = draw_all(args.references, args.templates.parent / "pictures")
    log.info("%d pictures drawn: %s", len(pictures), ", ".join(pictures))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("templates", type=Path, help="docs/templates")
    p.add_argument("--references", type=Path, default=Path("reference"))
    run(main, p)
