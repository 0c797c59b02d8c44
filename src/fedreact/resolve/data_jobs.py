"""Jobs that prepare data: datasets, their parts, and partitions over clients."""

from fedreact import options, plugins
from fedreact.resolve import datasets, variants
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.scales import PARTITIONERS


class DataJobs:
    """Jobs of ``workflow/rules/data.smk``."""

    def __init__(self, experiments: Experiments):
        self.settings, self.files = experiments.settings, experiments.files
        self.datasets, self._table_seeds = experiments.datasets, experiments.table_seeds

    def dataset(self, dataset: str) -> Job:
        """Prepare a dataset from raw files, or from its parts."""
        own = self.datasets.is_own(dataset)
        names = () if own else self.datasets.source(dataset).parts
        parts = tuple(self.files.part(dataset, name) for name in names)
        words = self._words(dataset)
        if not own:
            words += ["--registry", self.datasets.entry(dataset).file]
        script = "scripts/prepare_data.py"
        return Job(
            script,
            (*words, *(("--parts", *parts) if parts else ())),
            {"parts": parts},
            self._code(script, dataset),
            params={
                "pinned": self.datasets.pinned(dataset),
                "raw": self.datasets.raw_digest(dataset),
            },
        )

    def part(self, dataset: str, part: str) -> Job:
        """Prepare a part of a dataset."""
        words, script = (*self._words(dataset), "--part", part), "scripts/prepare_part.py"
        return Job(script, words, code=self._code(script, dataset))

    def _words(self, dataset: str) -> list[str]:
        changes = self.datasets.options(dataset)
        pairs = [f"{key}={options.text_of(value)}" for key, value in changes.items()]
        name, _ = variants.parts(dataset)
        return ["--dataset", name, *(["--options", *pairs] if pairs else [])]

    def _code(self, script: str, dataset: str) -> str:
        name, _ = variants.parts(dataset)
        own = self.datasets.is_own(dataset)
        return digest(script, [] if own else [(datasets.FOLDER, name, "SOURCE")])

    def partition(self, paper: str, dataset: str, partition: str, seed: str) -> Job:
        """Deal the samples of a dataset to clients.

        A seed of a search gives clients no sample that a table is tested on.
        """
        spec, partitioner = self.settings.partition(paper, partition)
        used = self._table_seeds(paper)
        tables = () if int(seed) in used else used
        apart = [self.files.partition(paper, dataset, partition, other) for other in tables]
        data, script = self.files.dataset(dataset), "scripts/make_partition.py"
        words = [spec.by, *options.words(options.changed(partitioner))]
        words += ["--data", data, "--seed", seed, *(("--apart-from", *apart) if apart else ())]
        return Job(
            script,
            tuple(words),
            {"data": (data,), "apart": tuple(apart)},
            digest(
                script,
                [(PARTITIONERS, spec.by, "PARTITIONER"), *plugins.named(partitioner)],
            ),
        )
