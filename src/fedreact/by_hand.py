"""Parts of the library in one call each, on arrays in memory: for notebooks and trials.

The workflow does the same in steps whose results are files, with records, checkpoints and many
cores; what is done here leaves nothing behind.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

from fedreact import options, plugins
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.owner import Owner
from fedreact.data import own
from fedreact.data.dataset import SeriesDataset
from fedreact.engine.place import Place
from fedreact.errors import UserError, known, unknown
from fedreact.intervals import summarise
from fedreact.io import contract, importing
from fedreact.io.cutting import Cutting
from fedreact.io.importing import Finishing
from fedreact.io.readers.table import Table
from fedreact.kinds import contract as runs
from fedreact.kinds import jobs
from fedreact.metrics.grammar import load_metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def dataset(
    X: Any,
    y: Any = None,
    client: Any = None,
    *,
    name: str = "mine",
    **more: Any,
) -> SeriesDataset:
    """Make a dataset of arrays, of a table, or of a file.

    Parameters
    ----------
    X
        ``[N, channels, steps]`` numbers; shorter series end in zeros. Or a pandas table, whose rows
        are steps; or the path of a file or folder that ``fedreact import`` reads.
    y
        Integers or strings ``[N]``: labels; booleans ``[N, M]``: which of M labels are true; floats
        ``[N]`` or ``[N, M]``: targets of a regression. For a table or a file, use ``label``,
        ``target`` or ``forecast`` instead.
    client
        Integers or strings ``[N]``: who holds each series. For a table or a file, the column.
    name
        Name of the data, for messages.
    more
        For arrays: the other arrays of docs/howto/own_data.md, e.g. ``lengths``, ``trial``,
        ``time``, ``tested``, ``previous``, ``channel_names``. For a table or a file: the options of
        ``fedreact import``, e.g. ``label="activity"``, ``time="t"``, ``window="2s"``.

    Raises
    ------
    UserError
        One line: what is wrong with which array, column or option.
    """
    if isinstance(X, pd.DataFrame | str | Path):
        if y is not None:
            raise UserError("name what is predicted by label, target or forecast, not by y")
        return _imported(X, name, more | {"client": client})
    arrays = {"X": X, "y": y, "client": client} | more
    there = {key: _array(key, values) for key, values in arrays.items() if values is not None}
    return own.dataset_of(there, name)


def _array(key: str, values: Any) -> np.ndarray:
    """Return an array; texts of pandas and lists are strings, dates are seconds since 1970.

    Raises
    ------
    UserError
        Its entries have different shapes.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise UserError(
            f"{key}: its entries have different shapes; fill shorter series with zeros, and name "
            "their lengths (lengths=...)"
        ) from error
    if array.dtype.kind == "M":
        return (array - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    if array.dtype == object and all(isinstance(value, str) for value in array.ravel()):
        return array.astype(str)
    return array


def _imported(
    source: "pd.DataFrame | str | Path", name: str, given: dict[str, Any]
) -> SeriesDataset:
    """Make a dataset of a table or a file, by options of ``fedreact import``."""
    if isinstance(source, pd.DataFrame):
        cls: type[contract.Reader] = Table
    else:
        cls = contract.load(contract.recognise(str(source)))
    parts: list[Any] = []
    given = {key: value for key, value in given.items() if value is not None}
    for part in (cls, Cutting, Finishing):
        mine = {key: given.pop(key) for key in list(given) if key in options.names(part)}
        for key, hint in options.hints(part).items():
            if key in mine and isinstance(mine[key], str) and options.is_sequence(hint):
                mine[key] = [mine[key]]
        parts.append(options.check(part, mine, name))
    if given:
        names = [key for part in (cls, Cutting, Finishing) for key in options.names(part)]
        odd = next(iter(given))
        raise UserError(f"dataset {name}: unknown argument {odd}; known: {known(names, odd)}")
    reader, cutting, finishing = parts
    if isinstance(source, pd.DataFrame):
        read = reader.recordings(iter([(source, {}, "the table")]), [])
        return importing.made_of(read, name, cutting, finishing).data
    return importing.import_data(str(source), name, reader, cutting, finishing).data


def clients_of(data: SeriesDataset, seed: int = 0, **partition_options: Any) -> Partition:
    """Deal series to clients: those that the data names.

    Parameters
    ----------
    data
        With clients.
    seed
        Seed of the test sets.
    partition_options
        Options of the partitioner ``owner``, e.g. ``test_share=0.3`` (``make options OF=owner``).

    Raises
    ------
    UserError
        An option is unknown, the data names no clients, or one would have no series to train on or
        to be tested on.
    """
    return options.check(Owner, partition_options, "owner").deal(data, seed)


def features_of(
    data: SeriesDataset, partition: Partition, seed: int = 0, **encoder_options: Any
) -> np.ndarray:
    """Phase 1 of Fed-REACT (Algorithm 1): an encoder trained by all clients, without labels.

    Parameters
    ----------
    data, partition
        The series, and who holds which.
    seed
        Seed of the encoder's first weights and of the clients' draws.
    encoder_options
        Options of the encoder (``make options OF=encoder``); ``rounds=0`` leaves it as it is drawn.

    Returns
    -------
    numpy.ndarray
        ``float32 [N, F]``: features of all series.

    Raises
    ------
    UserError
        An option is unknown or out of bounds, or the training diverges.
    """
    from fedreact.encoding import train
    from fedreact.encoding.spec import Options

    of_training = options.check(Options, encoder_options, "encoder")
    with tempfile.TemporaryDirectory() as folder:
        place = Place(checkpoint=Path(folder, "checkpoint.npz"))
        theta, _ = train.train(data, partition, of_training, seed, "encoder", place)
    return train.encode(data, train.make_encoder(of_training.encoder, data.task.channels), theta)


PartitionBySeed = Partition | Callable[[int], Partition]
FeaturesBySeed = np.ndarray | Callable[[Partition, int], np.ndarray] | None


@overload
def compare(
    data: SeriesDataset,
    partition: PartitionBySeed,
    methods: Mapping[str, Mapping[str, Any]],
    kind: str = ...,
    features: FeaturesBySeed = ...,
    metrics: Sequence[str] = ...,
    seed: int = ...,
    seeds: None = ...,
    **run_options: Any,
) -> pd.DataFrame: ...


@overload
def compare(
    data: SeriesDataset,
    partition: PartitionBySeed,
    methods: Mapping[str, Mapping[str, Any]],
    kind: str = ...,
    features: FeaturesBySeed = ...,
    metrics: Sequence[str] = ...,
    seed: int = ...,
    seeds: int | Sequence[int] = ...,
    **run_options: Any,
) -> "Comparison": ...


def compare(
    data: SeriesDataset,
    partition: PartitionBySeed,
    methods: Mapping[str, Mapping[str, Any]],
    kind: str = "clustered",
    features: FeaturesBySeed = None,
    metrics: Sequence[str] = (),
    seed: int = 0,
    seeds: int | Sequence[int] | None = None,
    **run_options: Any,
) -> "pd.DataFrame | Comparison":
    """Run methods of one kind side by side.

    Parameters
    ----------
    data, partition
        The series, and who holds which; a function of the seed gives each seed its own test sets.
    methods
        As ``experiment.yaml`` has them: ``algorithm`` and its options, by name. Your own
        algorithms are found below ``own/`` (docs/howto/own_method.md).
    kind
        ``clustered``, ``synchronous``, ``asynchronous``, ``simple`` or ``facts``.
    features
        Features of all series, for clustered methods; or a function of the partition and the seed.
    metrics
        Names; that of the task if none is given.
    seed
        Seed of all draws.
    seeds
        Several seeds, or how many from 0 on: then means and intervals can be had.
    run_options
        Options of the run (``make options OF=<kind>``).

    Returns
    -------
    pandas.DataFrame or Comparison
        For one seed a line for each scored round and method: ``method, round`` and scores. Methods
        that cannot run on this task are left out; ``attrs["left_out"]`` says why. With ``seeds`` a
        :class:`Comparison`.

    Raises
    ------
    UserError
        A name or an option is unknown, features are missing, or a training diverges.
    """
    if kind not in runs.kinds():
        raise UserError(f"kind of run: {unknown(kind, runs.kinds())}")
    spec, run = (runs.part_of(kind, part) for part in ("spec", "run"))
    for name, entry in methods.items():
        if not isinstance(entry, Mapping):
            raise UserError(f"method {name}: wanted a mapping such as {{'algorithm': 'fedavg'}}")
    of_run = options.check(spec.Options, run_options, kind)
    if kind == "clustered" and features is None:
        raise UserError("clustered methods need features of all series; see fedreact.features_of")
    asked = [runs.method(kind, name, entry, f"method {name}") for name, entry in methods.items()]
    why = {one.name: runs.skipped(kind, one.algorithm, data.task) for one in asked}
    asked = [one for one in asked if not why[one.name]]
    wanted = jobs.read_metrics(list(metrics), data.task)

    def of_seed(number: int) -> pd.DataFrame:
        """Run all methods with one seed."""
        drawn = partition(number) if callable(partition) else partition
        encoded = features(drawn, number) if callable(features) else features
        inputs = runs.Inputs(data, drawn, encoded)
        with tempfile.TemporaryDirectory() as folder:
            place = Place(checkpoint=Path(folder, "checkpoint.npz"))
            lines = list(run.run(inputs, of_run, asked, wanted, number, place))
        return pd.DataFrame(
            [dict(zip(spec.INDEX, line.index)) | dict(line.values) for line in lines]
        )

    left_out = {name: reason for name, reason in why.items() if reason}
    if seeds is None:
        table = of_seed(seed)
        table.attrs["left_out"] = left_out
        return table
    numbers = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not numbers:
        raise UserError("seeds: wanted one or more")
    tables = [of_seed(number).assign(seed=number) for number in numbers]
    return Comparison(pd.concat(tables, ignore_index=True), tuple(wanted), left_out)


@dataclass(frozen=True)
class Comparison:
    """Scores of several methods with several seeds.

    Attributes
    ----------
    scores
        A line for each method, round and seed.
    metrics
        Names of the metrics, the first of which is the main one.
    left_out
        Methods that cannot run on the task, each with the reason.
    """

    scores: pd.DataFrame
    metrics: tuple[str, ...]
    left_out: dict[str, str]

    def means(self, metric: str | None = None) -> pd.DataFrame:
        """Return the mean of each method after its last round, with its 95% interval over seeds.

        Returns
        -------
        pandas.DataFrame
            By method: ``mean, ci_low, ci_high, n_seeds``; with one seed there is no interval.
        """
        name = self._known(metric)
        return _summaries(self._last(name).items(), load_metric(name).bounds)

    def differences(self, reference: str, metric: str | None = None) -> pd.DataFrame:
        """Return each method minus another one, paired by seed, with 95% intervals.

        Raises
        ------
        UserError
            There is no method of this name.
        """
        last = self._last(self._known(metric))
        if reference not in last:
            raise UserError(f"no method {reference!r}; there are {known(last, reference)}")
        others = [(name, one - last[reference]) for name, one in last.items() if name != reference]
        return _summaries(others, (-np.inf, np.inf))

    def plot(self, metric: str | None = None) -> "Figure":
        """Draw the score over the rounds: means over seeds, and 95% intervals as bands."""
        from matplotlib.figure import Figure

        from fedreact.figures.style import COLOURS

        name = self._known(metric)
        described = load_metric(name)
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        for i, (method, lines) in enumerate(self.scores.groupby("method", sort=False)):
            by_seed = lines.pivot(index="round", columns="seed", values=name)
            rows = [summarise(row, described.bounds) for row in by_seed.to_numpy(np.float64)]
            rounds, means = by_seed.index.to_numpy(int), [row.mean for row in rows]
            colour = COLOURS[i % len(COLOURS)]
            axes.plot(rounds, means, color=colour, label=str(method), marker=".")
            low, high = ([row.ci[side] for row in rows] for side in (0, 1))
            axes.fill_between(rounds, low, high, color=colour, alpha=0.2, linewidth=0)
        n = self.scores["seed"].nunique()
        axes.set(xlabel="Round", ylabel=described.title)
        axes.set_title(f"Means over {n} seeds, 95% intervals", fontsize="small", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize="small")
        return figure

    def _repr_html_(self) -> str:
        """Show the means in a notebook."""
        return str(self.means().round(4).to_html())

    def _known(self, metric: str | None) -> str:
        """Return the name of a metric of the scores, the first one if none is named."""
        if metric is not None and metric not in self.metrics:
            raise UserError(f"no metric {metric!r}; there are {known(self.metrics, metric)}")
        return metric or self.metrics[0]

    def _last(self, metric: str) -> "dict[str, pd.Series[float]]":
        """Return the scores of each method after its last round, by seed."""
        last = {}
        for method, lines in self.scores.groupby("method", sort=False):
            ends = lines[lines["round"] == lines.groupby("seed")["round"].transform("max")]
            last[str(method)] = ends.set_index("seed")[metric]
        return last


def _summaries(
    rows: "Iterator[tuple[str, pd.Series[float]]] | Any", bounds: tuple[float, float]
) -> pd.DataFrame:
    """Return means and intervals of values by seed, by name."""
    lines = {}
    for name, values in rows:
        summary = summarise(np.asarray(values, np.float64), bounds)
        lines[name] = (summary.mean, *summary.ci, summary.n)
    columns = ["mean", "ci_low", "ci_high", "n_seeds"]
    table = pd.DataFrame.from_dict(lines, orient="index", columns=columns)
    return table.rename_axis("method")


def algorithms_of(kind: str) -> list[str]:
    """Names of the algorithms of a kind of run, yours after the project's."""
    return plugins.names(f"kinds/{kind}/algorithms", "ALGORITHM")
