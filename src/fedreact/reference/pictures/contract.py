"""The contract of a picture of the documentation: a file of this folder that defines ``draw``.

``draw(runs)`` takes the kept runs (:class:`KeptRuns`) and returns a matplotlib figure, which ``make
docs`` writes to ``docs/pictures/<name of the file>.png``. A picture shows numbers of kept csv files
and no others. Its title states what is drawn, never a result, so that a new run cannot belie it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fedreact.errors import UserError
from fedreact.reference import store
from fedreact.reference.docs import Reference, Row
from fedreact.reference.keep import RUN


class KeptRun(Reference):
    """A kept run, which remembers the files that a picture read.

    Attributes
    ----------
    read
        Texts of these files, by their names below the folder of the scale.
    """

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.read: dict[str, str] = {}

    def _read(self, path: Path, file: str) -> list[Row]:
        paper = path.relative_to(self.folder).parts[0]
        self.read[f"{paper}/{file}"] = store.text(path, file)
        return super()._read(path, file)

    def lines(self, file: str, **wanted: Any) -> list[Row]:
        """Return the lines of a csv file whose columns have the wanted values.

        Parameters
        ----------
        file
            Below the folder of its paper, e.g. ``tables/table05.csv``.

        Raises
        ------
        UserError
            It is not kept.
        """
        return [line for line in self._rows(file) if wanted.items() <= line.items()]

    def text(self, file: str) -> str:
        """Return the text of a kept file, e.g. ``fed_react/multiverse/asked.json``."""
        path = self.folder / file
        self.read[file] = store.unpacked(path) if path.suffix == ".gz" else path.read_text()
        return self.read[file]


class KeptRuns:
    """The runs kept below a folder with one folder a scale."""

    def __init__(self, references: Path):
        self.references = references
        self._runs: dict[str, KeptRun] = {}

    def papers(self) -> list[str]:
        """Name the papers with a kept run, in the order of the alphabet."""
        return sorted({path.parent.name for path in self.references.glob(f"*/*/{RUN}")})

    def scales(self, paper: str) -> list[str]:
        """Name the scales at which a paper is kept."""
        return sorted(path.parents[1].name for path in self.references.glob(f"*/{paper}/{RUN}"))

    def run(self, paper: str, having: str = "") -> KeptRun:
        """Return the run of a paper that took the most compute, of those that have a file.

        Raises
        ------
        UserError
            None is kept.
        """
        scales = [path.parents[1] for path in self.references.glob(f"*/{paper}/{RUN}")]
        scales = [folder for folder in scales if (folder / paper / having).exists()]
        if not scales:
            missing = self.references / "<scale>" / paper / (having or RUN)
            raise UserError(f"{missing} is not there; `make reference` keeps a run")
        longest = max(scales, key=lambda folder: self._seconds(folder.name, paper))
        return self.at_scale(longest.name)

    def _seconds(self, scale: str, paper: str) -> float:
        """Return the core-seconds of a run."""
        return self.at_scale(scale).run_of(paper)["cpu_seconds"]

    def at_scale(self, scale: str) -> KeptRun:
        """Return the runs of a scale."""
        return self._runs.setdefault(scale, KeptRun(self.references / scale))

    def digest(self, *code: Path) -> str:
        """Return a digest of the files that pictures read and of the code that drew them."""
        digest = hashlib.sha256()
        for path in code:
            digest.update(path.read_bytes() + b"\0")
        read = {
            f"{scale}/{name}": text
            for scale, run in self._runs.items()
            for name, text in run.read.items()
        }
        for name, text in sorted(read.items()):
            digest.update(name.encode() + b"\0" + text.encode())
        return digest.hexdigest()[:16]


def praised(lines: Iterable[Row]) -> str:
    """Return the method that most of these claims praise, without its memory."""
    names = Counter(line["left"] for line in lines if line["left"])
    return names.most_common(1)[0][0].split(" w/")[0]
