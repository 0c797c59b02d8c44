"""Draw one figure of the paper: pdf and png."""

from pathlib import Path

import pandas as pd
from _cli import atomic, parser, run

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.data.sumo_ev.windows import SCALES
from fedreact.paper import figures
from fedreact.paper.eeg_figure import digits_of_writers, eeg_trial
from fedreact.paper.sensor_figure import thermometer
from fedreact.paper.theorem_figure import theorem1
from fedreact.paper.trip_figure import NEEDED, trip
from fedreact.partition import Partition
from fedreact.workflow.reading import read_yaml


def main(args):
    """Read what the figure shows, draw, write both formats."""
    spec = read_yaml(args.outputs)["figures"][args.figure]
    source = f"{args.data}, " if args.data else ""  # none where no data is needed
    title = f"{spec['title']}\n{source}scale {args.scale}"
    figure = KINDS[spec["kind"]](args.inputs, spec, title)
    with atomic(args.output) as pdf, atomic(args.output.with_suffix(".png")) as png:
        figures.save(figure, pdf, png)


def scores(paths, title):
    """Lines of all files, and the title with what they are a mean of."""
    lines = pd.concat([pd.read_csv(path) for path in paths])
    n = lines["seed"].nunique()
    return lines, title + (f", mean over {n} seeds with 95% interval" if n > 1 else ", one seed")


def rand_score(paths, spec, title):
    """Draw curves of methods over the rounds."""
    lines, title = scores(paths, title)
    return figures.rand_score(lines, spec["settings"], spec["curves"], title)


def gain(paths, spec, title):
    """Draw what methods gain over another, by setting."""
    lines, title = scores(paths, title)
    return figures.gain(lines, spec["settings"], spec["curves"], spec["over"], title)


def n_clusters(paths, spec, title):
    """Draw a criterion over the number of clusters."""
    lines, title = scores(paths, title)
    return figures.n_clusters(lines, spec["score"], title)


def label_distribution(paths, spec, title):
    """Draw who holds which labels."""
    return figures.label_distribution(Partition.load(paths[0]).label_counts, title)


def of_regions(draw, needed):
    """Make a function that draws from traces of the towns."""

    def drawn(paths, spec, title):
        regions = [npz.load(path, "simulated region", needed) for path in paths]
        return draw(regions, spec["vehicle"], title)

    return drawn


KINDS = {
    "rand_score": rand_score,
    "gain": gain,
    "n_clusters": n_clusters,
    "label_distribution": label_distribution,
    "theorem1": lambda paths, spec, title: theorem1(*scores(paths, title)),
    "spectrogram": lambda paths, spec, title: eeg_trial(SeriesDataset.load(paths[0]), title),
    "digits": lambda paths, spec, title: digits_of_writers(SeriesDataset.load(paths[0]), title),
    "trip": of_regions(lambda regions, *rest: trip(*regions, *rest), NEEDED),
    "thermometer": of_regions(thermometer, [*SCALES, "vehicle", "charge", "number", "type"]),
}


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--figure", required=True, help="its name in the outputs file")
    p.add_argument("--outputs", type=Path, default=Path("config/outputs.yaml"))
    p.add_argument(
        "--inputs", type=Path, nargs="+", required=True, help="what it shows: scores, data"
    )
    p.add_argument("--data", required=True, help="names of the datasets, for the title")
    p.add_argument("--scale", required=True)
    p.add_argument("--output", type=Path, required=True, help="the pdf; the png lies beside it")
    run(main, p)
