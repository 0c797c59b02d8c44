"""Fixed positions of the steps of a series."""

from functools import lru_cache
from math import log

import torch


@lru_cache(maxsize=32)
def sinusoids(length: int, width: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return positions ``[length, width]``: sine in even, cosine in odd columns (Vaswani 2017)."""
    rate = torch.exp(torch.arange(0, width, 2) * (-log(10_000) / width))
    angle = torch.arange(length)[:, None] * rate
    both = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :width]
    return both.to(device, dtype)
