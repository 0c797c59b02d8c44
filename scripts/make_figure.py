"""Draw one figure of the paper: pdf and png."""

from pathlib import Path

import pandas as pd
from _cli import atomic, parser, run

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.paper import eeg_figure, figures
from fedreact.paper.theorem_figure import theorem1
from fedreact.paper.trip_figure import NEEDED, trip
from fedreact.partition import Partition
from fedreact.workflow.reading import read_yaml


def main(args):
    """Read what the figure shows, draw, write both formats."""
    spec = read_yaml(args.outputs)["figures"][args.figure]
    source = f"{args.data}, " if args.data else ""  # none where no data is needed
    title = f"{spec['title']}\n{source}scale {args.scale}"
    if spec["kind"] == "label_distribution":
        (partition,) = args.inputs
        figure = figures.label_distribution(Partition.load(partition).label_counts, title)
    elif spec["kind"] in ("spectrogram", "digits"):
        data = SeriesDataset.load(args.inputs[0])
        draw = (
            eeg_figure.eeg_trial if spec["kind"] == "spectrogram" else eeg_figure.digits_of_writers
        )
        figure = draw(data, title)
    elif spec["kind"] == "trip":
        content = npz.load(args.inputs[0], "simulated region", NEEDED)
        figure = trip(content, spec["vehicle"], title)
    else:
        lines = pd.concat([pd.read_csv(path) for path in args.inputs])
        seeds = lines["seed"].nunique()
        title += f", mean over {seeds} seeds with 95% interval" if seeds > 1 else ", one seed"
        if spec["kind"] == "theorem1":
            figure = theorem1(lines, title)
        elif spec["kind"] == "n_clusters":
            figure = figures.n_clusters(lines, spec["score"], title)
        elif spec["kind"] == "gain":
            figure = figures.gain(lines, spec["settings"], spec["curves"], spec["over"], title)
        else:
            figure = figures.rand_score(lines, spec["settings"], spec["curves"], title)
    with atomic(args.output) as pdf, atomic(args.output.with_suffix(".png")) as png:
        figures.save(figure, pdf, png)


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--figure", required=True, help="its name in the outputs file")
    p.add_argument("--outputs", type=Path, default=Path("config/outputs.yaml"))
    p.add_argument("--inputs", type=Path, nargs="+", required=True, help="partition or scores")
    p.add_argument("--data", required=True, help="names of the datasets, for the title")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="the pdf; the png lies beside it")
    run(main, p)
