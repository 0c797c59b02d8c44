"""What notes need to know beside scores, as the workflow tells the commands that write them.

The module loads fast, since the workflow writes these records.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from fedreact.kinds.contract import Role


@dataclass(frozen=True)
class Comparison:
    """A comparison of methods.

    Attributes
    ----------
    roles
        Part of each method, by its label.
    margins
        The smallest differences that matter, by metric.
    """

    roles: Mapping[str, Role]
    margins: Mapping[str, float]
