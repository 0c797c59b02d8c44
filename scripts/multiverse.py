"""Run universes of a paper's open choices, and show on what its claims hang: run some universes,
sum up all, or draw the curve of a claim."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.command import parser, run
from fedreact.multiverse import report
from fedreact.multiverse.run import Universe, scores
from fedreact.reading import read_json


def run_part(args):
    """Run the universes of a job."""
    universes = [Universe(**given) for given in read_json(args.universes, "--universes")]
    methods = read_json(args.methods, "--methods")
    found = scores(args.kind, args.data, methods, universes, args.metrics, args.last)
    write_text(args.output, found.to_csv(index=False, float_format="%.6f", lineterminator="\n"))


def sum_up(args):
    """Write tables, Markdown and the figure."""
    shown = read_json(args.shown, "--shown")
    claims, matters = report.table(report.read(args.scores), shown, shown["seed"])
    beside = args.output.with_name(f"{args.output.stem}_matters.csv")
    for path, table in ((args.output, claims), (beside, matters)):
        write_text(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
    write_text(args.output.with_suffix(".md"), report.markdown(claims, matters, shown, args.scale))
    _save(report.matrix(matters, f"What matters to each claim, scale {args.scale}"), args.output)


def draw_curve(args):
    """Draw a specification curve."""
    shown = read_json(args.shown, "--shown")
    figure = report.curve_of(report.read(args.scores), shown, args.claim, args.setting, args.scale)
    _save(figure, args.output)


def _save(figure, output):
    from fedreact.figures.style import save

    with atomic(output.with_suffix(".pdf")) as pdf, atomic(output.with_suffix(".png")) as png:
        save(figure, pdf, png)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("what", choices=["run", "sum", "curve"])
    p.add_argument("--kind", help="run: kind of run")
    p.add_argument("--data", help="run: prepared dataset, npz")
    p.add_argument("--methods", help="run: JSON, options of each method")
    p.add_argument("--universes", help="run: JSON, what each universe changes")
    p.add_argument("--metrics", nargs="+", help="run: what a universe gives for each method")
    p.add_argument("--last", action="store_true", help="run: scores of the last round")
    p.add_argument("--shown", help="sum, curve: JSON, choices, settings and claims")
    p.add_argument("--scores", type=Path, nargs="+", help="sum, curve: what run has written")
    p.add_argument("--claim", help="curve: its name")
    p.add_argument("--setting", help="curve: its name")
    p.add_argument("--scale", help="sum, curve: for captions")
    p.add_argument("--output", type=Path, required=True, help="file to write, others beside it")
    run(lambda args: {"run": run_part, "sum": sum_up, "curve": draw_curve}[args.what](args), p)
