"""FedST (Wu, Wang, Zhang, Fang and Bu 2024): two views, orthogonal features, adaption at test time.

"Spatio-temporal Heterogeneous Federated Learning for Time Series Classification with Multi-view
Orthogonal Training", ACM Multimedia. It has no pseudo-code; sections and equations are named where
they are followed, and what it leaves open is argued in config/papers/fedst/ledger.yaml.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared
from fedreact.kinds.synchronous.algorithms.prototypes import class_means, merge
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import Count, Natural, NonNegative, Positive, Probability
from fedreact.task import Task

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.models.architectures.contract import Architecture
    from fedreact.models.two_views import TwoViews


@dataclass(frozen=True)
class FedST(PartlyShared):
    """Clients share a classifier and prototypes, and keep encoders and projectors.

    Attributes
    ----------
    lam, lam_1, lam_2
        Weights of the orthogonal losses, of L_dol, and of L_vol and L_pol (eqs. 13 and 15).
    tau
        Temperature of L_vol (eq. 10).
    warm_up
        Rounds of cross-entropy alone, before prototypes are used.
    views
        Views: both, or time alone.
    spectrum
        Frequency view: amplitudes |X[k]| / T of half the frequencies, log(1 + |X[k]|), or
        amplitudes of all T.
    classifier
        Tested classifier: the mean of all, or the one that the client has trained.
    adaption
        Whether encoders and projectors are adapted at test time (section 4.4).
    nearest
        Pseudo-label: the most aligned prototype, as eq. 12 trains it, or the least aligned one, as
        eq. 17 is printed.
    adaption_rate, adaption_steps, adaption_batch
        Learning rate, steps and batch size of the adaption at test time.
    renewal
        Share of new data in prototypes at test time.
    """

    lam: NonNegative = 1.0
    lam_1: NonNegative = 1.0
    lam_2: NonNegative = 1.0
    tau: Positive = 1.0
    warm_up: Natural = 1
    views: Literal["both", "time"] = "both"
    spectrum: Literal["amplitude", "log", "full"] = "amplitude"
    classifier: Literal["mean", "own"] = "mean"
    adaption: bool = True
    nearest: Literal["argmax", "argmin"] = "argmax"
    adaption_rate: NonNegative = 1e-2
    adaption_steps: Count = 1
    adaption_batch: Count = 128
    renewal: Probability = 0.1
    passes: ClassVar[int] = 1

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse tasks without labels, which prototypes are of."""
        return None if task.kind == "classification" else "its prototypes are of labels"

    def on(self, architecture: "Architecture") -> Self:
        """Return the algorithm on a model whose encoders of both views are of the architecture."""
        from fedreact.models.architectures.contract import with_features
        from fedreact.models.two_views import FREQUENCY, TIME, TwoViews

        views = (TIME, FREQUENCY) if self.views == "both" else (TIME,)
        return super().on(TwoViews(with_features(architecture), views, spectrum=self.spectrum))

    @property
    def model(self) -> "TwoViews":
        """Encoders and projectors of the views, and the classifier."""
        return self._model

    @property
    def shared(self) -> "torch.Tensor":
        """Places of theta_cls; clients start from the same encoders, so prototypes are alike."""
        return self.model.part("head.")

    # --- Training (sections 4.2 and 4.3)

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the classifier, prototypes of which none is known, and rounds so far."""
        model = self.model
        shape = (len(model.views), model.n_out, model.base.n_features)
        return super().server(theta, n_clients) | {
            "prototypes": np.zeros(shape, np.float32),
            "known": np.zeros(model.n_out, np.float32),
            "rounds": np.zeros(1, np.float32),
        }

    def sent(self, server: Arrays) -> Arrays:
        """Return the classifier and prototypes p_c^v, which are unknown while clients warm up."""
        known = server["known"] * (server["rounds"][0] >= self.warm_up)
        return {name: server[name] for name in ("theta", "prototypes")} | {"known": known}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train on eq. 15, then average features of each class (eq. 6)."""
        from fedreact.losses.orthogonal import OrthogonalLoss

        loss = OrthogonalLoss(self.model, "classification", self.lam, self.lam_1, self.lam_2)
        loss = replace(loss, tau=self.tau, prototypes=sent["prototypes"], known=sent["known"])
        uploads, state = super().local(replace(training, objective=loss), sent, state, work)
        means, counts = class_means(self._features, state["own"], work, self.model.n_out)
        return uploads | {"prototypes": means, "counts": counts}, state

    def _features(self, theta: "torch.Tensor", x: "torch.Tensor") -> "torch.Tensor":
        """Compute features of all views, ``[K, V, B, m]``."""
        import torch

        return torch.stack(self.model.encode_views(theta, x), 1)

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average by |D_k| (eqs. 7, 16), or equally; prototypes over clients with the class."""
        shares = self.shares(n_samples)
        has = shares[:, None] * (uploads["counts"] > 0)
        prototypes, known = merge(server["prototypes"], uploads["prototypes"], has)
        return {
            "theta": weighted_mean(uploads["theta"], shares),
            "prototypes": prototypes,
            "known": np.maximum(server["known"], known),
            "rounds": server["rounds"] + 1,
        }

    # --- Test (section 4.4)

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return clients' own encoders, with either classifier."""
        return state["own"] if self.classifier == "own" else super().personal(server, state)

    def at_test(self, server: Arrays, state: Arrays) -> Arrays:
        """Return the global prototypes, and which are known."""
        K = len(state["own"])
        return {n: np.repeat(server[n][None], K, axis=0) for n in ("prototypes", "known")}

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Predict batches in order, each after steps on the loss of eq. 18."""
        import torch

        from fedreact.engine.local_training import backpropagate

        model, theta, known = self.model, state["theta"][None].clone(), state["known"]
        prototypes, outputs = state["prototypes"].clone(), []
        if not self.adaption or not known.any():
            with torch.inference_mode():
                return model.forward(theta, x[None])[0]
        moved = torch.ones_like(theta, dtype=torch.bool)
        moved[:, self.shared] = False  # theta_cls stays
        for batch in torch.split(x, self.adaption_batch):
            for _ in range(self.adaption_steps):
                leaf = theta.detach().requires_grad_()
                gradient = backpropagate(self.test_loss(leaf, prototypes, known, batch), leaf)
                theta = theta - self.adaption_rate * gradient * moved
            with torch.no_grad():
                z = torch.stack(model.encode_views(theta, batch[None]), 1)
                logits = model.head(theta, torch.cat(list(z.unbind(1)), -1))[0]
                outputs.append(logits)
                for v, q in enumerate(self.pseudo_labels(theta, prototypes, known, z)):
                    for label in torch.unique(q.argmax(-1)):
                        new = z[0, v, q.argmax(-1) == label].mean(0)
                        prototypes[v, label] = torch.lerp(prototypes[v, label], new, self.renewal)
        return torch.cat(outputs)

    def pseudo_labels(
        self,
        theta: "torch.Tensor",
        prototypes: "torch.Tensor",
        known: "torch.Tensor",
        z: "torch.Tensor",
    ) -> "list[torch.Tensor]":
        """Compute distributions y^ ``[B, C]`` of each view: softmax of |h^s . P~_c^s| (eq. 17).

        ``theta [1, P]``, ``prototypes [V, C, m]``, ``known [C]``, features ``z [1, V, B, m]``.
        """
        import torch

        distributions = []
        for v, view in enumerate(self.model.views):
            h, p = z[:, v], prototypes[None, v]
            if self.lam > 0:  # else projectors are not trained
                h, p = (self.model.project(theta, view, features)[0] for features in (h, p))
            h, p = (torch.nn.functional.normalize(features, dim=-1) for features in (h, p))
            aligned = (h @ p.mT).abs()[0]
            aligned = aligned if self.nearest == "argmax" else -aligned
            distributions.append(aligned.masked_fill(known == 0, float("-inf")).softmax(-1))
        return distributions

    def test_loss(
        self,
        theta: "torch.Tensor",
        prototypes: "torch.Tensor",
        known: "torch.Tensor",
        x: "torch.Tensor",
    ) -> "torch.Tensor":
        """Compute L_poa of both views (eq. 18): - softmax(p) log y^, mean over ``x [B, T, C]``."""
        import torch

        z = self.model.encode_views(theta, x[None])
        p = self.model.head(theta, torch.cat(z, -1))[0].softmax(-1)
        labels = self.pseudo_labels(theta, prototypes, known, torch.stack(z, 1))
        terms = [(p * q.clamp(min=1e-30).log())[:, known > 0].sum(-1).mean() for q in labels]
        return -torch.stack(terms).sum()


ALGORITHM = FedST
