"""What :mod:`fedreact.studies.costs` counts."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Costs")
