"""Run universes of a paper's open choices, and show on what its claims hang: run some universes,
sum up all, or draw the curve of a claim."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.command import parser, run
from fedreact.multiverse import figures, report
from fedreact.multiverse.run import Universe, scores
from fedreact.multiverse.summary import Design, read
from fedreact.reading import read_json, read_typed


def run_part(args):
    """Run the universes of a job."""
    universes = read_typed(args.universes, "--universes", list[Universe])
    methods = read_json(args.methods, "--methods")
    table = scores(args.kind, args.data, methods, universes, args.metric)
    write_text(args.output, table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))


def sum_up(args):
    """Write tables, Markdown and figures into a folder."""
    content = read_json(args.asked, "--asked")
    design = Design.read(content)
    tables = report.summarise(read(args.scores, design), design)
    report.write(tables, content, args.scale, args.output)
    title = f"What matters to each claim, scale {args.scale}"
    _save(figures.matrix(tables.matters, tables.pairs, design, title), args.output / "matters.pdf")
    title = f"Claims over {design.labels.get(design.over, 'nothing')}, scale {args.scale}"
    _save(figures.over(tables.over, design, title), args.output / "over.pdf")


def draw_curve(args):
    """Draw a specification curve."""
    design = Design.read(read_json(args.asked, "--asked"))
    universes = read(args.scores, design)
    figure = figures.curve(universes, design, args.claim, args.setting, args.scale)
    _save(figure, args.output)


def _save(figure, output):
    from fedreact.figures.style import save

    with atomic(output) as pdf, atomic(output.with_suffix(".png")) as png:
        save(figure, pdf, png)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("what", choices=["run", "sum", "curve"])
    p.add_argument("--kind", help="run: kind of run")
    p.add_argument("--data", help="run: prepared dataset, npz")
    p.add_argument("--methods", help="run: JSON, options of each method")
    p.add_argument("--universes", help="run: JSON, what each universe changes")
    p.add_argument("--metric", help="run: what a universe gives for each method")
    p.add_argument("--asked", help="sum, curve: JSON, choices, settings, claims, published cells")
    p.add_argument("--scores", type=Path, nargs="+", help="sum, curve: what run has written")
    p.add_argument("--claim", help="curve: its name")
    p.add_argument("--setting", help="curve: its name")
    p.add_argument("--scale", help="sum, curve: for captions")
    p.add_argument("--output", type=Path, required=True, help="file to write; sum: folder")
    run(lambda args: {"run": run_part, "sum": sum_up, "curve": draw_curve}[args.what](args), p)
