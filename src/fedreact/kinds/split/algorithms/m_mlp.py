"""M-MLP(16,16): two layers of 16, the first of each task, the second on all tasks' first.

Y. Vaizman, N. Weibel, G. Lanckriet (2018), "Context Recognition In-the-Wild", ACM IMWUT 1(4):168,
as the authors of M-Att take it (dissertation, section 3.2.2): layers are applied to each step of a
window, and what the second gives of all steps is flattened.
"""

from dataclasses import dataclass

from fedreact.kinds.split.contract import Algorithm, for_each, together
from fedreact.models.parts import Dense
from fedreact.options import Count


@dataclass(frozen=True)
class MMLP(Algorithm):
    """Two hidden layers with rectifiers.

    Attributes
    ----------
    width
        Units of each layer.
    """

    width: Count = 16

    def client(self, task, n_clients):
        """Both layers, and outputs."""
        return {
            "first": Dense(task.channels, self.width),
            "second": Dense(self.width * n_clients, self.width),
            "out": Dense(self.width * task.steps, task.outputs),
        }

    def up(self, p, x):
        """The first layer at each step ``[K, B, T, width]``."""
        return p.dense("first", x).relu()

    def between(self, p, h):
        """All tasks' side by side."""
        return for_each(together(h), len(h))

    def down(self, p, x, h, a):
        """The second layer at each step, and outputs of all steps."""
        return p.dense("out", p.dense("second", a).relu().flatten(2))


ALGORITHM = MMLP
