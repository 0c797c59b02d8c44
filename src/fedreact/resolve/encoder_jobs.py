"""Jobs of Phase 1: encoders, and the features that they give."""

from fedreact import options, plugins
from fedreact.encoding import spec
from fedreact.resolve import variants
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.scales import ENCODER


class EncoderJobs:
    """Jobs of ``workflow/rules/encoding.smk``.

    An encoder is named after the partition that it is trained on, with its changes.
    """

    def __init__(self, experiments: Experiments):
        self.experiments = experiments
        self.settings, self.files = experiments.settings, experiments.files

    def training(self, paper: str, dataset: str, encoder: str, seed: str) -> Job:
        """Train an encoder."""
        made, partition = self.settings.encoder(paper, encoder), self.partition(encoder)
        code = digest("scripts/train_encoder.py", plugins.named(made))
        threads = self._threads(paper, partition, made)
        return Job(
            tuple(options.words(options.changed(made))),
            {
                "data": (self.files.dataset(dataset),),
                "partition": (self.files.partition(paper, dataset, partition, seed),),
            },
            code,
            threads,
            spec.MEMORY_MB,
            self.experiments.minutes(ENCODER),
            self.files.checkpoint("encoders", paper, dataset, encoder, seed, code),
        )

    def features(self, paper: str, dataset: str, encoder: str, seed: str) -> Job:
        """Encode all series of a dataset."""
        named = plugins.named(self.settings.encoder(paper, encoder))
        return Job(
            inputs={
                "data": (self.files.dataset(dataset),),
                "encoder": (self.files.encoder(paper, dataset, encoder, seed),),
            },
            code=digest(
                "scripts/extract_features.py",
                [one for one in named if one[0] == spec.ENCODERS.folder],
            ),
        )

    def partition(self, encoder: str) -> str:
        """Name of the partition that an encoder is trained on."""
        name, texts = variants.parts(encoder)
        own = {k: v for k, v in texts.items() if not k.startswith(f"{ENCODER}.")}
        return variants.text(name, own)

    def _threads(self, paper, partition, made):
        """Cores; on a GPU all clients are one batch."""
        if self.experiments.gpus:
            return 1
        n_clients = self.settings.n_clients(paper, partition)
        return min(spec.threads(made, n_clients), self.experiments.how_much.threads)
