"""What the rules of ``workflow/rules/encoding.smk`` ask."""

from typing import TYPE_CHECKING, Any

from fedreact import options, plugins
from fedreact.encoding import spec
from fedreact.workflow import variants
from fedreact.workflow.code import digest
from fedreact.workflow.scales import ENCODER

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class EncodingSteps:
    """Encoders, and the features that they give."""

    def __init__(self, plan: "Plan"):
        self.plan = plan

    def partition(self, w: Any) -> str:
        """File of the partition that an encoder is trained on."""
        return self.plan.files.partition(w.paper, w.dataset, self._partition(w.encoder), w.seed)

    def _partition(self, encoder):
        name, texts = variants.parts(encoder)
        kept = {k: v for k, v in texts.items() if not k.startswith(f"{ENCODER}.")}
        return variants.text(name, kept)

    def words(self, paper: str, encoder: str) -> list[str]:
        """Options of ``scripts/train_encoder.py``."""
        return options.words(options.changed(self.plan.steps.encoder(paper, encoder)))

    def code(self, script: str, paper: str, encoder: str) -> str:
        """Digest of the code that trains an encoder, or encodes series with it."""
        named = list(plugins.named(self.plan.steps.encoder(paper, encoder)))
        if not script.endswith("train_encoder.py"):
            named = [one for one in named if one[0] == spec.ENCODERS.folder]
        return digest(script, named)

    def checkpoint(self, w: Any) -> str:
        """File that a training keeps: of this code, so that none of other work is taken up."""
        code = self.code("scripts/train_encoder.py", w.paper, w.encoder)
        return self.plan.files.checkpoint("encoders", w.paper, w.dataset, w.encoder, w.seed, code)

    def threads(self, paper: str, encoder: str) -> int:
        """Cores that a training asks for; on a GPU all clients are one batch."""
        if self.plan.gpus:
            return 1
        n = self.plan.runs.n_clients(paper, self._partition(encoder))
        wanted = spec.threads(self.plan.steps.encoder(paper, encoder), n)
        return min(wanted, self.plan.how_much.threads)

    def memory(self, threads: int) -> int:
        """Megabytes of a training."""
        base, each = spec.MEMORY_MB
        return base + each * threads

    def minutes(self) -> int:
        """Minutes of a training on a cluster."""
        minutes = self.plan.how_much.minutes
        return minutes.get(ENCODER, minutes["default"])
