"""How clients' data changes over the rounds: Strategies 1, 2 and 3, and who takes part.

Fed-REACT (arXiv), section 4.2 (Strategies 1 and 2), appendix G.2 (Strategy 3), appendix F
(intermittent participation). A schedule is drawn before the rounds and holds all of it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedreact.errors import UserError
from fedreact.rng import generator


@dataclass(frozen=True)
class Schedule:
    """What the clients are in each round.

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
        """T."""
        return len(self.truth)


def schedule(
    clusters: np.ndarray,
    distributions: np.ndarray,
    rounds: int,
    seed: int,
    kind: str = "none",
    participation: float = 1.0,
    **parameters: float,
) -> Schedule:
    """Draw a schedule.

    Parameters
    ----------
    clusters
        ``int [K]``: the clients' clusters at the start.
    distributions
        ``[C, S, labels]``: label distributions of each cluster, in each of its S states.
    kind, parameters
        ``none``, ``switching`` (p01, p10), ``visiting`` (probability) or ``migration``
        (probability).
    participation
        Share of each cluster's clients that take part in a round, at least one.
    """
    if kind not in DRIFTS:
        raise UserError(f"drift: {kind!r} is unknown; known: {', '.join(DRIFTS)}")
    if rounds < 1:
        raise UserError(f"rounds is {rounds}; it must be at least 1")
    for name, value in parameters.items():
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise UserError(f"drift {kind}: {name} is {value!r}; it must be a probability")
    if kind != "none" and distributions.shape[2] == 0:
        raise UserError(f"drift {kind} needs clusters of labels; here there are none")
    rng = generator(seed, "drift")
    try:
        truth, shares, long_run = DRIFTS[kind](clusters, distributions, rounds, rng, **parameters)
    except TypeError as error:
        raise UserError(f"drift {kind}: {error}") from error
    present = taking_part(truth, participation, generator(seed, "participation"))
    return Schedule(truth, present, shares, long_run)


def stationary(clusters, distributions, rounds, rng):
    """Nothing changes (appendix G.1)."""
    return np.tile(clusters, (rounds, 1)), None, None


def switching(clusters, distributions, rounds, rng, p01, p10):
    """Strategy 1: each cluster switches between two distributions by a Markov chain.

    ``p01`` and ``p10`` are the probabilities to leave states 0 and 1. Chains start in their
    stationary distribution.
    """
    if distributions.shape[1] != 2:
        raise UserError("drift switching needs a partition with two states for each cluster")
    if p01 + p10 == 0:
        raise UserError("drift switching: p01 and p10 are 0; without a switch there is no drift")
    in_1 = p01 / (p01 + p10)
    C = len(distributions)
    state = np.empty((rounds, C), dtype=int)
    state[0] = rng.random(C) < in_1
    for t in range(1, rounds):
        leaves = rng.random(C) < np.where(state[t - 1] == 0, p01, p10)
        state[t] = state[t - 1] ^ leaves
    by_cluster = distributions[np.arange(C), state]
    mixture = (1 - in_1) * distributions[:, 0] + in_1 * distributions[:, 1]
    truth = np.tile(clusters, (rounds, 1))
    return truth, by_cluster[:, clusters], mixture[truth]


def visiting(clusters, distributions, rounds, rng, probability):
    """Strategy 2: a fresh point of the simplex each round; clients visit other clusters for one.

    A visitor's true cluster is the one that it visits: it "moves to a different cluster
    temporarily" (appendix G.2).
    """
    fresh = _points_of_the_simplex(distributions, rounds, rng)
    home = np.tile(clusters, (rounds, 1))
    visits = rng.random(home.shape) < probability
    truth = np.where(visits, _another(home, len(distributions), rng), home)
    return truth, _of_clusters(fresh, truth), distributions.mean(1)[home]


def migration(clusters, distributions, rounds, rng, probability):
    """Strategy 3: like 2, but a client that leaves its cluster joins another one for good."""
    fresh = _points_of_the_simplex(distributions, rounds, rng)
    truth = np.tile(clusters, (rounds, 1))
    moves = rng.random(truth.shape) < probability
    for t in range(1, rounds):
        truth[t] = np.where(moves[t], _another(truth[t - 1], len(distributions), rng), truth[t - 1])
    return truth, _of_clusters(fresh, truth), distributions.mean(1)[truth]


DRIFTS: dict[str, Callable] = {
    "none": stationary,
    "switching": switching,
    "visiting": visiting,
    "migration": migration,
}
"""Kinds of drift: ``(clusters, distributions, T, rng, ...) -> truth, shares, long_run``."""


def taking_part(truth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """``bool [T, K]``: in each round this share of each cluster's clients, drawn at random."""
    if not 0 < share <= 1:
        raise UserError(f"participation is {share}; it must be above 0 and at most 1")
    place = rng.random(truth.shape)
    present = np.empty(truth.shape, dtype=bool)
    for c in range(truth.max() + 1):
        mine = truth == c
        rank = np.where(mine, place, np.inf).argsort(1).argsort(1)
        wanted = np.maximum(1, np.round(share * mine.sum(1)))
        present[mine] = (rank < wanted[:, None])[mine]
    return present


def disjoint_supports(sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """``[C, 1, labels]``: clusters uniform over labels of their own, e.g. 3, 3 and 4 of them."""
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    member = owner == np.arange(len(sizes))[:, None]
    return (member / member.sum(1, keepdims=True))[:, None]


def _points_of_the_simplex(distributions, rounds, rng):
    """``[T, C, labels]`` drawn uniformly over the labels that each cluster has."""
    has = distributions[:, 0] > 0
    point = rng.exponential(size=(rounds, *has.shape)) * has
    return point / point.sum(-1, keepdims=True)


def _another(clusters, C, rng):
    """Another cluster for each entry, all equally likely."""
    return (clusters + rng.integers(1, max(C, 2), clusters.shape)) % C


def _of_clusters(by_cluster, at):
    return np.take_along_axis(by_cluster, at[:, :, None], axis=1)


def draw(
    pools: list[np.ndarray], shares: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw ``n`` samples with labels distributed as ``shares [labels]``.

    No sample is drawn twice as long as its label's pool has enough.
    """
    counts = rng.multinomial(n, shares)
    drawn = [
        rng.choice(pools[label], counts[label], replace=counts[label] > len(pools[label]))
        for label in np.flatnonzero(counts)
    ]
    return np.concatenate(drawn)
