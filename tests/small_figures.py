"""Each kind of figure with small made-up inputs."""

import numpy as np
import pandas as pd
from small_table import folder, scores
from towns import region_of

from fedreact import npz
from fedreact.clients.partition import NOTHING, Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.data.sources import eeg_sim
from fedreact.figures.attention import Attention
from fedreact.figures.bands import Bands
from fedreact.figures.bars import Bars
from fedreact.figures.bars_of_scores import BarsOfScores
from fedreact.figures.clients import ClientOverview
from fedreact.figures.curves import Curves
from fedreact.figures.detector import FIGURE as DetectorFigure
from fedreact.figures.differences import Differences
from fedreact.figures.digits import Digits
from fedreact.figures.drifting import Drifting
from fedreact.figures.first_layer import FirstLayer
from fedreact.figures.forecasts import Forecasts
from fedreact.figures.gain import Gain
from fedreact.figures.label_distribution import LabelDistribution
from fedreact.figures.n_clusters import NClusters
from fedreact.figures.over_option import OverOption
from fedreact.figures.pareto import Pareto
from fedreact.figures.people import People
from fedreact.figures.published import Published
from fedreact.figures.rand_score import RandScore
from fedreact.figures.ranks import Ranks
from fedreact.figures.recovery import Recovery
from fedreact.figures.rounds import RoundCurves
from fedreact.figures.sensitivity import Sensitivity
from fedreact.figures.series import Series
from fedreact.figures.spectrogram import Spectrogram
from fedreact.figures.theorem1 import Theorem1
from fedreact.figures.thermometer import Thermometer
from fedreact.figures.trip import Trip
from fedreact.tables.cells import lines_of
from fedreact.tables.sources import CellSource

COUNTS = np.array([[5, 0, 3], [1, 4, 4]])
SETTINGS = {"ten": "s10", "hundred": "s100"}
CURVES = {"EC": "a1", "SC": "sc"}


def of_scores(kind, lines=None, skipped=()):
    """Lines of scores as :meth:`draw` gets them, for the cells that a figure asks for."""
    layout = [
        CellSource(
            panel,
            label,
            folder(entry["setting"]),
            entry["method"],
            "why" if (panel, label) in skipped else None,
        )
        for (panel, label), entry in kind.cells().items()
    ]
    return lines_of(layout, scores() if lines is None else lines)


def csv(path, columns, lines):
    pd.DataFrame(lines, columns=columns.split()).to_csv(path, index=False)
    return path


def partition(path):
    samples = [np.array([0]), np.array([1])]
    at_most, none = np.arange(2), np.zeros((0, 0, 0))
    Partition(at_most, samples, samples, COUNTS, none, NOTHING).save(path)
    return path


def by_clusters(path):
    """Curves whose elbow is at 2, and whose silhouette is largest at 3, in files by seed."""
    wcss, silhouette = {1: 10.0, 2: 2.0, 3: 1.0}, {1: np.nan, 2: 0.2, 3: 0.6}
    files = []
    for seed in (0, 1):
        lines = [
            [seed, m, C, m * wcss[C] + seed, silhouette[C] - 0.1 * seed]
            for m in (16, 64)
            for C in (1, 2, 3)
        ]
        files.append(path / f"seed{seed}.csv")
        csv(files[-1], "seed samples n_clusters wcss silhouette", lines)
    return files


def first_layer(path):
    """Four channels at three moments of two seeds; more and more weight is the last one's."""
    lines = [
        ["ten", seed, t, channel, 1 + t * (0.3 if channel == 3 else -0.1)]
        for seed in (0, 1)
        for t in (1, 2, 3)
        for channel in range(4)
    ]
    return csv(path, "setting seed round channel weight", lines)


def theorem(path):
    """Bounds from 100 to 800 times what is measured, but for one run, which exceeds it."""
    lines = [
        [seed, w, gamma, 0.02 * (1 + seed), 8 / w * (0.001 if (seed, w) == (1, 4) else 1), 2, 16]
        for seed in (0, 1)
        for w in (1, 2, 4)
        for gamma in (0.7, 1.0)
    ]
    return csv(path, "seed w gamma measured bound M beta", lines)


