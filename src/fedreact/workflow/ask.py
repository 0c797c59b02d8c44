"""What figures ask for."""

from typing import TYPE_CHECKING

from fedreact.errors import UserError, unknown

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class Asked:
    """What a figure asks for; implements :class:`fedreact.figures.contract.Ask`.

    Attributes
    ----------
    data
        Datasets that were asked for.
    of
        The dataset of each file of a run.
    empty
        Files of tables of which nothing can be built.
    """

    def __init__(self, plan: "Plan", paper: str):
        self.plan, self.paper, self.data = plan, paper, []
        self.of: dict[str, str] = {}
        self.empty: set[str] = set()

    def table(self, name: str) -> str:
        """The csv file of a table of the same paper."""
        plan = self.plan
        targets = [one for one, of in plan.tables.items() if of == (self.paper, name)]
        if not targets:
            known = [of for paper, of in plan.tables.values() if paper == self.paper]
            raise UserError(f"{self.paper}: table {unknown(name, known)}")
        (target,) = targets
        (csv,) = (file for file in plan.files.table(target) if file.endswith(".csv"))
        if plan.outputs.missing(target):
            self.empty.add(csv)
            self.of[csv] = self._note(next(iter(plan.outputs.cells(target).values())).data)
        else:
            self.data += plan.outputs.datasets_of(target)
        return csv

    def run(self, kind: str, setting: str) -> list[str]:
        """Files of a kind of run that has no methods, over all seeds."""
        plan = self.plan
        data = self._note(plan.steps.dataset(*plan.steps.partition_of(self.paper, setting, {})))
        plan.steps.run(self.paper, kind, setting, {})  # which must be possible
        name = plan.steps.canonical(self.paper, kind, setting, {})
        folder = plan.files.run(kind, self.paper, data, name, "all")
        files = [f"{folder}/seed{seed}.csv" for seed in plan.seeds(self.paper, kind)]
        self.of |= dict.fromkeys(files, data)
        return files

    def there(self, files: list[str]) -> list[str]:
        """Files without those that cannot be made, if some other can."""
        missing = {name: self.plan.sources.missing(name) for name in self.data}
        if all(missing.values()):
            return files
        made = [
            file
            for file in files
            if file not in self.empty and not missing.get(self.of.get(file, ""))
        ]
        return made or files

    def partition(self, name: str) -> str:
        """The partition of the first seed."""
        owner, own = self.plan.steps.cited(self.paper, "partitions", name)
        data = self._note(self.plan.steps.dataset(owner.name, own))
        return self.plan.files.partition(owner.name, data, own, self.plan.how_much.seeds[0])

    def dataset(self, role: str) -> str:
        """The dataset that stands for a role."""
        return self.plan.files.dataset(self._note(self.plan.sources.of_role(role)))

    def parts(self, role: str, *names: str) -> list[str]:
        """Parts of that dataset; all, if none is named."""
        data = self._note(self.plan.sources.of_role(role))
        there = self.plan.sources.source(data).parts
        for name in names:
            if name not in there:
                raise UserError(f"{data}: {unknown(name, there)}")
        return [self.plan.files.part(data, name) for name in names or there]

    def _note(self, dataset):
        self.data.append(dataset)
        return dataset
