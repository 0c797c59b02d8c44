"""M-CNN/LSTM of the authors' public code ("Model2"), which differs from the text.

Two convolutions and an LSTM a task, whose last states share a layer as in M-LSTM. With K = 12 tasks
of ExtraSensory it has the 5,591,460 weights that the repository of M-Att lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fedreact.kinds.split.algorithms.m_lstm import SharedLayer
from fedreact.options import Sizes


@dataclass(frozen=True)
class MCNNLSTMCode(SharedLayer):
    """Convolutions and an LSTM a task, and a layer for all.

    Attributes
    ----------
    filters, lengths
        Filters and lengths of the successive convolutions.
    """

    filters: Sizes = (128, 64)
    lengths: Sizes = (8, 4)

    def convolutions(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return filters and lengths of the convolutions before the LSTM."""
        return self.filters, self.lengths


ALGORITHM = MCNNLSTMCode
