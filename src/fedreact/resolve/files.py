"""Where each file of a run lies, below ``results/<scale>/``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {"tables": (".csv", ".tex", ".md"), "figures": (".pdf", ".png")}
ORIGINS = ".provenance.json"
"""Suffix of a table's origins (:mod:`fedreact.tables.origins`), beside its csv."""
"""The forms that tables and figures are written in."""

ON = "on"


def results_of(output: Path) -> Path:
    """Folder of the scale of a table or figure."""
    above = output.parent.parent
    return above.parent.parent if above.parent.name == ON else above


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
    """

    results: str
    on: str = ""

    @property
    def outputs(self) -> str:
        """Folder of what people read: tables, figures, claims, the report."""
        return f"{self.results}/{ON}/{self.on}" if self.on else self.results

    def dataset(self, name: str) -> str:
        """A dataset."""
        return f"{self.results}/data/{name}.npz"

    def part(self, dataset: str, part: str) -> str:
        """A part of a dataset, where it is made in parts."""
        return f"{self.results}/parts/{dataset}/{part}.npz"

    def partition(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Clients and their samples."""
        return f"{self.results}/partitions/{paper}/{dataset}/{name}/seed{seed}.npz"

    def encoder(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Weights of an encoder."""
        return f"{self.results}/encoders/{paper}/{dataset}/{name}/seed{seed}.npz"

    def features(self, paper: str, dataset: str, name: str, seed: int | str) -> str:
        """Features of all series under an encoder."""
        return f"{self.results}/features/{paper}/{dataset}/{name}/seed{seed}.npz"

    def run(self, kind: str, paper: str, dataset: str, setting: str, job: str) -> str:
        """Folder of a job's scores, a file a seed."""
        return f"{self.results}/runs/{kind}/{paper}/{dataset}/{setting}/{job}"

    def checkpoint(self, *of: str) -> str:
        """What a training keeps until it is done; ``of`` what, its seed and its code."""
        *path, seed, code = of
        return f"{self.results}/checkpoints/{'/'.join(path)}/seed{seed}-{code}.npz"

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

    def claims(self, papers: Iterable[str]) -> list[str]:
        """What was judged of the claims of papers."""
        return [f"{self.outputs}/claims/{paper}.csv" for paper in papers]

    def summary(self, what: str, paper: str) -> list[str]:
        """What a search or the ledger of a paper found."""
        return [f"{self.outputs}/{what}/{paper}{suffix}" for suffix in (".csv", ".md")]
