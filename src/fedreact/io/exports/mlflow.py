"""Scores as runs of MLflow; needs the package mlflow (extra mlflow)."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from fedreact.errors import UserError
from fedreact.io.exporting import ScoresExport
from fedreact.io.scores import tracked


@dataclass(frozen=True)
class Mlflow(ScoresExport):
    """Runs of MLflow, in the experiment that --to names.

    Attributes
    ----------
    tracking_uri
        Address of the tracking server; ``null``: as MLflow is set up.
    """

    tracking_uri: str | None = None
    TITLE: ClassVar[str] = "MLflow: a run for each method, setting and seed"

    def write(self, scores: Path, to: str) -> list[str]:
        """Log each run: its parameters, and its metrics by round."""
        try:
            mlflow = import_module("mlflow")
        except ImportError:
            raise UserError(
                "MLflow needs the package mlflow: pip install 'fedreact[mlflow]'"
            ) from None
        runs = list(tracked(scores))
        if self.tracking_uri is not None:
            mlflow.set_tracking_uri(self.tracking_uri)
        mlflow.set_experiment(to)
        for run in runs:
            with mlflow.start_run(run_name=run.name):
                mlflow.log_params(run.parameters)
                for t, metrics in run.scores.items():
                    mlflow.log_metrics(metrics, step=t)
        return [f"{len(runs)} runs in the experiment {to}"]


EXPORT = Mlflow
