"""Losses of tasks that are learnt side by side (chapters 3 and 4 of Y. Chen's dissertation)."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, logsigmoid

from fedreact.task import Kind


@dataclass(frozen=True)
class LossOfTasks:
    """Predictions from a model's outputs ``z``, and their loss.

    Attributes
    ----------
    kind
        Kind of the task.
    labels
        Loss of several labels that may be true. ``normalised``: p = sigmoid(z) over the sum of all
        labels' p, and -sum_m q_m log p_m with q = (1 - smoothing) y + smoothing / M. This is eq.
        4.1 with the logarithm that its second part lacks, and Keras's categorical cross-entropy on
        sigmoid outputs. ``binary``: the mean of each label's own cross-entropy.
    smoothing
        Label smoothing of ``normalised``.
    bounded
        Whether predicted numbers are sigmoid(z), of targets scaled to [0, 1]; else z.
    """

    kind: Kind
    labels: Literal["normalised", "binary"] = "normalised"
    smoothing: float = 0.0
    bounded: bool = True

    def predicted(self, z: torch.Tensor) -> torch.Tensor:
        """Return scores of labels, true if above 0 (p above 1/2 before division), or numbers."""
        return z.sigmoid() if self.kind == "regression" and self.bounded else z

    def __call__(self, z: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Compute the losses ``[K, B]`` of outputs ``z [K, B, M]``.

        ``y`` are labels ``[K, B]``, truth values of labels ``[K, B, M]``, or scaled targets. The
        loss of targets is the absolute error (eq. 2.9), its mean over targets.
        """
        if self.kind == "regression":
            return (self.predicted(z) - y).abs().mean(2)
        if self.kind == "classification":
            return cross_entropy(z.flatten(0, 1), y.flatten(), reduction="none").view(y.shape)
        y = y.to(z.dtype)
        if self.labels == "binary":
            return binary_cross_entropy_with_logits(z, y, reduction="none").mean(2)
        logs = logsigmoid(z)
        logs = logs - logs.logsumexp(2, keepdim=True)
        q = (1 - self.smoothing) * y + self.smoothing / z.shape[2]
        return -(q * logs).sum(2)
