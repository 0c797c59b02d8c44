"""Scores as runs of Trackio; needs the package trackio (extra trackio)."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from fedreact.errors import UserError
from fedreact.io.exporting import ScoresExport
from fedreact.io.scores import tracked


@dataclass(frozen=True)
class Trackio(ScoresExport):
    """Runs of Trackio, in the project that --to names."""

    TITLE: ClassVar[str] = "Trackio: a run for each method, setting and seed"

    def write(self, scores: Path, to: str) -> list[str]:
        """Log each run: its parameters, and its metrics by round."""
        try:
            trackio = import_module("trackio")
        except ImportError:
            raise UserError(
                "Trackio needs the package trackio: pip install 'fedreact[trackio]'"
            ) from None
        runs = list(tracked(scores))
        for run in runs:
            trackio.init(project=to, name=run.name, config=run.parameters)
            for t, metrics in run.scores.items():
                trackio.log(metrics, step=t)
            trackio.finish()
        return [f"{len(runs)} runs in the project {to}; look at them: trackio show"]


EXPORT = Trackio
