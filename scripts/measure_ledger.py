"""Effects of the alternatives in a paper's ledger: paired differences to the default, by seed."""

from pathlib import Path

from fedreact.atomic import atomic, write_text
from fedreact.command import log, parser, run
from fedreact.reading import read_json
from fedreact.tables import ledger
from fedreact.tables.cells import read_scores


def main(args):
    """Compare each alternative's scores with those of what is taken; write all forms."""
    from fedreact.figures.ledger import draw
    from fedreact.figures.style import save

    measured = read_json(args.measured, "--measured")
    table = ledger.effects(measured)
    write_text(args.output, table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    data = ", ".join(sorted(read_scores(args.scores)["data"].unique()))
    text = ledger.markdown(table, data, args.scale)
    write_text(args.output.with_suffix(".md"), text)
    title = f"Effects of the alternatives in the ledger\n{data}, scale {args.scale}"
    figure = draw(table, title)
    pdf, png = (atomic(args.output.with_suffix(end)) for end in (".pdf", ".png"))
    with pdf as to_pdf, png as to_png:
        save(figure, to_pdf, to_png)
    log.info("%s", text)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--measured", required=True, help="JSON: pairs of runs to compare")
    p.add_argument("--scores", type=Path, nargs="+", required=True, help="scores of runs, csv")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="csv to write, .md beside it")
    run(main, p)
