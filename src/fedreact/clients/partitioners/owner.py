"""One client for each owner of series: a vehicle, a person, a writer (ICLR, section 4.2)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.partitioners.pools import check_sizes
from fedreact.clients.regimes.contract import InRegime
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare, Natural
from fedreact.rng import generator

log = logging.getLogger("fedreact")

OTHERS = "others"
"""Name of the client that small ones are merged into."""

Split = Literal["random", "chronological", "chronological-by-label", "source"]
SPLITS = get_args(Split)


def has_labels(data: SeriesDataset) -> bool:
    """Tell whether each series of a dataset has one label."""
    return data.task.kind == "classification" and data.y.ndim == 1


@dataclass(frozen=True)
class Owner(InRegime):
    """Owners as clients, without known clusters.

    Attributes
    ----------
    clients
        Expected number of clients; ``null``: as many as the data has.
    owners
        Number of owners to use, the first ones; ``null``: all.
    parts
        Clients that each owner is cut into, chronologically where time is known, else at random.
    split
        Test series of a client: a random share, its last ones, the last ones of each of its labels
        (where labels come in stretches, its last ones may have few of them), or those that the
        source marks.
    test_share
        Share of the test set.
    gap
        Series (or trials) left out next to a chronological test set because they overlap with it.
    min_samples
        Series that an owner needs to be a client; ``null``: any number.
    small
        Whether the series of owners with fewer are dropped, or merged into one client, the last.
    """

    clients: Count | None = None
    owners: Count | None = None
    parts: Count = 1
    split: Split = "random"
    test_share: InnerShare = 0.1
    gap: Natural = 0
    min_samples: Count | None = None
    small: Literal["drop", "merge"] = "drop"

    @property
    def n_clients(self) -> int | None:
        """Stated number of clients."""
        return self.clients

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Split each owner's series.

        Raises
        ------
        UserError
            The data lacks owners or test series, has too few owners or another number of clients,
            or a client has too few series.
        """
        if data.owner is None:
            raise UserError(f"partition: {data.name} does not say whose each series is")
        if self.split == "source" and data.tested is None:
            raise UserError(f"partition: {data.name} does not say which series are for testing")
        if self.split == "chronological-by-label" and not has_labels(data):
            raise UserError(
                f"partition: series of {data.name} do not have one label each; use split: "
                "chronological"
            )
        self._check()
        groups = self._groups(data, data.owner)
        if self.owners is not None and self.owners > len(groups):
            raise UserError(f"partition: the data has {len(groups)} owners, not {self.owners}")
        rng = generator(seed, "partition")
        train: list[np.ndarray] = []
        test: list[np.ndarray] = []
        names: list[str] = []
        for name, indices in groups[: self.owners]:
            if data.time is not None:
                indices = indices[np.argsort(data.time[indices], kind="stable")]
            for trains, tests in self._clients(indices, data, rng, len(train), name):
                train.append(trains)
                test.append(tests)
                names.append(name)
        if self.clients not in (None, len(train)):
            raise UserError(f"partition: {data.name} has {len(train)} clients, not {self.clients}")
        clusters = np.zeros(len(train), dtype=np.int64)
        counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
        named = None if data.owner_names is None else np.array(self._numbered(names))
        return Partition(clusters, train, test, counts, distributions, NOTHING, names=named)

    def _groups(self, data: SeriesDataset, owner: np.ndarray) -> list[tuple[str, np.ndarray]]:
        """Return the name and the series of each owner that is a client; small ones as asked.

        Raises
        ------
        UserError
            All owners are too small.
        """
        groups = [
            (data.owner_name(number) if data.owner_names is not None else "", owner == number)
            for number in np.unique(owner)
        ]
        series = [(name, np.flatnonzero(mine)) for name, mine in groups]
        if self.min_samples is None:
            return series
        large = [group for group in series if len(group[1]) >= self.min_samples]
        small = [group for group in series if len(group[1]) < self.min_samples]
        rest = np.sort(np.concatenate([indices for _, indices in small])) if small else NOTHING
        merged = self.small == "merge" and len(rest) > 0
        if not large and not merged:
            most = max(len(indices) for _, indices in series)
            raise UserError(
                f"partition: no client has {self.min_samples} series, the most are {most}; lower "
                "min_samples, or set small: merge"
            )
        if small:
            which = ", ".join(name for name, _ in small if name)
            log.info(
                "%d of %d clients have fewer than %d series and are %s%s",
                len(small),
                len(series),
                self.min_samples,
                "merged into one" if merged else "left out",
                f": {which}" if which else "",
            )
        return [*large, (OTHERS, rest)] if merged else large

    def _numbered(self, names: list[str]) -> list[str]:
        """Return the names of clients, with the number of the part where owners are cut."""
        if self.parts == 1:
            return names
        return [f"{name}, part {i % self.parts + 1}" for i, name in enumerate(names)]

    def _check(self) -> None:
        """Refuse options that no file of the configuration can have, since Python can."""
        if self.split not in SPLITS:
            raise UserError(
                f"partition: split {self.split!r} is unknown; known: {', '.join(SPLITS)}"
            )
        check_sizes([1], 2, self.test_share)
        if self.gap < 0:
            raise UserError(f"partition: gap is {self.gap}; it must be 0 or more")

    def _clients(
        self,
        indices: np.ndarray,
        data: SeriesDataset,
        rng: np.random.Generator,
        first: int,
        name: str,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield train and test series of an owner's clients, of which ``first`` is the first."""
        chronological = data.time is not None
        if self.split == "source" and data.tested is not None:
            tested = data.tested[indices]
            if tested.all() or not tested.any():
                raise UserError(
                    f"partition: {_client(first, name)} has no series to train on, or none to "
                    "test; leave this client out of tested, or drop its series"
                )
            trains, tests = (
                self._parts(_Series(side, data.trial), rng, chronological)
                for side in (indices[~tested], indices[tested])
            )
            for train, test in zip(trains, tests):
                yield np.sort(train.indices), np.sort(test.indices)
            return
        parts = self._parts(_Series(indices, data.trial), rng, chronological)
        for number, part in enumerate(parts, first):
            train, test = self._divide(part, data.y, rng, _client(number, name))
            if data.trial is None:
                yield np.sort(train.indices), np.sort(test.indices)
            else:
                yield train.indices, test.indices

    def _parts(
        self, series: "_Series", rng: np.random.Generator, chronological: bool
    ) -> list["_Series"]:
        """Share out an owner's series to its clients; trials stay whole."""
        if self.parts == 1:
            return [series]
        units = series.units
        if not chronological:
            units = rng.permutation(units)
        return [series.only(share) for share in np.array_split(units, self.parts)]

    def _divide(
        self, series: "_Series", y: np.ndarray, rng: np.random.Generator, client: str
    ) -> tuple["_Series", "_Series"]:
        """Divide a client's series into those to train on and those to test on."""
        if self.split == "chronological-by-label":
            return self._divide_by_label(series, y, client)
        units = series.units
        n_test = max(1, round(self.test_share * len(units)))
        if self.split == "random":
            units = rng.permutation(units)
        gap = self.gap if self.split == "chronological" else 0
        if len(units) < n_test + gap + 2:
            kind = "series" if series.trial is None else "trials"
            raise UserError(
                f"partition: {client} has {len(units)} {kind}, too few for {n_test} to test and "
                f"{gap} to leave out; min_samples drops or merges small clients"
            )
        end = len(units) - n_test
        return series.only(units[: end - gap]), series.only(units[end:])

    def _divide_by_label(
        self, series: "_Series", y: np.ndarray, client: str
    ) -> tuple["_Series", "_Series"]:
        """Take a client's last series of each label for testing; what overlaps is left out."""
        units, labels = series.units, y[series.first]
        tested = np.zeros(len(units), bool)
        for label in np.unique(labels):
            places = np.flatnonzero(labels == label)
            n_test = min(round(self.test_share * len(places)), len(places) - 1)
            tested[places[len(places) - n_test :]] = True
        if not tested.any():
            tested[-1:] = True
        near = np.convolve(tested, np.ones(2 * self.gap + 1), "same") > 0.5
        if len(units) <= 2 * self.gap + 1 or (~near).sum() < 2:
            raise UserError(
                f"partition: {client} has {len(units)} series (or trials), too few to test the "
                f"last of each label and leave out {self.gap} next to them; min_samples drops or "
                "merges small clients"
            )
        return series.only(units[~near]), series.only(units[tested])


@dataclass(frozen=True)
class _Series:
    """Series of an owner or a client, in order.

    Attributes
    ----------
    indices
        ``int [n]``: their places in the dataset.
    trial
        ``int [N]``: trial of each series of the dataset; ``None``: each is a trial of its own.
    """

    indices: np.ndarray
    trial: np.ndarray | None

    @property
    def units(self) -> np.ndarray:
        """Indices of the series, or their trials in the order in which they come first."""
        if self.trial is None:
            return self.indices
        trial = self.trial[self.indices]
        _, first = np.unique(trial, return_index=True)
        return trial[np.sort(first)]

    @property
    def first(self) -> np.ndarray:
        """First series of each unit, in their order."""
        if self.trial is None:
            return self.indices
        _, first = np.unique(self.trial[self.indices], return_index=True)
        return self.indices[np.sort(first)]

    def only(self, units: np.ndarray) -> "_Series":
        """Return the series of these units; without trials in the order of ``units``."""
        if self.trial is None:
            return _Series(units, None)
        return _Series(self.indices[np.isin(self.trial[self.indices], units)], self.trial)


def _client(number: int, name: str) -> str:
    """Name a client in a message."""
    return f"client {name}" if name else f"client {number} (counted from 0 in sorted order)"


PARTITIONER = Owner
