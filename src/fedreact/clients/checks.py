"""Checks of a partition that runs but whose results would mean nothing."""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.data import copies
from fedreact.data.dataset import SeriesDataset

FOLLOWS, BEFORE = 0.95, 0.8
"""Share of series whose label is the most frequent one of its client, from which labels follow from
clients; and the share of the most frequent label of all, above which this means little."""


MANY, MANY_COPIES = 0.01, 0.001
"""Shares of test series that are near copies, and copies, below which they may be so by chance."""


def findings(
    drawn: Partition, y: np.ndarray | None = None, label_names: np.ndarray | None = None
) -> list[str]:
    """Return a sentence for each thing that is suspicious.

    ``y [N]`` are the labels, unless clients are meant to have one label alone; ``label_names`` are
    strings, by their numbers.
    """
    K, train_sets = len(drawn.train), {samples.tobytes() for samples in drawn.train}
    sentences = []
    if len(train_sets) < K:
        sentences.append(
            f"{K} clients hold {len(train_sets)} different train sets: some have identical samples."
        )
    if y is not None and y.dtype.kind == "i":
        sentences += [*_labels(drawn, y), *_untrained(drawn, y, label_names)]
    return sentences


def _untrained(drawn: Partition, y: np.ndarray, label_names: np.ndarray | None) -> list[str]:
    """Report labels that occur in test series and in no client's train series."""
    test = y[np.unique(np.concatenate(drawn.test))]
    labels = np.setdiff1d(test, y[np.concatenate(drawn.train)])
    if not len(labels):
        return []
    names = [str(label if label_names is None else label_names[label]) for label in labels]
    one = len(names) == 1
    return [
        f"No client trains on label{'' if one else 's'} {_listed(names)}, and "
        f"{np.isin(test, labels).mean():.0%} of the test series have {'it' if one else 'them'}: no "
        "method can be right there. Drop these series, or split otherwise (split: random)."
    ]


def _labels(drawn: Partition, y: np.ndarray) -> list[str]:
    """Report clients with one label, and labels that follow from who the client is."""
    K = len(drawn.train)
    single = [k for k, samples in enumerate(drawn.train) if len(np.unique(y[samples])) == 1]
    most = [np.bincount(y[samples]).max() for samples in drawn.train]
    every = np.concatenate(drawn.train)
    by_client, by_all = sum(most) / len(every), np.bincount(y[every]).max() / len(every)
    if K > 1 and by_client >= FOLLOWS and by_all <= BEFORE:
        return [
            f"Labels follow from clients: each client's most frequent label is right for "
            f"{by_client:.0%} of its series, the most frequent of all for {by_all:.0%}. A model "
            "that recognises clients needs no series; let clients share labels (partition with "
            "by: dirichlet), or predict something else."
        ]
    if not single:
        return []
    which = ""
    if drawn.names is not None:
        which = f" ({_listed([str(drawn.names[k]) for k in single])})"
    return [
        f"{len(single)} of {K} clients{which} have one label alone, which they predict without "
        "learning."
    ]


def leaks(drawn: Partition, data: SeriesDataset) -> list[str]:
    """Return a sentence for each way in which test series are known from training.

    A test series may be a copy of a train series or nearly one, may share steps with one, or may
    come before train series where a value of the future is predicted. Takes seconds for 10,000
    series.
    """
    train = np.unique(np.concatenate(drawn.train))
    test = np.unique(np.concatenate(drawn.test))
    sentences = []
    copied = copies.with_copy(copies.keys(data), train, test)
    if len(copied) > MANY_COPIES * len(test):
        sentences.append(
            f"{len(copied)} of {len(test)} test series are copies of train series: drop copies "
            "(fedreact import --copies drop), or the test is of memory."
        )
    others = np.setdiff1d(test, copied)
    near = copies.with_near_copy(data, train, others) if len(others) else others
    looked = min(len(others), copies.LOOKED_AT)
    if len(near) > MANY * looked:
        sentences.append(
            f"{len(near)} of {looked} test series differ from a train series by less than "
            f"{copies.NEAR:.0%} of their client's spread: put series that belong together into one "
            "trial (array trial, or fedreact import --trial)."
        )
    return [*sentences, *_shared_steps(drawn, data, train, test), *_later(drawn, data)]


def _shared_steps(
    drawn: Partition, data: SeriesDataset, train: np.ndarray, test: np.ndarray
) -> list[str]:
    """Report test series that share steps with train series."""
    before, after, shared = copies.neighbours(data)
    split = np.isin(before, train) & np.isin(after, test)
    split |= np.isin(before, test) & np.isin(after, train)
    if not split.any():
        return []
    sharing = np.unique(np.concatenate([before[split], after[split]]))
    number = int(np.isin(test, sharing).sum())
    most = int(shared[split].max())
    mend = "name what they are cut from (array trial, or fedreact import --trial)"
    if (left_out := _gap(data, before, after, most)) is not None:
        mend += f", or use split: chronological with gap: {left_out}"
    return [
        f"{number} of {len(test)} test series share up to {most} of {data.task.steps} steps with a "
        f"train series: {mend}."
    ]


def gap(data: SeriesDataset) -> int | None:
    """Count the series to leave out before a chronological test set, since they overlap with it.

    Returns 0 if no series share steps, and ``None`` if some do but are in no order.
    """
    before, after, shared = copies.neighbours(data)
    return _gap(data, before, after, int(shared.max())) if len(shared) else 0


def _gap(data: SeriesDataset, before: np.ndarray, after: np.ndarray, most: int) -> int | None:
    """Count the series to leave out if neighbours share so many steps and are in order."""
    rank = np.empty(len(data.X), int)
    time = np.zeros(len(data.X)) if data.time is None else data.time
    owner = np.zeros(len(data.X)) if data.owner is None else data.owner
    rank[np.lexsort((np.arange(len(time)), time, owner))] = np.arange(len(time))
    if np.median(np.abs(rank[after] - rank[before])) != 1:
        return None
    return -(-data.task.steps // (data.task.steps - most)) - 1


def _later(drawn: Partition, data: SeriesDataset) -> list[str]:
    """Report clients of a forecast that train on series later than those they are tested on."""
    if data.time is None or (data.previous is None and data.task.kind != "regression"):
        return []
    time, K = data.time, len(drawn.train)
    late = sum(time[train].max() > time[test].min() for train, test in zip(drawn.train, drawn.test))
    if not late:
        return []
    return [
        f"{late} of {K} clients train on series that are later than some they are tested on: for a "
        "forecast use split: chronological."
    ]


def _listed(names: list[str], most: int = 5) -> str:
    """List some names."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def whole_train_sets(drawn: Partition, samples_per_round: int) -> int:
    """Count the clients that have no more train samples than are drawn in a round."""
    return sum(len(samples) <= samples_per_round for samples in drawn.train)
