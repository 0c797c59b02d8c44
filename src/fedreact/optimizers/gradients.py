"""Gradients of weights, as optimisers read them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch


def gradients(weights: "list[torch.Tensor]") -> "list[torch.Tensor]":
    """Return the gradient of each tensor, of the tensor's shape.

    Raises
    ------
    ValueError
        A tensor has no gradient.
    """
    present = [w.grad for w in weights if w.grad is not None]
    if len(present) < len(weights):
        raise ValueError("an optimiser needs a gradient of each of its weights")
    return present
