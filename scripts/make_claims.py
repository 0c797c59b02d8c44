"""Judge the claims of one paper: csv, Markdown, LaTeX, and a forest plot."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.claims import judged, render
from fedreact.claims.readings import ClaimReading
from fedreact.command import log, parser, run
from fedreact.reading import read_typed, read_yaml
from fedreact.tables import cells
from fedreact.tables.cells import read_scores


def main(args):
    """Read scores, judge, write the forms."""
    from fedreact.claims.forest import FEW, forest
    from fedreact.figures.style import save

    claims = read_yaml(args.claims)
    readings = read_typed(args.asked, "--asked", list[ClaimReading])
    tables = {path.stem: cells.read(path) for path in args.tables}
    table = judged.judged(args.paper, readings, read_scores(args.scores), tables)
    left_out = [claim["claim"] for name, claim in claims.items() if name not in set(table["claim"])]
    notes = [
        f"Not judged, since its cells are left out here (its table says why): {x}" for x in left_out
    ]
    notes += [render.OVER_DATASETS] if any(reading.table for reading in readings) else []
    notes += [render.TO_A_TARGET] if any(reading.reaching for reading in readings) else []
    notes += [f"At this scale: {'; '.join(args.differences)}."] if args.differences else []
    title = f"Claims of {args.title}"
    text = render.markdown(table, claims, title, args.scale, notes)
    judged.write(table, args.output)
    write_text(args.output.with_suffix(".md"), text)
    latex = render.latex(table, claims, title, args.scale, notes)
    write_text(args.output.with_suffix(".tex"), latex)
    figure = forest(table, claims, f"{title}, scale {args.scale}. {render.counts(table)}")
    with (
        atomic(args.output.with_suffix(".pdf")) as pdf,
        atomic(args.output.with_suffix(".png")) as png,
    ):
        save(figure, pdf, png, FEW)
    log.info("%s", text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--paper", required=True, help="name of its folder")
    p.add_argument("--title", required=True, help="title of the paper")
    p.add_argument("--claims", type=Path, required=True, help="claims.yaml of the paper")
    p.add_argument("--asked", required=True, help="JSON: ClaimReading of each claim and reading")
    tables = "csv of tables whose flags say which rows an average over datasets counts"
    p.add_argument("--tables", type=Path, nargs="*", default=[], help=tables)
    p.add_argument("--scores", type=Path, nargs="*", default=[], help="csv of runs")
    p.add_argument("--differences", nargs="*", default=[], help="differences from the paper")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="csv to write, rest beside it")
    run(main, p)
