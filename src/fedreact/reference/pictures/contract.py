"""The contract of a picture of the documentation: a file of this folder that defines ``draw``.

``draw(kept)`` takes what is kept (:class:`Kept`) and returns a matplotlib figure, which ``make
docs`` writes to ``docs/pictures/<name of the file>.png``. A picture shows numbers of kept csv files
and no others. Its title states what is drawn, never a result, so that a new run cannot belie it.
"""

import hashlib
from pathlib import Path
from typing import Any

from fedreact.errors import UserError
from fedreact.reference import store
from fedreact.reference.docs import Reference
from fedreact.reference.keep import RUN


class Run(Reference):
    """A kept run, which remembers the csv that were asked for.

    Attributes
    ----------
    read
        Their texts, by their names below the folder of the scale.
    """

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.read: dict[str, str] = {}

    def _read(self, file: str) -> list[dict[str, Any]]:
        """Read a csv file, and remember its text."""
        lines = super()._read(file)
        path = store.where(self.folder, file)
        if path is not None:
            paper = path.relative_to(self.folder).parts[0]
            self.read[f"{paper}/{file}"] = store.text(path, file)
        return lines

    def lines(self, file: str, **wanted: Any) -> list[dict[str, Any]]:
        """Give the lines of a csv file whose columns have the wanted values.

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
        """Give a kept file, e.g. ``fed_react/multiverse/asked.json``, uncompressed."""
        path = self.folder / file
        self.read[file] = store.unpacked(path) if path.suffix == ".gz" else path.read_text()
        return self.read[file]


class Kept:
    """The runs kept below a folder with one folder a scale."""

    def __init__(self, references: Path):
        self.references = references
        self._runs: dict[str, Run] = {}

    def papers(self) -> list[str]:
        """Name the papers with a kept run, in the order of the alphabet."""
        return sorted({path.parent.name for path in self.references.glob(f"*/*/{RUN}")})

    def scales(self, paper: str) -> list[str]:
        """Name the scales at which a paper is kept."""
        return sorted(path.parents[1].name for path in self.references.glob(f"*/{paper}/{RUN}"))

    def run(self, paper: str, having: str = "") -> Run:
        """Give the run of a paper that took the most compute, of those that have a file.

        Raises
        ------
        UserError
            None is kept.
        """
        there = [path.parents[1] for path in self.references.glob(f"*/{paper}/{RUN}")]
        there = [folder for folder in there if (folder / paper / having).exists()]
        if not there:
            missing = self.references / "<scale>" / paper / (having or RUN)
            raise UserError(f"{missing} is not there; `make reference` keeps a run")
        longest = max(there, key=lambda folder: self.at(folder.name).run_of(paper)["cpu_seconds"])
        return self.at(longest.name)

    def at(self, scale: str) -> Run:
        """Give the runs of a scale."""
        return self._runs.setdefault(scale, Run(self.references / scale))

    def digest(self, *code: Path) -> str:
        """Digest the csv that were asked for and the code that drew them."""
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
