"""Scores as logs of TensorBoard; needs the package tensorboard (extra tensorboard)."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from fedreact.errors import UserError
from fedreact.io.exporting import ScoresExport
from fedreact.io.scores import tracked


@dataclass(frozen=True)
class Tensorboard(ScoresExport):
    """Logs of TensorBoard, in the folder that --to names."""

    TITLE: ClassVar[str] = "TensorBoard: a folder of logs for each method, setting and seed"

    def write(self, scores: Path, to: str) -> list[str]:
        """Write a scalar for each metric and round."""
        try:
            writer = import_module("torch.utils.tensorboard").SummaryWriter
        except ImportError:
            raise UserError(
                "TensorBoard needs the package tensorboard: pip install 'fedreact[tensorboard]'"
            ) from None
        runs = list(tracked(scores))
        for run in runs:
            with writer(log_dir=str(Path(to, run.name.replace("/", "_")))) as log:
                for t, metrics in run.scores.items():
                    for name, value in metrics.items():
                        log.add_scalar(name, value, global_step=t)
        return [f"{len(runs)} runs; look at them: tensorboard --logdir {to}"]


EXPORT = Tensorboard
