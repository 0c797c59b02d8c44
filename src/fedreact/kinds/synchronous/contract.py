"""The contract of a synchronous federated algorithm: a file here that defines ``ALGORITHM``.

An algorithm is a frozen dataclass below :class:`Algorithm`, whose fields are its options
(:mod:`fedreact.options`). It must define :meth:`Algorithm.local`, and may override the rest. In
each round the server sends something to the clients, they train and upload, and the server
aggregates. What clients and server keep is arrays by name: ``theta`` are the weights that go both
ways, for most all of the model, ``float32 [P]``, or ``[K, P]`` where each client has its own.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.task import Task

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.models.architectures.contract import Architecture, WithFeatures

Arrays = dict[str, np.ndarray]
Tensors = dict[str, "torch.Tensor"]
Weights = Literal["samples", "equal"]


PREPARE = "prepare"
"""Name of what is sent before a test, see :class:`Algorithm`."""

JOIN = "join"
"""Name of what is sent beside the rest to clients that join after the training, in the one round in
which they adapt: most algorithms then train as ever."""


@dataclass(frozen=True)
class Algorithm:
    """Base of synchronous algorithms, whose server is FedAvg's.

    Attributes
    ----------
    models
        Models that a client trains, each by as many steps; or views of each sample that it trains
        one model on.
    passes
        Forward passes of a round over all of a client's samples, beside its training.
    reads_features
        Whether the architecture must say what its features are
        (:class:`fedreact.models.architectures.contract.WithFeatures`).
    prepares
        Whether clients make use of the server's newest model before they are tested. Then
        :meth:`local` is called once more with an array :data:`PREPARE` among what is sent: it
        trains nothing that is uploaded, and what clients keep is used in this test alone.
    role
        Part of the method in a comparison (:data:`fedreact.kinds.contract.Role`).
    weights
        Weights of clients in means of what they upload: their samples, or equal ones. The default
        is that of the method's authors.
    """

    models: ClassVar[int] = 1
    passes: ClassVar[int] = 0
    reads_features: ClassVar[bool] = False
    prepares: ClassVar[bool] = False
    role: ClassVar[str] = "federated"
    weights: Weights = field(default="samples", kw_only=True)
    # An Architecture: types of options are read when the workflow starts, without torch.
    _model: Any = field(default=None, kw_only=True)

    def on(self, architecture: "Architecture") -> Self:
        """Return the algorithm on an architecture of the run, before anything else is asked.

        Raises
        ------
        UserError
            The architecture lacks what the algorithm needs of it.
        """
        if self.reads_features:
            from fedreact.models.architectures.contract import with_features

            architecture = with_features(architecture)
        return replace(self, _model=architecture)

    @property
    def model(self) -> "Architecture":
        """Model that clients train: for most, the architecture that :meth:`on` was given."""
        return self._model

    @staticmethod
    def skip(task: Task) -> str | None:
        """Say why it cannot run on a task; ``None`` if it can."""
        return None

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return what the server keeps before round 1, given the model's first weights ``[P]``.

        Its ``theta`` are those that go both ways, ``[S]``: for most, all of them.
        """
        return {"theta": theta}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return what clients keep before round 1, each ``[K, ...]``; nothing, for most."""
        return {}

    def sent(self, server: Arrays) -> Arrays:
        """Return what each client receives in a round: of what the server keeps, ``theta``."""
        return {"theta": server["theta"]}

    def tested(self, training: "LocalTraining", held: int, new: int) -> int:
        """Count the samples that a client tests the received model on, before it trains.

        They take time and compute on the simulated clock. The client holds ``held`` samples, of
        which ``new`` have arrived since its trip before. None, for most.
        """
        return 0

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train K clients; return their uploads and what they keep, each ``[K, ...]``.

        Among the uploads is ``theta [K, S]``.
        """
        raise NotImplementedError

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Return what the server keeps after a round: the mean of uploads by :attr:`weights`.

        ``uploads`` are arrays ``[n, ...]`` of the clients that trained, ``theta`` among them.
        """
        return server | {"theta": weighted_mean(uploads["theta"], self.shares(n_samples))}

    def shares(self, n_samples: np.ndarray) -> np.ndarray:
        """Return the weights ``[n]`` of clients in a mean, up to a factor."""
        return n_samples if self.weights == "samples" else np.ones_like(n_samples)

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return weights ``[K, P]`` that clients are scored with, or ``[1, P]``: one of all."""
        return server["theta"][None]

    def zero_shot(self, server: Arrays) -> np.ndarray | None:
        """Return weights ``[P]`` for a client that has never trained, or ``None``.

        For most, the model that goes both ways, if it is a whole one.
        """
        theta = server["theta"]
        return theta if len(theta) == self.model.n_parameters else None

    def at_test(self, server: Arrays, state: Arrays) -> Arrays:
        """Return what :meth:`adapt` needs, each ``[K, ...]``: what clients keep."""
        return state

    @property
    def adapts(self) -> bool:
        """Whether clients adapt at test time: whether :meth:`adapt` is overridden."""
        return type(self).adapt is not Algorithm.adapt

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Compute outputs ``[n, c]`` for a client's unlabelled test series.

        Only algorithms that adapt at test time define it.

        Parameters
        ----------
        objective
            What the client's training minimises.
        state
            What :meth:`at_test` gives of that client, each without the axis K, and ``theta [P]``.
        x
            ``[n, T, channels]``, seen in this order, which is drawn from the seed.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class FeatureAlgorithm(Algorithm):
    """Base of algorithms that read the features of the architecture."""

    reads_features: ClassVar[bool] = True

    @property
    def model(self) -> "WithFeatures":
        """Model that clients train, which has features."""
        return self._model


def copies(theta: np.ndarray, n_clients: int) -> np.ndarray:
    """Return weights ``[P]`` for each client, ``[K, P]``."""
    return np.repeat(theta[None], n_clients, axis=0)