def detector(path):
    """Two sizes of scores and two falls, of two seeds."""
    lines = [
        [seed, test, delta, n, fall, 0.1 * seed + fall / 2, min(1, 0.2 * seed + fall)]
        for seed in (0, 1)
        for test in ("printed", "with samples")
        for delta in (0.0, 0.2)
        for n in (10, 50)
        for fall in (0.0, 0.4)
    ]
    return csv(path, "seed test delta samples fall first within", lines)


def digits(path, owners=True):
    """Digits of two strokes each; writers are numbered from 4."""
    n = 60
    X = np.random.default_rng(0).standard_normal((n, 3, 12)).astype(np.float32)
    X[:, 2] = 1
    X[:, 2, 5] = 0
    owner = np.arange(n) // 10 + 4 if owners else None
    SeriesDataset("pendigits", X, np.full(n, 12), np.arange(n) % 10, owner).save(path)
    return path


def spoken(path):
    """Words of two speakers, of whom the first did not speak the last word."""
    X = np.random.default_rng(0).random((5, 4, 12)).astype(np.float32)
    X[:, :, 9:] = 0
    y, owner = np.array([0, 1, 0, 1, 2]), np.array([3, 3, 5, 5, 5])
    X[4, :, 6:] = 0
    SeriesDataset("fsdd", X, np.array([9, 9, 9, 9, 6]), y, owner).save(path)
    return path


def eeg(path):
    eeg_sim.simulate(0, 2, 30).save(path)
    return path


def town(path):
    """Two cars that drive 10 m/s eastwards for two minutes, through two streets."""
    steps = 120
    t = np.tile(np.arange(steps), 2)
    npz.save(
        path,
        vehicle=np.repeat([30, 31], steps),
        number=np.array([30, 31]),
        type=np.array(["VW e-up!", "bus"]),
        role=np.array(["private", "line"]),
        time=t.astype(float),
        latitude=np.full(2 * steps, 48.0),
        longitude=7.8 + t * 10 / 1000 / (111.32 * np.cos(np.deg2rad(48.0))),
        elevation=400 + t / 10,
        speed=np.full(2 * steps, 10.0),
        charge=90 - t / 60,
        street_points=np.array([[7.8, 48.0], [7.82, 48.0], [7.82, 48.0], [7.82, 48.01]]),
        street_starts=np.array([0, 2, 4]),
        street_speed=np.array([25.0, 8.0]),
    )
    return path


def towns(path):
    npz.save(path, **region_of([400, 300]))
    return path


def _rand_score(path):
    return (kind := RandScore(SETTINGS, CURVES)), of_scores(kind), []


def ranks(path):
    """Each setting is of a dataset of its own."""
    kind = Ranks(SETTINGS, CURVES)
    cells = {place: lines.assign(data=place[0]) for place, lines in of_scores(kind).items()}
    return kind, cells, []


def _gain(path):
    return (kind := Gain(SETTINGS, {"EC": "a1"}, "sc")), of_scores(kind), []


def of_curves():
    """One method's rounds, and dots of two settings joined, the first of which took nothing."""
    dots = [{"method": "sc"}, {"setting": "s100", "method": "sc"}]
    kind = Curves({"left": {"EC": "a1"}, "right": {"EC": "a1"}}, "s10", {"SC": dots})
    lines = scores()
    first = (lines["setting"] == "s10") & (lines["method"] == "sc")
    lines["gflops"] = (10.0 * lines["round"]).where(~first, 0.0)
    return kind, lines


def _curves(path):
    kind, lines = of_curves()
    return kind, of_scores(kind, lines), []


def of_clients(path):
    """Six clients of two clusters over three rounds; A1 finds them under names that change."""
    kind = ClientOverview("s10", CURVES)
    return kind, of_scores(kind, lines_with_clients(path)), []


def differences(path):
    """The same clients on a line, by one method and by the other, whose scores are half as high."""
    kind = Differences("a1", "sc", {"ten": "s10"})
    return kind, of_scores(kind, lines_with_clients(path)), []


def drifting(path):
    """The same clients, of which those of the second cluster drift."""
    kind = Drifting({"left": {"EC": "a1", "SC": "sc"}}, "s10", over="steps")
    lines = lines_with_clients(path)
    return kind, of_scores(kind, lines.assign(steps=10.0 * lines["round"])), []


