"""Draw one figure of a paper: pdf and png."""

from pathlib import Path

from fedreact import plugins
from fedreact.atomic import atomic
from fedreact.command import parser, run
from fedreact.reading import read_entry, read_json, read_typed
from fedreact.tables import cells
from fedreact.tables.sources import CellSource


def main(args):
    """Read what the figure shows, draw, write both formats."""
    from fedreact.figures.looks import of_paper
    from fedreact.figures.style import save

    spec = read_entry(args.figures, args.name)
    title, _ = spec.pop("title"), spec.pop("study", None)
    layout = read_typed(args.layout, "--layout", list[CellSource])
    kind = plugins.make("figures", spec, "FIGURE", f"{args.figures}: {args.name}")
    # Variants of a dataset have its name before a plus; some figures need no data.
    names = dict.fromkeys(name.partition("+")[0] for name in args.data.split(", ") if name)
    source = "".join(f"{name}, " for name in names)
    with of_paper(read_json(args.looks, "--looks"), read_json(args.names, "--names")):
        figure = kind.draw(
            f"{title}\n{source}scale {args.scale}",
            cells.lines_of(layout, cells.read_scores(args.scores)),
            args.files,
        )
    with atomic(args.output) as pdf, atomic(args.output.with_suffix(".png")) as png:
        save(figure, pdf, png)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--figures", type=Path, required=True, help="figures.yaml of its paper")
    p.add_argument("--name", required=True, help="its name in that file")
    p.add_argument("--layout", default="[]", help="JSON: CellSource of each curve")
    p.add_argument("--looks", default="{}", help="JSON: place in the palette, by label")
    p.add_argument("--names", default="{}", help="JSON: what the paper calls its data, by role")
    p.add_argument("--scores", type=Path, nargs="*", default=[], help="csv of runs")
    p.add_argument("--files", type=Path, nargs="*", default=[], help="its other sources")
    p.add_argument("--data", required=True, help="names of the datasets, for the title")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="pdf to write, png beside it")
    run(main, p)
