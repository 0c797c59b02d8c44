"""Local-S (section 5.3.1): every client trains alone on its data, at its own pace."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.alone import Alone
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm


@dataclass(frozen=True)
class LocalS(Algorithm):
    """No model travels."""

    role: ClassVar[str] = "alone"
    travels: ClassVar[bool] = False

    def client(self) -> ClientAlgorithm:
        """Return clients that train alone."""
        return Alone()


ALGORITHM = LocalS