def lines_with_clients(path):
    """Scores with records of their clients beside them."""
    lines = scores()
    clusters = {
        "a1": [[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]],
        "sc": [[-1] * 6] * 3,
    }
    for seed in (0, 1, 2):
        npz.save_compressed(
            path / f"seed{seed}.clients.npz",
            method=np.repeat(list(clusters), 3),
            round=np.tile([1, 2, 3], 2),
            score=np.tile(np.linspace(0, 1, 6, dtype=np.float32), (6, 1))
            / (1 + seed)
            / np.repeat([1, 2], 3)[:, None],
            cluster=np.concatenate(list(clusters.values())),
            true_cluster=np.tile([0, 0, 0, 1, 1, 1], (6, 1)),
            n_train=np.full(6, 9),
            n_test=np.full(6, 1),
            metric=np.array("accuracy"),
            findings=np.zeros(0, dtype=str),
        )
    lines["file"] = [str(path / f"seed{seed}.csv") for seed in lines["seed"]]
    return lines


def over_option(path):
    kind = OverOption("s10", "samples", (4, 8), "samples", {"EC": "a1", "SC": "sc"})
    cells = {
        place: scores().query("method == @entry['method']").assign(accuracy=0.1 * float(place[0]))
        for place, entry in kind.cells().items()
    }
    return kind, cells, []


def sensitivity(path):
    kind = Sensitivity({"ten": "s10"}, "a1", {"lam": (0.1, 1.0), "tau": (2.0, 4.0)}, {"lam": "L"})
    cells = {
        place: scores().assign(accuracy=0.1 * entry["options"].popitem()[1])
        for place, entry in kind.cells().items()
    }
    return kind, cells, []


def shares(path):
    """Two scores over a share."""
    scored = ("accuracy", "gflops")
    kind = OverOption("s10", "samples", (4, 8), "samples", {"EC": "a1", "SC": "sc"}, scored)
    cells = {
        place: scores().query("method == @entry['method']").assign(gflops=float(place[0]))
        for place, entry in kind.cells().items()
    }
    return kind, cells, []


def bars_of_scores(path):
    kind = BarsOfScores("s10", {"right": "accuracy", "cost": "gflops"}, "Share", CURVES)
    return kind, of_scores(kind, scores().assign(gflops=0.4)), []


def forecasts(path):
    kind = Forecasts("s10", 1, "a target", "step", CURVES)
    return kind, of_scores(kind, lines_with_what_is_shown(path)), []


def attention(path):
    panels = {"ten": {"setting": "s10", "method": "a1"}}
    kind = Attention(panels, clients=(0, 1))
    return kind, of_scores(kind, lines_with_what_is_shown(path)), []


def attention_lines(path):
    panels = {"ten": {"setting": "s10", "method": "sc"}}
    kind = Attention(panels, "features", (0, 1, 7), as_lines=True)
    return kind, of_scores(kind, lines_with_what_is_shown(path)), []


def lines_with_what_is_shown(path):
    """Scores of two methods, with forecasts and attention of two clients beside them."""
    lines, rng = scores(), np.random.default_rng(0)
    for seed in (0, 1, 2):
        npz.save_compressed(
            path / f"seed{seed}.clients.npz",
            method=np.array(["a1", "sc"]),
            round=np.array([3, 3]),
            n_train=np.full(2, 9),
            n_test=np.full(2, 5),
            metric=np.array("mae"),
            findings=np.zeros(0, dtype=str),
            score=np.zeros((2, 2)),
            actual=rng.random((2, 2, 5)),
            forecast=rng.random((2, 2, 5)),
            attention_time=rng.random((2, 2, 5, 4)),
            attention_features=rng.random((2, 2, 5, 3)),
        )
    lines["file"] = [str(path / f"seed{seed}.csv") for seed in lines["seed"]]
    return lines


def bars(path):
    kind = Bars({"ten": {"setting": "s10"}, "all": {"setting": "s100"}}, CURVES)
    return kind, of_scores(kind), []


def rounds(path):
    return (kind := RoundCurves(SETTINGS, CURVES)), of_scores(kind), []


