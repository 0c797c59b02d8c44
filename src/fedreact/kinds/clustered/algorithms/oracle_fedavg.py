"""FedAvg within the true clusters, a baseline."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fedreact.errors import UserError
from fedreact.kinds.clustered.algorithms.ifca import IFCA, IFCAState
from fedreact.kinds.clustered.contract import Uploads


@dataclass(frozen=True)
class OracleFedAvg(IFCA):
    """IFCA whose clients know their true cluster."""

    knows_truth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.memberships > 1:
            raise UserError("oracle-fedavg: memberships: every client has one true cluster")

    def init(self, n_clients: int, shape: tuple[int, int]) -> IFCAState:
        """Draw models of the true clusters, whatever ``n_clusters`` is."""
        true = replace(self.setting, n_clusters=int(self.setting.known_truth.max()) + 1)
        return IFCA.init(replace(self, setting=true), n_clients, shape)

    def choose(self, models: np.ndarray, uploads: Uploads, n: int) -> np.ndarray:
        """Return the true clusters ``int [K, 1]``."""
        return self.setting.known_truth[uploads.t - 1][:, None]


ALGORITHM = OracleFedAvg
