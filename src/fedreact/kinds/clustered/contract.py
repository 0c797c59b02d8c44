"""The contract of a clustered algorithm: a file of this folder that defines ``ALGORITHM``.

``ALGORITHM(setting, **options)`` makes a small object: ``init`` gives its state before round 1,
``round(state, uploads)`` the state after the round, the task model that each client holds, and the
clusters. Best it is a frozen dataclass whose first field is ``setting`` and whose others are its
options (:mod:`fedreact.options`), so that they are checked before anything runs. It may leave out
all but these two methods, and need not inherit anything.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from fedreact.clustering.hierarchical import Linkage
from fedreact.errors import UserError
from fedreact.task import Task


class ClientSide(Protocol):
    """Requests of a server to the clients of a round; it never sees their samples.

    Models are flat: ``P = c (D + 1)`` weights, output by output, intercept last.
    """

    def losses(self, models: np.ndarray) -> np.ndarray:
        """Compute the mean loss ``[K, M]`` of models ``[M, P]`` on each client's samples."""

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        """Train models ``[K, P]`` by steps of gradient descent from ``start [K, P]``."""


@dataclass(frozen=True, eq=False)
class Uploads:
    """Input of the server in one round.

    Attributes
    ----------
    t
        The round, from 1.
    last
        Whether it is the last one.
    models
        ``[K, P]`` task models, fitted on the clients' samples of this round. Rows of clients that
        do not take part mean nothing. On real devices they are asked for when an algorithm reads
        them, so one whose clients train the models that they receive does not read them.
    n_samples
        ``[K]`` samples each was fitted on.
    present
        ``bool [K]``: clients that take part in this round, at least one.
    clients
        The client side, for algorithms in which the server sends models before local training. It
        answers for all K; answers of clients that do not take part mean nothing.
    """

    t: int
    last: bool
    models: np.ndarray
    n_samples: np.ndarray
    present: np.ndarray
    clients: ClientSide

    def after(
        self, start: np.ndarray, local: "LocalWork", learning_rate: float, steps: int
    ) -> np.ndarray:
        """Return the models ``[K, P]`` after the clients' work of this round.

        Exact fits (``fit``), whatever model they receive, or ``steps`` of gradient descent from the
        models ``start [K, P]`` that they receive (``descent``).
        """
        if local == "fit":
            return self.models
        return self.clients.train(start, learning_rate, steps)


LocalWork = Literal["fit", "descent"]
"""Work of a client in a round: an exact fit to its samples, or steps of gradient descent."""


class Algorithm(Protocol):
    """A clustered algorithm.

    It may also have ``skip(task: Task) -> str | None``, a static method that says why it cannot run
    on a task, and ``None`` if it can; and it may be a :class:`CountsTraffic`. A reference that
    looks at the true clusters (``setting.truth``) has ``knows_truth = True``; the contract tests
    hold that no other does. One in which clients have places, as in a graph, has
    ``has_places = True``; the results of all others are the same if clients are renumbered.
    """

    def init(self, n_clients: int, shape: tuple[int, int]) -> Any:
        """Make the state before round 1, for K clients and models of ``shape = (c, D + 1)``."""

    def round(self, state: Any, uploads: Uploads) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Return the state after the round, the clients' models ``[K, P]``, and labels ``[K]``.

        The state is not changed in place. Labels are ``None`` if clients are not in one cluster
        each. Rows of clients that have never taken part mean nothing; labels there are -1.
        """


@runtime_checkable
class CountsTraffic(Protocol):
    """An algorithm whose clients do not receive and upload one task model each in a round."""

    def traffic(self) -> tuple[int, int]:
        """Count the task models that a client receives and uploads in a round."""


def only_classification(task: Task) -> str | None:
    """Say why an algorithm whose clients train SVMs by gradient descent cannot run on a task."""
    if task.kind == "regression":
        return "its clients train classifiers"
    return None


@dataclass(frozen=True)
class Setting:
    """Options that the algorithms of one run have in common; the ledger has the choices.

    Attributes
    ----------
    n_clusters
        C, taken as known (arXiv, appendix E).
    seed
        Seed of random cluster models.
    truth
        ``int [T, K]``: each client's true cluster in each round; only reference methods look.
    linkage
        Linkage of the agglomerative clustering; see
        :func:`fedreact.clustering.hierarchical.agglomerative`.
    iterations
        AFFECT iterations per round (appendix C: 5).
    start
        The smoothed similarities before round 1: ``zeros`` (section 2: W_0 = 0) or ``first``
        (those of round 1).
    first_alpha
        Forgetting factor of AFFECT's first iteration in a round: that of the round before
        (``before``) or ``zero``.
    send
        When clients receive an estimate with memory: ``always``, or ``unchanged`` (Algorithm 2,
        line 10: if the cluster has the members of the round before, or in the last round).
    unsent
        Model of a client that receives nothing: its last received one (``kept``) or the one that it
        fitted in this round (``own``).
    identity
        Owner of the memory that is carried over rounds: ``cluster`` (clusters are matched over the
        rounds by the overlap of their members) or ``client`` (each client remembers the cluster
        models that it met).
    """

    n_clusters: int
    seed: int = 0
    truth: np.ndarray | None = None
    linkage: Linkage = "ward"
    iterations: int = 5
    start: Literal["zeros", "first"] = "zeros"
    first_alpha: Literal["before", "zero"] = "before"
    send: Literal["always", "unchanged"] = "always"
    unsent: Literal["kept", "own"] = "kept"
    identity: Literal["cluster", "client"] = "cluster"

    def __post_init__(self) -> None:
        if self.n_clusters < 1:
            raise UserError(f"{self.n_clusters} clusters; at least one is needed")

    @property
    def known_truth(self) -> np.ndarray:
        """True clusters ``int [T, K]``.

        Raises
        ------
        UserError
            They are not known.
        """
        if self.truth is None:
            raise UserError("this method needs the true clusters, which are not known")
        return self.truth
