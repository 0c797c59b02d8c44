"""FedAvg of one task model, trained by gradient descent (McMahan et al. 2017), a baseline."""

from dataclasses import dataclass, replace

from fedreact.kinds.clustered.algorithms.ifca import IFCA


@dataclass(frozen=True)
class FedAvg(IFCA):
    """IFCA with one cluster."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "setting", replace(self.setting, n_clusters=1))


ALGORITHM = FedAvg
