"""What figures are made from, beside the scores of their cells."""

from collections.abc import Callable

from fedreact.errors import UserError, unknown
from fedreact.resolve.experiments import Experiments


class FigureInputs:
    """Files that a figure asks for; implements :class:`fedreact.figures.contract.Ask`.

    Parameters
    ----------
    experiments, paper
        All papers, and the one whose figure it is.
    missing, datasets_of
        Why a table cannot be made here, and which datasets it shows, by its target.

    Attributes
    ----------
    data
        Datasets that were asked for.
    files
        Files that the figure is made from; set by who asks the figure.
    """

    def __init__(
        self,
        experiments: Experiments,
        paper: str,
        missing: Callable[[str], str | None],
        datasets_of: Callable[[str], list[str]],
    ):
        self.experiments, self.paper = experiments, paper
        self.datasets, self.settings = experiments.datasets, experiments.settings
        self.data: list[str] = []
        self.files: list[str] = []
        self._missing, self._datasets_of = missing, datasets_of
        self._data_of: dict[str, str] = {}
        self._empty: set[str] = set()

    def table(self, name: str) -> str:
        """The csv file of a table of the same paper."""
        tables = self.experiments.tables
        targets = [one for one, place in tables.items() if place == (self.paper, name)]
        if not targets:
            known = [one for paper, one in tables.values() if paper == self.paper]
            raise UserError(f"{self.paper}: table {unknown(name, known)}")
        (target,) = targets
        (csv,) = (path for path in self.experiments.files.table(target) if path.endswith(".csv"))
        if self._missing(target):
            self._empty.add(csv)
            first = next(iter(self.experiments.cells(self.paper).table(name).values()))
            self._data_of[csv] = self._note(first.data)
        else:
            self.data += self._datasets_of(target)
        return csv

    def run(self, kind: str, setting: str) -> list[str]:
        """Files of a kind of run that has no methods, over all seeds."""
        settings = self.settings
        partition = settings.partition_of(self.paper, setting, {})
        data = self._note(settings.dataset(*partition))
        settings.run(self.paper, kind, setting, {})  # which must be possible
        name = settings.canonical(self.paper, kind, setting, {})
        folder = self.experiments.files.run(kind, self.paper, data, name, "all")
        seeds = self.experiments.seeds(self.paper, kind, setting)
        files = [f"{folder}/seed{seed}.csv" for seed in seeds]
        self._data_of |= dict.fromkeys(files, data)
        return files

    def there(self, files: list[str]) -> list[str]:
        """Files without those that cannot be made, if some other can."""
        missing = {name: self.datasets.missing(name) for name in self.data}
        if all(missing.values()):
            return files
        made = [
            file
            for file in files
            if file not in self._empty and not missing.get(self._data_of.get(file, ""))
        ]
        return made or files

    def partition(self, name: str) -> str:
        """The partition of the first seed."""
        owner, own = self.settings.cited(self.paper, "partitions", name)
        data = self._note(self.settings.dataset(owner.name, own))
        seed = self.experiments.how_much.seeds[0]
        return self.experiments.files.partition(owner.name, data, own, seed)

    def dataset(self, role: str) -> str:
        """The dataset that stands for a role."""
        return self.experiments.files.dataset(self._note(self.datasets.of_role(role)))

    def parts(self, role: str, *names: str) -> list[str]:
        """Parts of that dataset; all, if none is named."""
        data = self._note(self.datasets.of_role(role))
        there = self.datasets.source(data).parts
        for name in names:
            if name not in there:
                raise UserError(f"{data}: {unknown(name, there)}")
        return [self.experiments.files.part(data, name) for name in names or there]

    def _note(self, dataset: str) -> str:
        self.data.append(dataset)
        return dataset
