"""A ridge regression on MiniRocket features of all clients' samples, without gradient steps.

The features are those of Dempster, Schmidt and Webb 2021 (:mod:`fedreact.models.minirocket`), with
which the paper fits a ridge regression, too. It takes two rounds, and its result is that of the
clients' pooled samples. With x the features of a series of client k, which has n_k,

    q_k = mean over its series of the quantiles of convolutions     client    round 1
    b   = sum_k n_k q_k / sum_k n_k, the thresholds                 server
    m_k, P_k = mean and centred products of (x, y)                  client    round 2
    w   = argmin sum_i (w . s(x_i) - y_i)^2 + penalty |w|^2         server

where s standardises by the mean and spread over all samples, and y is 1 for a label that is true,
else -1. Generalised cross-validation chooses the penalty (:mod:`fedreact.aggregation.moments`).
"""

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.aggregation.moments import Moments, moments, pooled, ridge
from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors
from fedreact.options import Count, Positive
from fedreact.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.models.architectures.contract import Architecture
    from fedreact.models.minirocket import MiniRocket


@dataclass(frozen=True)
class MiniRocketRidge(Algorithm):
    """One ridge regression of all clients.

    Attributes
    ----------
    features
        Features, lowered to a multiple of 84; the paper has about 10,000, whose products are 200 MB
        for each client.
    penalties
        Candidate penalties.
    """

    features: Count = 1000
    penalties: tuple[Positive, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    models: ClassVar[int] = 0
    passes: ClassVar[int] = 1

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse series that are shorter than a kernel."""
        return "MiniRocket's kernels have 9 steps" if task.steps < 9 else None

    def on(self, architecture: "Architecture") -> Self:
        """Return the algorithm on MiniRocket, whatever the architecture of the run is."""
        from fedreact.models.minirocket import MiniRocket

        a = architecture
        return super().on(MiniRocket(a.in_channels, a.length, a.n_out, self.features))

    @property
    def model(self) -> "MiniRocket":
        """Features and the linear layer on them."""
        return self._model

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return thresholds and a linear layer of zeros, and that thresholds are not known."""
        m = self.model.n_features
        return {"theta": theta[:m], "head": theta[m:], "known": np.zeros(1, np.float32)}

    def sent(self, server: Arrays) -> Arrays:
        """Return thresholds, and whether they are known."""
        return {name: server[name] for name in ("theta", "known")}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Compute mean quantiles, or means and products of features."""
        import torch

        if not sent["known"]:
            clients = [self._quantiles(samples, work) for samples in work.clients]
            return {"theta": torch.stack(clients)}, state
        found = [self._moments(sent["theta"], samples, work) for samples in work.clients]
        half = np.triu_indices(self.model.n_features)
        parts = {"theta": [m.x for m in found], "y": [m.y for m in found]}
        parts |= {"xx": [m.xx[half] for m in found], "xy": [m.xy.ravel() for m in found]}
        parts["yy"] = [m.yy for m in found]
        return {n: torch.from_numpy(np.stack(v)).float() for n, v in parts.items()}, state

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average quantiles; in the next round, solve for all samples."""
        if not server["known"]:
            thresholds = weighted_mean(uploads["theta"], self.shares(n_samples))
            return server | {"theta": thresholds, "known": np.ones(1, np.float32)}
        clients = (self._uploaded(uploads, k, n) for k, n in enumerate(n_samples.tolist()))
        return server | {"head": self._solved(reduce(pooled, clients))}

    def _uploaded(self, uploads: Arrays, k: int, n: int) -> Moments:
        """Return the moments that client k with n samples has uploaded."""
        m, of = self.model.n_features, {name: v[k].astype(float) for name, v in uploads.items()}
        xx = np.zeros((m, m))
        xx[np.triu_indices(m)] = of["xx"]
        return Moments(
            n, of["theta"], of["y"], np.triu(xx, 1).T + xx, of["xy"].reshape(m, -1), of["yy"]
        )

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return thresholds and the linear layer."""
        return np.concatenate([server["theta"], server["head"]])[None]

    def zero_shot(self, server: Arrays) -> np.ndarray | None:
        """Return the regression, which is of all clients."""
        return self.personal(server, {})[0]

    def _solved(self, of: Moments) -> np.ndarray:
        """Compute the linear layer ``float32 [c m + c]``."""
        weights, intercepts = ridge(of, self.penalties)
        return np.concatenate([weights.ravel(), intercepts]).astype(np.float32)

    def _quantiles(self, samples: np.ndarray, work: "Work") -> "torch.Tensor":
        """Average quantiles ``[m]`` over a client's series."""
        import torch

        batches = [self.model.quantiles(x).double().sum(0) for x, _ in self._batches(samples, work)]
        return (torch.stack(batches).sum(0) / len(samples)).float()

    def _moments(self, thresholds: "torch.Tensor", samples: np.ndarray, work: "Work") -> Moments:
        """Compute the moments of a client's features and targets."""
        import torch

        theta = thresholds.new_zeros(1, self.model.n_parameters)
        theta[0, : self.model.n_features] = thresholds
        X, Y = [], []
        for x, y in self._batches(samples, work):
            X.append(self.model.encode(theta, x[None])[0].cpu().numpy())
            if y.is_floating_point():
                Y.append(y.reshape(len(y), -1).cpu().numpy())
            else:
                one_hot = y if y.dim() == 2 else torch.nn.functional.one_hot(y, self.model.n_out)
                Y.append(2 * one_hot.double().cpu().numpy() - 1)
        return moments(np.concatenate(X), np.concatenate(Y))

    def _batches(
        self, samples: np.ndarray, work: "Work"
    ) -> "Iterator[tuple[torch.Tensor, torch.Tensor]]":
        """Yield series ``[B, T, C]`` and targets of a client, some at a time."""
        import torch

        from fedreact.models.minirocket import BATCH

        for batch in torch.split(torch.from_numpy(np.ascontiguousarray(samples)), BATCH):
            batch = batch.to(work.data.X.device)
            yield work.data.series(batch), work.data.targets(batch)


ALGORITHM = MiniRocketRidge