def recovery(path):
    """EC is back two rounds after the drift in one seed, and at once in the other; SC never is."""
    courses = {
        ("a1", 0): [0.8] * 10 + [0.2, 0.5] + [0.8] * 8,
        ("a1", 1): [0.8] * 20,
        ("sc", 0): [0.6] * 10 + [0.4] * 10,
        ("sc", 1): [0.6] * 10 + [0.5] * 10,
    }
    lines = [
        scores().iloc[[0]].assign(setting=setting, folder=folder(setting), method=method, seed=seed)
        for setting in SETTINGS.values()
        for method, seed in courses
    ]
    rounds = [
        one.loc[one.index.repeat(20)].assign(
            round=range(1, 21), accuracy=courses[one["method"].iloc[0], one["seed"].iloc[0]]
        )
        for one in lines
    ]
    kind = Recovery(SETTINGS, CURVES)
    return kind, of_scores(kind, pd.concat(rounds, ignore_index=True)), []


def pareto(path):
    """EC is better than SC and sends as much; Alone has the scores of SC and sends nothing."""
    methods = {"EC": "a1", "SC": "sc", "Alone": {"setting": "s100", "method": "sc"}}
    kind = Pareto({"left": methods}, "s10")
    lines = scores().assign(bytes=lambda s: 2.0 * s["round"])
    alone = (lines["setting"] == "s100") & (lines["method"] == "sc")
    lines["bytes"] = lines["bytes"].where(~alone, 0.0)
    return kind, of_scores(kind, lines), []


def published(path):
    """Two cells of one method and one of another, one of them comparable; one is unpublished."""
    lines = [
        ["ten", "EC", "accuracy", 0.8, 0.7, 0.9, 0.9, "differs"],
        ["hundred", "EC", "accuracy", 0.6, 0.5, 0.7, 0.7, "not-comparable"],
        ["ten", "SC", "accuracy", 0.5, 0.4, 0.6, 0.4, "not-comparable"],
        ["hundred", "SC", "accuracy", 0.5, 0.4, 0.6, None, None],
        ["cars", "SC", "rmse", 5.0, 4.0, 6.0, 7.0, "not-comparable"],
    ]
    columns = "row column metric mean ci_low ci_high published verdict"
    kind = Published({"Table 1": "table1"})
    return kind, {}, [csv(path / "a_paper_table1.csv", columns, lines)]


def series(path):
    kind = Series("digits", {"x": 0, "y": 1}, "Step (ms)", "CellSource (mm)")
    return kind, {}, [digits(path / "d.npz")]


def people(path):
    kind = People("digits", 3, {"x": 0, "y": 1}, frequency=True)
    return kind, {}, [digits(path / "d.npz")]


MADE = {
    "pareto": pareto,
    "people": people,
    "published": published,
    "rounds": rounds,
    "recovery": recovery,
    "series": series,
    "attention": attention,
    "bands": lambda path: (Bands("fsdd"), {}, [spoken(path / "fsdd.npz")]),
    "bars": bars,
    "bars-of-scores": bars_of_scores,
    "forecasts": forecasts,
    "differences": differences,
    "sensitivity": sensitivity,
    "over-option": over_option,
    "clients": of_clients,
    "curves": _curves,
    "detector": lambda path: (DetectorFigure(), {}, [detector(path / "detector.csv")]),
    "drifting": drifting,
    "digits": lambda path: (Digits(), {}, [digits(path / "d.npz")]),
    "first-layer": lambda path: (FirstLayer({"A": "ten"}), {}, [first_layer(path / "f.csv")]),
    "gain": _gain,
    "label-distribution": lambda path: (LabelDistribution("p"), {}, [partition(path / "p.npz")]),
    "n-clusters": lambda path: (NClusters("s10", "wcss"), {}, by_clusters(path)),
    "rand-score": _rand_score,
    "ranks": ranks,
    "spectrogram": lambda path: (Spectrogram(), {}, [eeg(path / "eeg.npz")]),
    "theorem1": lambda path: (Theorem1(), {}, [theorem(path / "theorem1.csv")]),
    "thermometer": lambda path: (Thermometer(0), {}, [towns(path / "towns.npz")]),
    "trip": lambda path: (Trip("valley", 30), {}, [town(path / "valley.npz")]),
}
"""By the name of each kind: the kind with options, its cells, and its files in a folder."""


def drawn(kind, path, title="a title"):
    """Draw a kind of figure from what is made up for it."""
    made, cells, files = MADE[kind](path)
    return made.draw(title, cells, files)
