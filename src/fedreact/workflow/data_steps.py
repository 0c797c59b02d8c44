"""What the rules of ``workflow/rules/data.smk`` ask."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fedreact import options
from fedreact.workflow import sources, variants
from fedreact.workflow.code import digest
from fedreact.workflow.scales import PARTITIONERS

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class DataSteps:
    """Datasets, their parts, and partitions."""

    def __init__(self, plan: "Plan"):
        self.plan = plan

    def part_files(self, dataset: str) -> list[str]:
        """Parts that a dataset is made of."""
        of = self.plan.sources
        parts = () if of.is_own(dataset) else of.source(dataset).parts
        return [self.plan.files.part(dataset, part) for part in parts]

    def dataset_words(self, dataset: str, parts: Sequence[str]) -> list[str]:
        """Options of ``scripts/prepare_data.py``."""
        entry = self.plan.sources.registry.get(variants.parts(dataset)[0])
        found = [*self._words(dataset), *(["--registry", entry.file] if entry else [])]
        return found + (["--parts", *parts] if parts else [])

    def part_words(self, dataset: str, part: str) -> list[str]:
        """Options of ``scripts/prepare_part.py``."""
        return [*self._words(dataset), "--part", part]

    def _words(self, dataset):
        name, _ = variants.parts(dataset)
        given = self.plan.sources.options(dataset)
        found = [f"{key}={options.text_of(value)}" for key, value in given.items()]
        return ["--dataset", name, *(["--options", *found] if found else [])]

    def source_code(self, script: str, dataset: str) -> str:
        """Digest of the code that makes a dataset or a part of it."""
        name, _ = variants.parts(dataset)
        own = self.plan.sources.is_own(dataset)
        return digest(script, [] if own else [(sources.FOLDER, name, "SOURCE")])

    def partition_words(self, paper: str, partition: str) -> list[str]:
        """Options of ``scripts/make_partition.py``, its partitioner first."""
        spec, dealer = self.plan.steps.partition(paper, partition)
        return [spec.by, *options.words(options.changed(dealer))]

    def apart_from(self, paper: str, dataset: str, partition: str, seed: int) -> list[str]:
        """Partitions whose tests one of this seed holds no sample of: the tables', in a search."""
        seeds = self.plan.table_seeds(paper)
        names = [] if seed in seeds else seeds
        return [self.plan.files.partition(paper, dataset, partition, other) for other in names]

    def partition_code(self, paper: str, partition: str) -> str:
        """Digest of the code that deals a partition."""
        by = self.plan.steps.partition(paper, partition)[0].by
        return digest("scripts/make_partition.py", [(PARTITIONERS, by, "PARTITIONER")])
