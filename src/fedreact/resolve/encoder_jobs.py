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
        made, name = self.settings.encoder(paper, encoder), self.partition(encoder)
        script, data = "scripts/train_encoder.py", self.files.dataset(dataset)
        partition = self.files.partition(paper, dataset, name, seed)
        code, threads = digest(script, plugins.named(made)), self._threads(paper, name, made)
        words = ["--data", data, "--partition", partition, "--seed", seed]
        return Job(
            script,
            (*words, *options.words(options.changed(made))),
            {"data": (data,), "partition": (partition,)},
            code,
            threads,
            spec.MEMORY_MB,
            self.experiments.minutes(ENCODER),
            self.files.checkpoint("encoders", paper, dataset, encoder, seed, code),
        )

    def features(self, paper: str, dataset: str, encoder: str, seed: str) -> Job:
        """Encode all series of a dataset."""
        named = plugins.named(self.settings.encoder(paper, encoder))
        script, data = "scripts/extract_features.py", self.files.dataset(dataset)
        weights = self.files.encoder(paper, dataset, encoder, seed)
        return Job(
            script,
            ("--data", data, "--encoder", weights),
            {"data": (data,), "encoder": (weights,)},
            digest(script, [one for one in named if one[0] == spec.ENCODERS.folder]),
        )

    def partition(self, encoder: str) -> str:
        """Name of the partition that an encoder is trained on."""
        name, texts = variants.parts(encoder)
        own = {k: v for k, v in texts.items() if not k.startswith(f"{ENCODER}.")}
        return variants.text(name, own)

    def _threads(self, paper: str, partition: str, made: spec.Options) -> int:
        """Cores; on a GPU all clients are one batch."""
        if self.experiments.gpus:
            return 1
        n_clients = self.settings.n_clients(paper, partition)
        return min(spec.threads(made, n_clients), self.experiments.how_much.threads)
