"""Windows of long recordings, cut when they are read.

24 people x 2,980 windows of 20 minutes x 276 numbers are 1.6 GB if each window is written out, and
a twentieth of that as what they are cut from.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


class Windows:
    """N windows of T steps, each a stretch of one array of steps.

    Indexed like the array ``[N, T, channels]`` that it stands for. Its arrays are numpy's or
    torch's, which share no type.

    Attributes
    ----------
    values
        ``[R, channels]``: the recordings, one after the other.
    starts
        ``int64 [N]``: first step of each window.
    length
        T.
    """

    def __init__(self, values: Any, starts: Any, length: int):
        self.values, self.starts, self.length = values, starts, length

    @property
    def shape(self) -> tuple[int, int, int]:
        """``(N, T, channels)``."""
        return len(self.starts), self.length, self.values.shape[1]

    @property
    def device(self) -> Any:
        """Where the recordings lie, if they are tensors."""
        return self.values.device

    def tensors(self, place: Callable[[Any], Any]) -> "Windows":
        """Return the same windows as tensors; ``place`` puts each tensor on its device."""
        import torch

        values, starts = (place(torch.from_numpy(array)) for array in (self.values, self.starts))
        return Windows(values, starts, self.length)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: Any) -> Any:
        """Return windows ``[..., T, channels]`` of indices ``[...]``, or steps of windows.

        ``windows[series, step]`` gives ``[..., channels]``, for integer arrays of one shape, steps
        from 0 to T - 1.
        """
        if isinstance(index, tuple):
            series, step = index
            return self.values[self.starts[series] + step]
        first = self.starts[index]
        return self.values[first[..., None] + self._steps(first)]

    def _steps(self, like: Any) -> Any:
        """Return steps 0 to T - 1, as an array of the same library as ``like``."""
        if isinstance(like, np.ndarray | np.generic):
            return np.arange(self.length)
        import torch  # the index is a tensor, so torch is loaded

        return torch.arange(self.length, device=like.device)
