"""One client for each owner, all with equally many series in the order of time.

For models that take the i-th series of all clients together (:mod:`fedreact.kinds.split`).
"""

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.regimes.contract import InRegime
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare
from fedreact.rng import generator


@dataclass(frozen=True)
class Aligned(InRegime):
    """Owners as clients; the last series of each are for testing.

    Attributes
    ----------
    clients
        Number of owners to draw from the seed; ``null``: all.
    series
        Series per owner, its first ones; owners with fewer are left out. ``null``: as many as the
        shortest owner has.
    clock
        Alignment of the i-th series of all owners: by each owner's ``own`` order, or by a
        ``common`` time, which leaves out times that some owner lacks.
    test_share
        Share of the test set.
    """

    clients: Count | None = None
    series: Count | None = None
    clock: Literal["own", "common"] = "own"
    test_share: InnerShare = 0.2

    @property
    def n_clients(self) -> int | None:
        """Stated number of clients."""
        return self.clients

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Draw the owners, and divide the series of each.

        Raises
        ------
        UserError
            There are too few owners or series, or the data lacks owners or times.
        """
        if data.owner is None or (self.clock == "common" and data.time is None):
            what = "whose" if data.owner is None else "of when"
            raise UserError(f"partition: {data.name} does not say {what} each series is")
        own = {int(k): np.flatnonzero(data.owner == k) for k in np.unique(data.owner)}
        if data.time is not None:
            time = data.time
            own = {k: series[np.argsort(time[series], kind="stable")] for k, series in own.items()}
        own = {k: series for k, series in own.items() if len(series) >= (self.series or 1)}
        if len(own) < (self.clients or 1):
            enough = f" with {self.series} series" if self.series else ""
            raise UserError(
                f"partition: {data.name} has {len(own)} owners{enough}, not {self.clients or 1}"
            )
        if self.clients is not None:
            drawn = generator(seed, "owners").permutation(sorted(own))[: self.clients]
            own = {k: own[k] for k in sorted(drawn.tolist())}
        if self.clock == "common" and data.time is not None:
            own = _at_common_times(own, data.time)
        n = self.series or min(map(len, own.values()))
        n_test = max(1, round(self.test_share * n))
        if min(map(len, own.values())) < n or n - n_test < 2:
            raise UserError(f"partition: {data.name} has too few series that clients share")
        train = [series[: n - n_test] for series in own.values()]
        test = [series[n - n_test : n] for series in own.values()]
        clusters = np.zeros(len(own), dtype=np.int64)
        counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
        return Partition(clusters, train, test, counts, distributions, NOTHING)


def _at_common_times(own: dict[int, np.ndarray], time: np.ndarray) -> dict[int, np.ndarray]:
    """Keep each owner's series at times that all owners have, the first series of a time."""
    firsts = {k: series[np.unique(time[series], return_index=True)[1]] for k, series in own.items()}
    common = reduce(np.intersect1d, (time[series] for series in firsts.values()))
    return {k: series[np.isin(time[series], common)] for k, series in firsts.items()}


PARTITIONER = Aligned
