"""One client for each owner, all with equally many series in the order of time.

For models that take the i-th series of all clients together (:mod:`fedreact.kinds.split`).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare
from fedreact.rng import generator


@dataclass(frozen=True)
class Aligned:
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
    def n_clients(self):
        """As stated."""
        return self.clients

    def deal(self, data, seed):
        """Draw the owners, and divide the series of each.

        Raises
        ------
        UserError
            There are too few owners, or series, or they do not say whose and of when they are.
        """
        if data.owner is None or (self.clock == "common" and data.time is None):
            what = "whose" if data.owner is None else "of when"
            raise UserError(f"partition: {data.name} does not say {what} each series is")
        own = {int(k): np.flatnonzero(data.owner == k) for k in np.unique(data.owner)}
        if data.time is not None:
            own = {k: at[np.argsort(data.time[at], kind="stable")] for k, at in own.items()}
        own = {k: at for k, at in own.items() if len(at) >= (self.series or 1)}
        if len(own) < (self.clients or 1):
            enough = f" with {self.series} series" if self.series else ""
            raise UserError(
                f"partition: {data.name} has {len(own)} owners{enough}, not {self.clients or 1}"
            )
        if self.clients is not None:
            drawn = generator(seed, "owners").permutation(sorted(own))[: self.clients]
            own = {k: own[k] for k in sorted(drawn.tolist())}
        if self.clock == "common":
            own = _of_common_times(own, data.time)
        n = self.series or min(map(len, own.values()))
        n_test = max(1, round(self.test_share * n))
        if min(map(len, own.values())) < n or n - n_test < 2:
            raise UserError(f"partition: {data.name} has too few series that clients share")
        train = [at[: n - n_test] for at in own.values()]
        test = [at[n - n_test : n] for at in own.values()]
        clusters = np.zeros(len(own), dtype=np.int64)
        counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
        return Partition(clusters, train, test, counts, distributions, NOTHING)


def _of_common_times(own, time):
    """Of each owner's series those at times that all have, the first of a time."""
    firsts = {k: at[np.unique(time[at], return_index=True)[1]] for k, at in own.items()}
    common = None
    for at in firsts.values():
        common = time[at] if common is None else np.intersect1d(common, time[at])
    return {k: at[np.isin(time[at], common)] for k, at in firsts.items()}


PARTITIONER = Aligned
