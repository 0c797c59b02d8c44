"""npz files with the arrays of docs/howto/own_data.md, which are cut already."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact import npz
from fedreact.data import own
from fedreact.io.contract import Reader


@dataclass(frozen=True)
class Npz(Reader):
    """Arrays X, y, client and so on, as numpy.savez writes them."""

    SUFFIXES: ClassVar[tuple[str, ...]] = (".npz",)
    TITLE: ClassVar[str] = "npz with X, y, client, ..."

    def read(self, source: str) -> dict[str, np.ndarray]:
        """Read the arrays."""
        return npz.load(Path(source), "dataset of yours", ["y"], own.MEND)


READER = Npz
