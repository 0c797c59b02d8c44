"""FATHOM-ga: without the attention over time (dissertation, section 4.2.1).

What the second LSTM reads in place of the windows weighted over time is not said. By the authors'
public code it is the states of all tasks' first LSTMs, side by side, which the server passes on.
"""

from dataclasses import dataclass
from typing import Literal

from fedreact.kinds.split.algorithms.fathom import Fathom
from fedreact.kinds.split.contract import for_each, together
from fedreact.models.parts import LSTM


@dataclass(frozen=True)
class FathomGA(Fathom):
    """Attention over features alone.

    Attributes
    ----------
    reads
        States that the second LSTM reads: those of all tasks, or its own task's alone (then nothing
        is sent).
    """

    reads: Literal["all", "own"] = "all"

    def of_time(self, task, n_clients):
        """The second LSTM reads states."""
        tasks = n_clients if self.reads == "all" else 1
        second = LSTM(self.hidden * tasks, self.hidden)
        return {**super().of_time(task, n_clients), "second": second}

    def server(self, task, n_clients):
        """None: it puts states side by side."""
        return {}

    @property
    def alone(self):
        """Whether tasks see nothing of each other."""
        return self.reads == "own"

    def between(self, p, h):
        """All states ``[K, B, T, K hidden]``."""
        return for_each(together(h), len(h))

    def down(self, p, x, h, a):
        """Eqs. 4.15 to 4.17 on states."""
        return self.outputs(p, self.up(p, x) if self.reads == "own" else a)


ALGORITHM = FathomGA
