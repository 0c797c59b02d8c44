"""Where each file of a run lies, below ``results/<scale>/``.

A setting, encoder, partition, dataset or job that is as its paper and scale have it gives its name
to a folder. One with changes has its name and a digest of them: ``stationary10-1c9d0f22``. The file
``index.csv`` of the scale says what each digest stands for.
"""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from fedreact.atomic import write_text
from fedreact.tables.files import ON

SUFFIXES = {"tables": (".csv", ".tex", ".md"), "figures": (".pdf", ".png")}
"""The forms that tables and figures are written in."""

INDEX = "index.csv"
DIGEST = "-[0-9a-f]{8}$"


def folder_of(name: str) -> str:
    """Folder of what has a name: with a digest in place of changes, in whatever order they are."""
    base, *changes = name.split("+")
    if not changes:
        return name
    return f"{base}-{sha256('+'.join(sorted(changes)).encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Files:
    """Paths of the files of one scale.

    Attributes
    ----------
    results
        Folder of the scale.
    on
        Which data of a user's choice tables and figures are of, if it is not what is taken by
        itself: those of different data lie beside each other.
    names
        Name with its changes, by folder with a digest, of all that was asked for.
    """

    results: str
    on: str = ""
    names: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def outputs(self) -> str:
        """Folder of what people read: tables, figures, claims, the report."""
        return f"{self.results}/{ON}/{self.on}" if self.on else self.results

    def folder(self, name: str) -> str:
        """Folder of what has a name, with changes or without."""
        folder = folder_of(name)
        if folder != name:
            self.names[folder] = name
        return folder

    def name(self, folder: str) -> str:
        """Name of what has a folder, with its changes; the folder itself, if nothing is known."""
        if re.search(DIGEST, folder) and folder not in self.names:
            self._read_index()
        return self.names.get(folder, folder)

    def _read_index(self) -> None:
        if (index := Path(self.results, INDEX)).is_file():
            with index.open(newline="") as file:
                for line in csv.DictReader(file):
                    self.names.setdefault(line["folder"], line["name"])

    def write_index(self) -> None:
        """Write what each digest stands for, those of earlier configurations too."""
        self._read_index()
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerows([("folder", "name"), *sorted(self.names.items())])
        write_text(Path(self.results, INDEX), text.getvalue())

    def dataset(self, name: str) -> str:
        """A dataset."""
        return f"{self.results}/data/{self.folder(name)}.npz"

    def part(self, dataset: str, part: str) -> str:
        """A part of a dataset, where it is made in parts."""
        return f"{self.results}/parts/{self.folder(dataset)}/{part}.npz"

    def partition(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Clients and their samples."""
        return self._of_seed("partitions", paper, dataset, name, seed)

    def encoder(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Weights of an encoder."""
        return self._of_seed("encoders", paper, dataset, name, seed)

    def features(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Features of all series under an encoder."""
        return self._of_seed("features", paper, dataset, name, seed)

    def _of_seed(self, what: str, paper: str, dataset: str, name: str, seed: int | str) -> str:
        folder = f"{self.results}/{what}/{paper}/{self.folder(dataset)}/{self.folder(name)}"
        return f"{folder}/seed{seed}.npz"

    def run(self, kind: str, paper: str, dataset: str, setting: str, job: str) -> str:
        """Folder of a job's scores, a file a seed."""
        folders = "/".join(map(self.folder, (dataset, setting, job)))
        return f"{self.results}/runs/{kind}/{paper}/{folders}"

    def checkpoint(self, *parts: str) -> str:
        """What a training keeps until it is done; ``of`` what, its seed and its code."""
        *path, seed, code = parts
        folders = "/".join(map(self.folder, path))
        return f"{self.results}/checkpoints/{folders}/seed{seed}-{code}.npz"

    def universes(self, paper: str, view: str, setting: str, part: int | str) -> str:
        """Scores of some universes of a setting."""
        return f"{self.results}/multiverse/{paper}/{view}/{setting}/part{part}.csv"

    def study(self, name: str) -> str:
        """What a study found for a table or figure."""
        return f"{self.results}/studies/{name}.csv"

    def table(self, name: str) -> list[str]:
        """The forms of a table."""
        return [f"{self.outputs}/tables/{name}{suffix}" for suffix in SUFFIXES["tables"]]

    def figure(self, name: str) -> list[str]:
        """The forms of a figure."""
        return [f"{self.outputs}/figures/{name}{suffix}" for suffix in SUFFIXES["figures"]]

    def page(self, paper: str) -> str:
        """The page of a result on a user's own data."""
        return f"{self.outputs}/{paper}.html"

    def claims(self, papers: Iterable[str]) -> list[str]:
        """What was judged of the claims of papers."""
        return [f"{self.outputs}/claims/{paper}.csv" for paper in papers]

    def summary(self, what: str, paper: str) -> list[str]:
        """What a search or the ledger of a paper found."""
        return [f"{self.outputs}/{what}/{paper}{suffix}" for suffix in (".csv", ".md")]
