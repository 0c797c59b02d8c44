"""Put all tables, figures and assumptions of a scale on one HTML page that needs no other file."""

import base64
from pathlib import Path

import jinja2
import pandas as pd
from _cli import atomic, parser, run

from fedreact.paper import cells, render
from fedreact.workflow.reading import read_yaml


def main(args):
    """Read cells and pictures, fill the template."""
    outputs = read_yaml(args.outputs)
    template = jinja2.Environment(
        autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    ).from_string(args.template.read_text())
    page = template.render(
        scale=args.scale,
        data=args.data,
        differences=args.differences,
        tables={path.stem: table(path, outputs, args) for path in args.tables},
        figures={
            path.stem: {
                "title": outputs["figures"][path.stem]["title"],
                "png": base64.b64encode(path.read_bytes()).decode(),
            }
            for path in args.figures
        },
        ledger=read_yaml(args.ledger),
    )
    with atomic(args.output) as path:
        path.write_text(page)


def table(path, outputs, args):
    """What the page shows of one table."""
    name = path.stem
    found = pd.read_csv(path)
    if name in outputs["costs"]:
        spec = outputs["costs"][name]
        return {
            "caption": f"{spec['title']}.",
            "columns": list(dict.fromkeys(found["column"])),
            "lines": render.lines(found),
            "notes": spec["notes"],
        }
    published = read_yaml(args.published / f"{name}.yaml")
    spec = outputs["tables"][name]
    return {
        "caption": render.caption(spec["title"], found, args.scale, published["source"]),
        "columns": list(dict.fromkeys(found["column"])),
        "lines": render.lines(found),
        "notes": render.notes(cells.reasons(found, published, args.differences))
        + spec.get("notes", []),
    }


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--tables", type=Path, nargs="+", required=True, help="csv files of cells")
    p.add_argument("--figures", type=Path, nargs="+", required=True, help="png files")
    p.add_argument("--outputs", type=Path, default=Path("config/outputs.yaml"))
    p.add_argument("--published", type=Path, default=Path("config/published"), help="folder")
    p.add_argument("--ledger", type=Path, default=Path("config/assumptions.yaml"))
    p.add_argument("--template", type=Path, default=Path("src/fedreact/paper/report.html.j2"))
    p.add_argument("--data", required=True)
    p.add_argument("--scale", required=True)
    p.add_argument("--differences", nargs="*", default=[], help="of this scale from the paper")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
