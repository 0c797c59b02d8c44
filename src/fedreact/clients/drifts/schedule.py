"""Schedule of the clients over the rounds: their data distributions and participation.

Fed-REACT (arXiv), section 4.2 and appendix G.2 (drift), appendix F (intermittent participation). A
schedule is drawn before the rounds and holds all of it.
"""

from dataclasses import dataclass

import numpy as np

from fedreact.clients.drifts.contract import Drift
from fedreact.errors import UserError
from fedreact.rng import generator


@dataclass(frozen=True)
class Schedule:
    """Data distributions and participation of the clients in each round.

    Attributes
    ----------
    truth
        ``int [T, K]``: true clusters, against which Rand scores are computed.
    present
        ``bool [T, K]``: who takes part.
    shares
        ``[T, K, labels]``: label distributions of the clients' data in each round; ``None`` if
        clients keep to the samples of their partition.
    long_run
        ``[T, K, labels]``: label distributions of the clients' clusters over all rounds, the
        alternative to be tested on.
    """

    truth: np.ndarray
    present: np.ndarray
    shares: np.ndarray | None = None
    long_run: np.ndarray | None = None

    @property
    def rounds(self) -> int:
        """Number of rounds, T."""
        return len(self.truth)


def schedule(
    clusters: np.ndarray,
    distributions: np.ndarray,
    rounds: int,
    seed: int,
    drift: Drift | None = None,
    participation: float = 1.0,
) -> Schedule:
    """Draw a schedule.

    Parameters
    ----------
    clusters
        ``int [K]``: the clients' clusters at the start.
    distributions
        ``[C, S, labels]``: label distributions of each cluster, in each of its S states.
    drift
        How data changes; ``None``: it does not (appendix G.1).
    participation
        Share of each cluster's clients that take part in a round, at least one.

    Raises
    ------
    UserError
        There are no rounds, no labels that could drift, or the participation is out of range.
    """
    if rounds < 1:
        raise UserError(f"rounds is {rounds}; it must be at least 1")
    if drift is None:
        truth, shares, long_run = np.tile(clusters, (rounds, 1)), None, None
    elif distributions.shape[2] == 0:
        raise UserError("drift needs clusters of labels, which this partition does not have")
    else:
        rng = generator(seed, "drift")
        truth, shares, long_run = drift.draw(clusters, distributions, rounds, rng)
    present = taking_part(truth, participation, generator(seed, "participation"))
    return Schedule(truth, present, shares, long_run)


def taking_part(truth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw ``bool [T, K]``: in each round this share of each cluster's clients takes part."""
    if not 0 < share <= 1:
        raise UserError(f"participation is {share}; it must be above 0 and at most 1")
    place = rng.random(truth.shape)
    present = np.empty(truth.shape, dtype=bool)
    for c in range(truth.max() + 1):
        member = truth == c
        rank = np.where(member, place, np.inf).argsort(1).argsort(1)
        size = np.maximum(1, np.round(share * member.sum(1)))
        present[member] = (rank < size[:, None])[member]
    return present
